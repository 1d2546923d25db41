import type { Json, Row } from '../../kernel/json.ts'
import { jsonPieces } from '../../kernel/json-pieces.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Executions } from '../executions/service.ts'
import type { Results } from '../results/service.ts'
import { UNTRUSTED } from './tool-schema.ts'
import type { AgentRun } from './tool-schema.ts'

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
