import { useSignal } from '@preact/signals'
import type { PageReceipt } from '../../../client.ts'
import { useAction } from '../parts/ask.ts'
import type { FileRow } from '../parts/read-rows.ts'
import { Facts, figure, Wrong } from '../parts/show.tsx'
import { StoredValue } from '../parts/stored-table.tsx'
import { client } from '../session.ts'
import { words } from '../words.ts'

/** Rows of the run that are looked through, and those of the page that are shown. */
const MOST_SOUGHT = 5_000
const MOST_SHOWN = 20

interface FoundRows {
  readonly rows: readonly FileRow[]
  /** False: the run has more rows than were looked through. */
  readonly isWhole: boolean
}

/** The rows that came from a page, asked for by a button: they are looked for among all of its run. */
export function PageRows({
  run,
  page,
}: {
  /** Id of its run. */
  readonly run: string
  readonly page: PageReceipt
}) {
  const answer = useSignal<FoundRows | null>(null)
  const action = useAction()
  if (page.rows === 0) return null
  return (
    <section aria-labelledby="page-rows">
      <h3 id="page-rows">{words.run.itsRows}</h3>
      {answer.value === null && (
        <button
          type="button"
          class="quiet"
          disabled={action.isBusy}
          onClick={() => action.run(async () => void (answer.value = await rowsOf(run, page)))}
        >
          {words.run.showRows(page.rows)}
        </button>
      )}
      <Wrong problem={action.problem} />
      {answer.value !== null && (
        <div role="status">
          {answer.value.rows.map((row, index) => (
            <Facts
              key={index}
              facts={Object.entries(row).map(
                ([name, value]) => [name, <StoredValue key={name} value={value} />] as const,
              )}
            />
          ))}
          {answer.value.rows.length < page.rows && (
            <p>
              {answer.value.isWhole
                ? words.run.firstRows(figure(answer.value.rows.length))
                : words.run.rowsNotFound(figure(MOST_SOUGHT))}
            </p>
          )}
        </div>
      )}
    </section>
  )
}

/** Columns that say where a row comes from, which are asked for to find it. */
const ORIGIN = /^_(?:page|fetchedAt|digest|sources)$/

async function rowsOf(
  run: string,
  { url, finalUrl, rows: count }: PageReceipt,
): Promise<FoundRows> {
  const rows: FileRow[] = []
  let sought = 0
  const all = client.value.results.iterate(run, { limit: 100, provenance: true })
  for await (const row of all) {
    if (row['_page'] === url || row['_page'] === finalUrl)
      rows.push(Object.fromEntries(Object.entries(row).filter(([name]) => !ORIGIN.test(name))))
    if (rows.length === Math.min(count, MOST_SHOWN)) break
    sought += 1
    if (sought >= MOST_SOUGHT) return { rows, isWhole: false }
  }
  return { rows, isWhole: true }
}
