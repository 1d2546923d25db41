import { openAgent } from './agent.ts'
import type { Toolset, Usage } from './agent.ts'
import type { Evaluation, Group } from './evaluation.ts'
import { COMPARE } from './tasks/compare.ts'
import { EXTRACT } from './tasks/extract.ts'
import { FIND } from './tasks/find.ts'
import { RECOVER } from './tasks/recover.ts'
import { WATCH } from './tasks/watch.ts'

/** All tasks. */
export const EVALUATIONS: Readonly<Record<Group, readonly Evaluation[]>> = {
  find: FIND,
  extract: EXTRACT,
  compare: COMPARE,
  watch: WATCH,
  recover: RECOVER,
}

/** How a task went. */
export interface Outcome {
  readonly group: Group
  readonly asks: string
  readonly tools: Toolset
  readonly passed: boolean
  /** The wrong answer; empty: it passed. */
  readonly instead: string
  readonly usage: Usage
}

/** Runs one task on a platform of its own. */
export async function runEvaluation(
  group: Group,
  { asks, tools, web, agent: script, right }: Evaluation,
): Promise<Outcome> {
  const pages = web()
  const { agent, usage, close } = await openAgent(pages, tools)
  const expected = JSON.stringify(right)
  try {
    const answer = JSON.stringify(await script(agent, pages)) ?? 'nothing'
    const passed = answer === expected
    const instead = passed ? '' : `${answer}, not ${expected}`
    return { group, asks, tools, passed, instead, usage }
  } catch (error) {
    return { group, asks, tools, passed: false, instead: String(error), usage }
  } finally {
    await close()
  }
}

/** Runs tasks one after another. */
export async function runEvaluations(
  groups: readonly (readonly [Group, readonly Evaluation[]])[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [group, evaluations] of groups)
    for (const evaluation of evaluations) outcomes.push(await runEvaluation(group, evaluation))
  return outcomes
}

/** The groups with their tasks, in the order of the table. */
export function entries(): readonly (readonly [Group, readonly Evaluation[]])[] {
  const groups: readonly Group[] = ['find', 'extract', 'compare', 'watch', 'recover']
  return groups.map((group) => [group, EVALUATIONS[group]])
}
