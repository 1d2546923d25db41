import type { Json, Row } from '../../kernel/json.ts'
import { jsonPieces } from '../../kernel/json-pieces.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Executions } from '../executions/service.ts'
import type { Results } from '../results/service.ts'
import { UNTRUSTED } from './tool-schema.ts'
import type { AgentRun } from './tool-schema.ts'
import { PlatformError } from '../../kernel/errors.ts'
import type { Clock } from '../../ports/clock.ts'

/** An execution on the wire. */
export type Execution = Awaited<ReturnType<Executions['read']>>

/** Which rows to show of a run. */
export interface RowsWanted {
  readonly cursor?: string
  readonly limit?: number
}

const DONE: readonly string[] = ['succeeded', 'failed', 'cancelled', 'timed_out']
/** Characters of all rows of an answer. */
const MOST_CHARACTERS = 24_000
/** Characters of a text, where a single row is longer than the answer may be. */
const MOST_OF_TEXT = 6_000

/** A run as it is, without rows. */
export function runOf(execution: Execution, base: string): AgentRun {
  const { id, status, reason, counters, cost } = execution
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
    rowsFound: counters.rows,
    columns: [],
    rows: [],
    nextCursor: null,
    exportUrl: `${base}/api/v1/executions/${encodeURIComponent(id)}/results/export?format=csv`,
    next: nextOf(id, status, done),
    notice: UNTRUSTED,
  }
}

/** A run with as many of its rows as fit into an answer. */
export async function runWithRows(
  results: Results,
  principal: Principal,
  execution: Execution,
  wanted: RowsWanted,
  base: string,
): Promise<AgentRun> {
  const run = runOf(execution, base)
  const query = {
    limit: wanted.limit ?? 20,
    ...(wanted.cursor !== undefined && { cursor: wanted.cursor }),
  }
  const first = await results.list(principal, execution.id, query, () => base)
  const fitting = fitOf(first.items)
  const page =
    fitting === first.items.length
      ? first
      : await results.list(principal, execution.id, { ...query, limit: fitting }, () => base)
  const rows = fitting === 1 ? page.items.map(shortened) : page.items
  return {
    ...run,
    columns: [...page.columns],
    rows: rows.map((row) => ({ ...row })),
    nextCursor: page.nextCursor,
    next:
      page.nextCursor === null
        ? run.next
        : `More rows: call get_run with runId "${execution.id}" and cursor nextCursor. ${run.next}`,
  }
}

/** How many rows fit; one at least, if there is one. */
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
  // The first piece of a long one is longer than what is shown.
  const [text = ''] = typeof value === 'string' ? [value] : jsonPieces(value)
  if (text.length <= MOST_OF_TEXT) return value
  return `${text.slice(0, MOST_OF_TEXT)} [${typeof value === 'string' ? `${text.length - MOST_OF_TEXT} more characters` : 'more'}: see exportUrl]`
}

/**
 * Characters of a value as JSON, which is written no further than is of interest: a row may have
 * tens of megabytes.
 */
function lengthOf(value: Json): number {
  let length = 0
  for (const piece of jsonPieces(value)) {
    length += piece.length
    if (length > MOST_CHARACTERS) break
  }
  return length
}

function nextOf(id: string, status: string, done: boolean): string {
  if (status === 'succeeded') return 'The run has ended; nothing more will come.'
  if (done) return `The run has ended (${status}); what it found until then stays. See reason.`
  return `The run is ${status}: call get_run with runId "${id}" and waitSeconds to wait for it, or with cancel: true to stop it.`
}

/** How far a tool's work is, in pages. */
export interface ToolProgress {
  /** Pages that are done, whatever came of them. */
  readonly progress: number
  /** Pages that are known so far. */
  readonly total: number
  /** The same in words, with the id of the run. */
  readonly message: string
}

/** How far a run is. */
function progressOf({ id, status, counters }: Execution): ToolProgress {
  const total = counters.discovered
  const progress = total - counters.pending
  return {
    progress,
    total,
    message: `${id} is ${status}: ${progress} of ${total} known pages done, ${counters.rows} rows`,
  }
}

/** How long to wait for whom. */
interface Wait {
  readonly seconds: number
  /** Ends the waiting, as when the caller has gone. */
  readonly signal: AbortSignal
  /**
   * Told how the run stands: at once, then whenever more of it is done. `progress` grows from each
   * time to the next.
   */
  readonly report?: (progress: ToolProgress) => void
}

/** Tells of an execution after each change, until it has ended or the signal aborts. */
export interface Follows {
  observe(
    principal: Principal,
    id: string,
    input: { readonly signal: AbortSignal; readonly seen: (execution: Execution) => void },
  ): Promise<void>
}

/**
 * Resolves when an execution has ended, or the time is over, or nobody wants to know any more; at
 * once where the account has as many streams as it may.
 */
export async function waitForRun(
  live: Follows,
  clock: Clock,
  principal: Principal,
  execution: string,
  { seconds, signal, report }: Wait,
): Promise<void> {
  if (seconds <= 0 || signal.aborted) return
  const stop = new AbortController()
  clock.sleep(seconds * 1_000, stop.signal).then(
    () => stop.abort(),
    () => {},
  )
  let told = -1
  try {
    await live.observe(principal, execution, {
      signal: AbortSignal.any([signal, stop.signal]),
      seen(now) {
        const progress = progressOf(now)
        if (progress.progress <= told) return
        told = progress.progress
        report?.(progress)
      },
    })
  } catch (error) {
    // The run has begun: it is told as it stands, which is better than a refusal that would begin
    // it twice.
    if (!(error instanceof PlatformError && error.code === 'TOO_MANY_REQUESTS')) throw error
  } finally {
    stop.abort()
  }
}
