import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { root } from '../support/sources/sources.ts'
import { FIND } from './tasks/find.ts'
import { entries, runEvaluation, runEvaluations } from './run-evals.ts'
import type { Outcome } from './run-evals.ts'
import { offeredOf, tableOf } from './table.ts'

// Proves that agents can do these tasks with the texts and results of the tools, and that the table
// in the documentation has the same number of tasks.

const groups = entries()
let outcomes: readonly Outcome[] = []
beforeAll(async () => {
  outcomes = await runEvaluations(groups)
})

test('there are 40 tasks, each asks something of its own', () => {
  const all = groups.flatMap(([, evaluations]) => evaluations)
  expect(all.length).toBe(40)
  expect(new Set(all.map(({ asks }) => asks)).size).toBe(40)
})

test('each task is done, with calls of tools', () => {
  expect(outcomes.map(({ instead }) => instead).filter((text) => text !== '')).toEqual([])
  expect(outcomes.length).toBe(40)
  for (const { usage } of outcomes) expect(usage.calls).toBeGreaterThan(0)
})

test('a wrong answer, a right one with more to it, and an agent that fails do not pass', async () => {
  const [one] = FIND
  if (!one) throw new Error('There are no tasks')
  const answers = [async () => 7_412, async () => [7_411], async () => undefined]
  const fails = async (): Promise<never> => Promise.reject(new Error('It gave up'))
  for (const agent of [...answers, fails]) {
    const { passed, instead } = await runEvaluation('find', { ...one, agent })
    expect([passed, instead]).toEqual([false, expect.stringMatching(/not 7411|gave up/)])
  }
})

test('the table of the documentation counts these tasks (to update it: npm run evals -- --write)', () => {
  const page = readFileSync(join(root, 'docs/agents.md'), 'utf8')
  const [, table = ''] = /<!-- evals -->([\s\S]*)<!-- \/evals -->/.exec(page) ?? []
  const rows = (text: string): string[][] =>
    text
      .split('\n')
      .filter((line) => /^\| (?:`|all)/.test(line))
      .map((line) => line.split('|').map((cell) => cell.trim()))
  const shown = rows(table)
  const now = rows(tableOf(outcomes))
  // Tasks, successes and calls.
  const exact = (all: string[][]) => all.map((cells) => cells.slice(0, 5))
  expect(exact(shown)).toEqual(exact(now))
  // A change of a word in a result need not change the page. What costs a tenth more is to be seen.
  const figures = (all: string[][], text: string): number[] => [
    ...all.flatMap((cells) => cells.slice(5, 8).map(Number)),
    ...[...text.matchAll(/\d+(?= tokens| for all)/g)].map(Number),
  ]
  const before = figures(shown, table)
  const after = figures(now, offeredOf(outcomes))
  expect(before.length).toBe(after.length)
  const grown = after.filter((figure, index) => Math.abs(figure / (before[index] ?? 0) - 1) > 0.1)
  expect(grown).toEqual([])
})
