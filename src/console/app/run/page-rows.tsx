import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { PageReceipt } from '../../../client.ts'
import { useAction } from '../parts/ask.ts'
import type { FileRow } from '../parts/read-rows.ts'
import { ReadOn } from '../parts/listing.tsx'
import { Facts, figure, Wrong } from '../parts/show.tsx'
import { StoredValue } from '../parts/stored-table.tsx'
import { client } from '../session.ts'
import { words } from '../words.ts'

/** Number of requests for one press of the button. Each reads 100 rows of the run. */
const MOST_CALLS = 10
/** Rows of the page that are shown. */
const MOST_SHOWN = 20

interface FoundRows {
  readonly rows: readonly FileRow[]
  /** Number of rows of the run that were checked. */
  readonly sought: number
  /**
   * The position at which the search continues. `null`: all rows were checked. `undefined`: none
   * was.
   */
  readonly cursor: string | null | undefined
}

const NONE: FoundRows = { rows: [], sought: 0, cursor: undefined }

/** The rows of one page, requested by a button. They are searched among all rows of the run. */
export function PageRows({
  run,
  page,
}: {
  /** Id of its run. */
  readonly run: string
  readonly page: PageReceipt
}) {
  const result = useSignal(NONE)
  const action = useAction()
  const left = useRef(new AbortController())
  useEffect(() => () => left.current.abort(), [])
  if (page.rows === 0) return null
  const { rows, sought, cursor } = result.value
  const isStopped = typeof cursor === 'string' && rows.length < Math.min(page.rows, MOST_SHOWN)
  const search = () =>
    action.run(async () => {
      result.value = await searchOn(run, page, result.value, left.current.signal)
    })
  return (
    <section aria-labelledby="page-rows">
      <h3 id="page-rows">{words.run.itsRows}</h3>
      {cursor === undefined && (
        <button type="button" class="quiet" disabled={action.isBusy} onClick={search}>
          {words.run.showRows(page.rows)}
        </button>
      )}
      <Wrong problem={action.problem} />
      {cursor !== undefined && (
        <div role="status">
          {rows.map((row, index) => (
            <Facts
              key={index}
              facts={Object.entries(row).map(
                ([name, value]) => [name, <StoredValue key={name} value={value} />] as const,
              )}
            />
          ))}
          {rows.length < page.rows && (
            <p>
              {isStopped
                ? words.run.rowsNotFound(figure(sought))
                : words.run.firstRows(figure(rows.length))}
            </p>
          )}
        </div>
      )}
      {isStopped && (
        <ReadOn isBusy={action.isBusy} onMore={search}>
          {words.searchOn}
        </ReadOn>
      )}
    </section>
  )
}

/** Columns that say where a row comes from. They are needed to find the rows. */
const ORIGIN = /^_(?:page|fetchedAt|digest|sources)$/

/** Searches the next rows of a run for those of a page. */
async function searchOn(
  run: string,
  { url, finalUrl, rows: count }: PageReceipt,
  { rows: before, sought, cursor: from }: FoundRows,
  signal: AbortSignal,
): Promise<FoundRows> {
  const most = Math.min(count, MOST_SHOWN)
  const rows = [...before]
  let looked = sought
  let cursor = from
  for (let call = 0; call < MOST_CALLS && cursor !== null && rows.length < most; call++) {
    const { items, nextCursor } = await client.value.results.list(
      run,
      { limit: 100, provenance: true, ...(cursor !== undefined && { cursor }) },
      { signal },
    )
    for (const row of items)
      if (row['_page'] === url || row['_page'] === finalUrl)
        rows.push(Object.fromEntries(Object.entries(row).filter(([name]) => !ORIGIN.test(name))))
    looked += items.length
    cursor = nextCursor
  }
  return { rows: rows.slice(0, most), sought: looked, cursor }
}
