import type { Recipe } from '../../engine/recipe/schema.ts'
import type { ExecutionStatus, LabelCounts, ProgressRecord } from '../executions/records.ts'

/** State of a step. `skipped`: the execution ended without it. */
export type StepState = 'pending' | 'running' | 'done' | 'skipped' | 'failed'

/** Kind of work of a step. */
export type StepKind = 'start' | 'list' | 'visit' | 'follow' | 'extract' | 'merge'

/** One step of a recipe's plan. */
export interface PlanStep {
  /** Unique within the plan, and the same in every response. */
  readonly id: string
  readonly kind: StepKind
  /** Text for people. */
  readonly title: string
  readonly state: StepState
  /** Counters by name. A step omits counters that it does not have. */
  readonly counts: Readonly<Record<string, number>>
}

/** State of merging an execution's rows into their dataset. `none`: it has no dataset. */
export type MergeState = 'none' | 'pending' | 'running' | 'done'

/** The facts that steps are derived from. */
export interface StepFacts {
  readonly recipe: Recipe
  readonly startUrls: readonly string[]
  /** Results of its search. `null`: it has no search, or the search is not done yet. */
  readonly found: { readonly source: string; readonly urls: number } | null
  readonly status: ExecutionStatus
  /** Code of the reason why it ended. `null`: no reason. */
  readonly reason: string | null
  /** The execution whose kept pages it reads instead of the web. `null`: none. */
  readonly extractOf: string | null
  readonly progress: ProgressRecord
  readonly merge: MergeState
}

type Rule = NonNullable<Recipe['follow']>[number]

const NONE: LabelCounts = { found: 0, next: 0, settled: 0, fetched: 0, extracted: 0, rows: 0 }
const FINAL: readonly ExecutionStatus[] = ['succeeded', 'failed', 'cancelled', 'timed_out']

/** The steps of an execution, in the order in which they begin. Most of them run in parallel. */
export function planSteps(facts: StepFacts): PlanStep[] {
  const { recipe, merge, extractOf } = facts
  if (extractOf !== null) return [keptStep(facts, extractOf), extractStep(facts)]
  const labels = new Set([
    'start',
    ...(recipe.follow ?? []).flatMap((rule) =>
      'as' in rule && rule.as !== undefined ? [rule.as] : [],
    ),
  ])
  return [
    ...startSteps(facts),
    ...[...labels].map((label) => visitStep(facts, label)),
    ...(recipe.follow ?? []).map((rule, index) => followStep(facts, rule, index)),
    ...(recipe.follow === undefined && facts.recipe.crawl && crawls(facts.recipe.crawl)
      ? [crawlStep(facts)]
      : []),
    extractStep(facts),
    ...(merge === 'none' ? [] : [mergeStep(facts, merge)]),
  ]
}

function keptStep({ status, progress }: StepFacts, extractOf: string): PlanStep {
  return {
    id: 'start',
    kind: 'start',
    title: `Take the pages kept by ${extractOf}`,
    state: seedState(status, progress),
    counts: { urls: progress.discovered },
  }
}

function seedState(status: ExecutionStatus, { seeded }: ProgressRecord): StepState {
  if (seeded) return 'done'
  return status === 'running' ? 'running' : FINAL.includes(status) ? 'skipped' : 'pending'
}

function startSteps({ recipe, startUrls, found, status, reason, progress }: StepFacts): PlanStep[] {
  const [first] = startUrls
  const isTaken = progress.discovered > 0 || progress.seeded
  const state = seedState(status, progress)
  const pages: PlanStep = {
    id: 'start',
    kind: 'start',
    title:
      startUrls.length === 1
        ? `Take the start page ${first}`
        : `Take ${startUrls.length} start pages`,
    state: isTaken ? 'done' : state,
    counts: { urls: startUrls.length },
  }
  const lists = (['sitemap', 'feed'] as const).flatMap((list): PlanStep[] => {
    const url = recipe.start[list]
    return url === undefined
      ? []
      : [
          {
            id: list,
            kind: 'list',
            title: `Read the ${list} ${url}`,
            state: reason?.startsWith(`${list}_`) ? 'failed' : state,
            counts: {},
          },
        ]
  })
  return [
    ...(first === undefined ? [] : [pages]),
    ...searchSteps(
      recipe.start.search,
      found,
      reason?.startsWith('search_') ? 'failed' : found === null ? state : 'done',
    ),
    ...lists,
  ]
}

function searchSteps(
  search: Recipe['start']['search'],
  searchResult: StepFacts['found'],
  state: StepState,
): PlanStep[] {
  if (search === undefined) return []
  const query = typeof search === 'string' ? search : search.query
  return [
    {
      id: 'search',
      kind: 'list',
      title: `Search ${searchResult === null ? '' : `${searchResult.source} `}for ${query}`,
      state,
      counts: searchResult === null ? {} : { urls: searchResult.urls },
    },
  ]
}

function visitStep(facts: StepFacts, label: string): PlanStep {
  const { found, settled, fetched } = countsOf(facts, label)
  return {
    id: `visit-${label}`,
    kind: 'visit',
    title: label === 'start' ? 'Visit the start pages' : `Visit the pages with the label ${label}`,
    state: stateOf(facts, { begun: found > 0, failed: found > 0 && fetched === 0 }),
    counts: { found, settled, fetched },
  }
}

/** Links are counted by the label that they give. Rules that give the same label share its count. */
function followStep(facts: StepFacts, rule: Rule, index: number): PlanStep {
  if ('next' in rule) {
    const links = labelsOf(facts, rule.on).reduce((sum, { next }) => sum + next, 0)
    return {
      id: `follow-${index}`,
      kind: 'follow',
      title: `Follow the pagination ${rule.next}`,
      state: stateOf(facts, { begun: links > 0, failed: false }),
      counts: { links },
    }
  }
  const { found, next } = countsOf(facts, rule.as ?? 'start')
  // For pages without a label of their own, start pages do not count as links.
  const links = rule.as === undefined ? Math.max(0, found - next - startsOf(facts)) : found - next
  const title = [
    `Follow the links ${rule.links}`,
    ...(rule.items === undefined ? [] : [`in ${rule.items}`]),
    ...(rule.as === undefined ? [] : [`to pages with the label ${rule.as}`]),
    ...(rule.carry === undefined ? [] : [`with ${Object.keys(rule.carry).join(', ')}`]),
  ].join(' ')
  return {
    id: `follow-${index}`,
    kind: 'follow',
    title,
    state: stateOf(facts, { begun: links > 0, failed: false }),
    counts: { links },
  }
}

function crawlStep(facts: StepFacts): PlanStep {
  const links = Math.max(0, countsOf(facts, 'start').found - startsOf(facts))
  return {
    id: 'follow-all',
    kind: 'follow',
    title: 'Follow all links in the scope of the crawl',
    state: stateOf(facts, { begun: links > 0, failed: false }),
    counts: { links },
  }
}

function extractStep(facts: StepFacts): PlanStep {
  const { recipe, progress } = facts
  const { on, fields } = recipe.extract === 'auto' ? {} : (recipe.extract ?? {})
  const what =
    recipe.extract === 'auto'
      ? 'what repeats'
      : fields
        ? Object.keys(fields).slice(0, 5).join(', ') + (Object.keys(fields).length > 5 ? ', …' : '')
        : (recipe.formats ?? ['metadata', 'markdown']).join(', ')
  return {
    id: 'extract',
    kind: 'extract',
    title: on === undefined ? `Extract ${what}` : `Extract ${what} from pages with the label ${on}`,
    state: stateOf(facts, { begun: progress.extracted > 0, failed: progress.rows === 0 }),
    counts: {
      pages: progress.extracted,
      rows: progress.rows,
      ...(progress.model && { readByModel: progress.model.pages }),
    },
  }
}

function mergeStep({ status, progress }: StepFacts, merge: Exclude<MergeState, 'none'>): PlanStep {
  const state = FINAL.includes(status) ? merge : 'pending'
  return {
    id: 'merge',
    kind: 'merge',
    title: 'Merge the rows into the dataset',
    state,
    counts: { rows: progress.rows },
  }
}

/**
 * A step that has begun runs as long as its execution, because a later page may always add to it.
 * `failed`: true if the step had no result. The step fails only if the execution failed too.
 */
function stateOf(
  { status }: StepFacts,
  { begun, failed }: { readonly begun: boolean; readonly failed: boolean },
): StepState {
  if (!FINAL.includes(status)) return begun && status === 'running' ? 'running' : 'pending'
  if (begun) return failed && status === 'failed' ? 'failed' : 'done'
  return 'skipped'
}

function countsOf({ progress }: StepFacts, label: string): LabelCounts {
  return new Map(Object.entries(progress.labels ?? {})).get(label) ?? NONE
}

function startsOf({ startUrls, found }: StepFacts): number {
  return startUrls.length + (found?.urls ?? 0)
}

function labelsOf(facts: StepFacts, on: string | undefined): readonly LabelCounts[] {
  return on === undefined ? Object.values(facts.progress.labels ?? {}) : [countsOf(facts, on)]
}

function crawls({ scope, maxDepth, include }: NonNullable<Recipe['crawl']>): boolean {
  return scope !== undefined || maxDepth !== undefined || include !== undefined
}
