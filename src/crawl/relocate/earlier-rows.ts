import type { Row } from '../../kernel/json.ts'
import type { KeptPageRecord } from '../../features/executions/page-records.ts'
import { RowReader } from '../../features/results/row-reader.ts'
import type { Core } from '../../features/core.ts'

/** A kept page, and the rows that an earlier execution took from the same URL. */
export interface SamplePage {
  readonly kept: KeptPageRecord
  readonly before: readonly Row[]
}

/** Maximum number of earlier executions whose rows are read. They are the latest ones. */
const MOST_EXECUTIONS = 3
/** Maximum number of rows that are read of one execution, and in one step. */
const MOST_ROWS = 1_000
const ROWS_AT_ONCE = 200
/** Maximum number of kept pages that are searched for pages with earlier rows. */
const MOST_KEPT = 500
/** Maximum number of pages on which proposals are tried. */
const MOST_PAGES = 12

/**
 * Reads kept pages of an execution, if earlier executions of the account had rows from their URLs.
 * `label`: the label of the pages that rows come from; `null`: all.
 */
export async function readSample(
  core: Pick<Core, 'records' | 'blobs'>,
  account: string,
  execution: string,
  earlier: readonly string[],
  label: string | null,
): Promise<SamplePage[]> {
  const before = await readEarlierRows(core, account, earlier)
  const pages = await core.records.keptPages.list(account, {
    within: [execution],
    limit: MOST_KEPT,
  })
  return pages
    .flatMap(({ value }): SamplePage[] => {
      const rows = label === null || value.label === label ? before.get(value.url) : undefined
      return rows === undefined ? [] : [{ kept: value, before: rows }]
    })
    .slice(0, MOST_PAGES)
}

/** URL → the rows of the latest execution that had some of it. */
async function readEarlierRows(
  { records, blobs }: Pick<Core, 'records' | 'blobs'>,
  account: string,
  executions: readonly string[],
): Promise<Map<string, Row[]>> {
  const rowsByUrl = new Map<string, Row[]>()
  for (const execution of executions.slice(-MOST_EXECUTIONS).toReversed()) {
    const [stored, progress] = await Promise.all([
      records.executions.get(account, execution),
      records.progress.get(account, execution),
    ])
    // The execution, or its rows, may be deleted.
    if (!stored || !progress || stored.value.rowsDeletedAt !== undefined) continue
    const reader = new RowReader(records, blobs, account, execution)
    const bySeq = new Map<number, Row[]>()
    let [position, rowCount] = [[progress.value.segments, 0] as readonly [number, number], 0]
    while (rowCount < MOST_ROWS) {
      const { rows, next } = await reader.before(position, ROWS_AT_ONCE)
      for (const [seq, row] of rows.toReversed()) {
        const rowsOfPage = bySeq.get(seq)
        if (rowsOfPage) rowsOfPage.unshift(row)
        else bySeq.set(seq, [row])
      }
      rowCount += rows.length
      if (next === null || rows.length === 0) break
      position = next
    }
    const visits = await records.visits.getMany(
      account,
      [...bySeq.keys()].map((seq) => [execution, seq]),
    )
    for (const visit of visits) {
      const rows = visit && bySeq.get(visit.value.seq)
      if (rows && !rowsByUrl.has(visit.value.url)) rowsByUrl.set(visit.value.url, rows)
    }
  }
  return rowsByUrl
}
