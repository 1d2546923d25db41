import { isObject } from '../../../kernel/json.ts'

type Data = { readonly [name: string]: unknown }

/** Facts of a run in the result of a tool. */
export interface ShownRun {
  readonly runId: string
  readonly status: string
  readonly done: boolean
  readonly reason: string | null
  readonly discovered: number
  readonly fetched: number
  readonly failed: number
  readonly credits: number
  readonly rows: number
  /** The first pages that could not be read. */
  readonly failedPages: readonly { readonly url: string; readonly message: string }[]
}

/** Rows in the result of a tool. */
export interface ShownRows {
  /** `null`: the rows are of a page or of a dataset. */
  readonly run: ShownRun | null
  readonly columns: readonly string[]
  readonly rows: readonly Data[]
  readonly nextCursor: string | null
  /** The call for more rows, without its cursor. `null`: there are no more. */
  readonly source: { readonly tool: string; readonly args: Data } | null
}

const count = (value: unknown): number => (typeof value === 'number' ? value : 0)
const objects = (value: unknown): readonly Data[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/**
 * Reads the structured content of a result by its shape, because a host need not name the tool that
 * answered. `input`: the arguments of the call. `null`: there are no rows in it.
 */
export function shownIn(content: unknown, input: Data): ShownRows | null {
  if (!isObject(content)) return null
  const held = content['run']
  const whole = isObject(held) ? held : content
  const list = whole['rows'] ?? whole['items']
  if (!Array.isArray(list)) return null
  const run = runIn(whole)
  const rows = objects(list)
  const { columns, nextCursor } = whole
  return {
    run,
    columns: Array.isArray(columns)
      ? columns.map(String)
      : [...new Set(rows.flatMap((row) => Object.keys(row)))],
    rows,
    nextCursor: typeof nextCursor === 'string' ? nextCursor : null,
    source: sourceOf(run, 'items' in whole, input),
  }
}

function sourceOf(run: ShownRun | null, isOfDataset: boolean, input: Data): ShownRows['source'] {
  if (run !== null) return { tool: 'get_run', args: { runId: run.runId } }
  if (!isOfDataset) return null
  const { cursor: _, ...args } = input
  return { tool: 'query_dataset', args }
}

function runIn(whole: Data): ShownRun | null {
  const { runId, status, done, reason, pages, credits, rowsFound, failedPages } = whole
  if (typeof runId !== 'string') return null
  const { discovered, fetched, failed } = isObject(pages) ? pages : {}
  return {
    runId,
    status: String(status),
    done: done === true,
    reason: isObject(reason) ? String(reason['message']) : null,
    discovered: count(discovered),
    fetched: count(fetched),
    failed: count(failed),
    credits: count(credits),
    rows: count(rowsFound),
    failedPages: objects(failedPages).map(({ url, message }) => ({
      url: String(url),
      message: String(message),
    })),
  }
}
