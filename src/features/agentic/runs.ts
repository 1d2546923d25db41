import type { Json, Row } from '../../kernel/json.ts'
import { jsonPieces } from '../../kernel/json-pieces.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Executions } from '../executions/service.ts'
import type { Results } from '../results/service.ts'
import { UNTRUSTED } from './tool-schema.ts'
import type { AgentRun } from './tool-schema.ts'
import { PlatformError } from '../../kernel/errors.ts'
import { untilLate } from '../../kernel/in-time.ts'
import type { Clock } from '../../ports/clock.ts'

/** An execution on the wire. */
export type AgenticRun = Awaited<ReturnType<Executions['get']>>

/** The rows of a run to show. */
export interface RowsWanted {
  readonly cursor?: string
  readonly limit?: number
}

const DONE: readonly string[] = ['succeeded', 'failed', 'cancelled', 'timed_out']
/** Limit on the characters of all rows in a response. */
const MOST_CHARACTERS = 24_000
/** Limit on the characters of a text if a single row is too large for a response. */
const MOST_OF_TEXT = 6_000

/** Number of pages of each outcome that a run lists with the reason of their failure. */
const MOST_FAILED = 5
/** A hint for pages that seem empty, usually because of scripts. */
const SCRIPTS =
  'A page without text is often written by scripts, which only a browser of the operator runs: ' +
  'use another page or source.'

/** Converts a run in its current state, without rows. */
export function runOf(execution: AgenticRun, base: string): AgentRun {
  const { id, status, reason, counters, cost, updatedAt } = execution
  const done = DONE.includes(status)
  return {
    runId: id,
    status,
    done,
    reason,
    pages: {
      discovered: counters.discovered,
      fetched: counters.fetched,
      failed: counters.failed + counters.blocked,
    },
    credits: cost.credits,
    failedPages: [],
    rowsFound: counters.rows,
    updatedAt,
    columns: [],
    rows: [],
    nextCursor: null,
    exportUrl: `${base}/api/v1/executions/${encodeURIComponent(id)}/results/export?format=csv`,
    next: nextOf(execution, done),
    notice: UNTRUSTED,
  }
}

/** The first pages that a run could not read, each with its reason. */
async function failedPagesOf(
  executions: Pick<Executions, 'pages'>,
  principal: Principal,
  { id, counters }: AgenticRun,
): Promise<AgentRun['failedPages']> {
  const outcomes = (['failed', 'blocked'] as const).filter((outcome) => counters[outcome] > 0)
  const pages = await Promise.all(
    outcomes.map((outcome) => executions.pages(principal, id, { outcome, limit: MOST_FAILED })),
  )
  return pages.flatMap(({ items }) =>
    items.map(({ url, outcome, reason }) => ({
      url,
      code: reason?.code ?? outcome,
      message: reason?.message ?? `The page is ${outcome}`,
    })),
  )
}

/** Converts a run, with as many of its rows as fit into a response. */
export async function runWithRows(
  {
    results,
    executions,
  }: {
    readonly results: Pick<Results, 'list'>
    readonly executions: Pick<Executions, 'pages'>
  },
  principal: Principal,
  execution: AgenticRun,
  slice: RowsWanted,
  base: string,
): Promise<AgentRun> {
  const run = {
    ...runOf(execution, base),
    failedPages: await failedPagesOf(executions, principal, execution),
  }
  if (execution.rowsDeletedAt !== null)
    return { ...run, next: 'The rows of this run were deleted. To get them again, start it again.' }
  const query = {
    limit: slice.limit ?? 20,
    ...(slice.cursor !== undefined && { cursor: slice.cursor }),
  }
  const first = await results.list(principal, execution.id, query, () => base)
  const fitting = fitOf(first.items)
  const page =
    fitting === first.items.length
      ? first
      : await results.list(principal, execution.id, { ...query, limit: fitting }, () => base)
  const rows = fitting === 1 ? page.items.map(shortened) : page.items
  const next = rows.some(({ markdown }) => markdown === null) ? `${run.next} ${SCRIPTS}` : run.next
  return {
    ...run,
    columns: [...page.columns],
    rows: rows.map((row) => ({ ...row })),
    nextCursor: page.nextCursor,
    next:
      page.nextCursor === null
        ? next
        : `More rows: call get_run with runId "${execution.id}" and cursor nextCursor. ${next}`,
  }
}

/** Number of rows that fit. At least one, if there is one. */
function fitOf(rows: readonly Row[]): number {
  let characters = 0
  const beyond = rows.findIndex((row) => (characters += lengthOf(row)) > MOST_CHARACTERS)
  return beyond < 0 ? rows.length : Math.max(1, beyond)
}

function shortened(row: Row): Row {
  if (lengthOf(row) <= MOST_CHARACTERS) return row
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, shortValue(value)]),
  )
}

function shortValue(value: Json): Json {
  // Only the first piece of a long value is written, because even that is longer than the part that
  // is shown.
  const [text = ''] = typeof value === 'string' ? [value] : jsonPieces(value)
  if (text.length <= MOST_OF_TEXT) return value
  const rest = typeof value === 'string' ? `${text.length - MOST_OF_TEXT} more characters` : 'more'
  return `${text.slice(0, MOST_OF_TEXT)} [${rest}: see exportUrl]`
}

/** Length of a value as JSON. It stops at the limit, because a row may have tens of megabytes. */
function lengthOf(value: Json): number {
  let length = 0
  for (const piece of jsonPieces(value)) {
    length += piece.length
    if (length > MOST_CHARACTERS) break
  }
  return length
}

function nextOf({ id, status, reason }: AgenticRun, done: boolean): string {
  if (status === 'succeeded') return 'The run has ended; there are no more rows.'
  if (done) {
    const hint = reason?.code === 'nothing_matched' ? ` ${SCRIPTS}` : ''
    return `The run has ended (${status}); the rows found until then remain. See reason.${hint}`
  }
  return `The run is ${status}: call get_run with runId "${id}" and waitSeconds to wait for it.`
}

/** Progress of a tool's work, in pages. */
export interface ToolProgress {
  /** Pages that are done, with any outcome. */
  readonly progress: number
  /** Pages that are known so far. */
  readonly total: number
  /** The progress in words, with the id of the run. */
  readonly message: string
}

/** The progress of a run. */
function progressOf({ id, status, counters }: AgenticRun): ToolProgress {
  const total = counters.discovered
  const progress = total - counters.pending
  return {
    progress,
    total,
    message: `${id} is ${status}: ${progress} of ${total} known pages done, ${counters.rows} rows`,
  }
}

/** Options for waiting for a run. */
interface Wait {
  readonly seconds: number
  /** Ends the wait, for example when the caller has gone. */
  readonly signal: AbortSignal
  /** True if the wait needs no place among the streams of its account. */
  readonly holdsStream: boolean
  /**
   * Called with the run's progress: at once, then after each change. `progress` grows from call to
   * call.
   */
  readonly report?: (progress: ToolProgress) => void
}

/** Reports an execution after each change, until it has ended or the signal aborts. */
export interface Follows {
  observe(
    principal: Principal,
    id: string,
    input: {
      readonly signal: AbortSignal
      readonly holdsStream: boolean
      readonly seen: (execution: AgenticRun) => void
    },
  ): Promise<void>
}

/**
 * Resolves when an execution has ended, when the time is over, or when the signal aborts. Resolves
 * at once if the account has its maximum of streams.
 */
export async function waitForRun(
  live: Follows,
  clock: Clock,
  principal: Principal,
  execution: string,
  { seconds, signal, holdsStream, report }: Wait,
): Promise<void> {
  if (seconds <= 0 || signal.aborted) return
  const failure = () => new Error('The wait is over')
  let reported = -1
  const seen = (now: AgenticRun): void => {
    const progress = progressOf(now)
    if (progress.progress <= reported) return
    reported = progress.progress
    report?.(progress)
  }
  try {
    await untilLate({ clock, ms: seconds * 1_000, signal, failure }, (until) =>
      live.observe(principal, execution, { signal: until, holdsStream, seen }),
    )
  } catch (error) {
    // The run has already started. Returning its present state is better than an error, which would
    // make the caller start it twice.
    if (!(error instanceof PlatformError && error.code === 'TOO_MANY_REQUESTS')) throw error
  }
}
