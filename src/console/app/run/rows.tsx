import { useSignal } from '@preact/signals'
import type { Execution } from '../../../client.ts'
import { useAction, useList } from '../parts/ask.ts'
import { chosenColumns } from '../parts/chosen-columns.ts'
import { CopyAs } from '../parts/copies.tsx'
import { listCall } from '../parts/copy-as.ts'
import { save } from '../parts/save.ts'
import { sizeOf, Wrong } from '../parts/show.tsx'
import { orderNote, StoredTable } from '../parts/stored-table.tsx'
import { screenAddress } from '../screen-address.ts'
import { client } from '../session.ts'
import { words } from '../words.ts'

const FORMATS = ['csv', 'xlsx', 'jsonl', 'json', 'parquet', 'xml', 'html'] as const

/**
 * Changes when what a run has brought is to be read again: when it is many more, and when the run
 * stops, so that nothing is missing in the end.
 */
export function versionOf({ id, status }: Execution, count: number): string {
  return `${id} ${status} ${Math.floor(Math.log2(count + 1))}`
}

/** The rows, of which very many may be there, and the ways to take them away. */
export function RowsOf({ run }: { readonly run: Execution }) {
  const { id, counters, taskId } = run
  const format = useSignal<(typeof FORMATS)[number]>('csv')
  const saved = useSignal<string | null>(null)
  const action = useAction()
  const columns = useSignal<readonly string[]>([])
  const text = screenAddress.value.query.get('columns')
  const chosen = chosenColumns(columns.value, text)
  const fields = chosen.length < columns.value.length ? chosen : undefined
  const version = versionOf(run, counters.rows)
  const list = useList(
    async (cursor) => {
      const answer = await client.value.results.list(id, {
        limit: 100,
        ...(cursor !== undefined && { cursor }),
      })
      columns.value = answer.columns
      return answer
    },
    [id],
    version,
  )
  if (counters.rows === 0) return <p>{words.run.noRows}</p>
  return (
    <>
      <div class="filters">
        <label>
          <span>{words.run.format}</span>
          <select
            value={format}
            onChange={({ currentTarget: { value } }) =>
              (format.value = FORMATS.find((name) => name === value) ?? 'csv')
            }
          >
            {FORMATS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <button
          type="button"
          disabled={action.isBusy || (text !== null && columns.value.length === 0)}
          onClick={() =>
            action.run(async () =>
              save(
                await client.value.results.export(id, {
                  format: format.value,
                  ...(fields && { fields }),
                }),
                (bytes) => (saved.value = words.run.exported(sizeOf(bytes))),
              ),
            )
          }
        >
          {words.run.export}
        </button>
        {action.isBusy && <progress aria-label={words.run.export} />}
        <span role="status">{saved}</span>
      </div>
      <Wrong problem={action.problem ?? list.problem} />
      <StoredTable
        label={words.run.rows}
        columns={columns.value}
        total={counters.rows}
        list={list}
        rowOf={(index) => list.items[index]}
        file={(signal) => client.value.results.export(id, { format: 'jsonl' }, { signal })}
        version={version}
        isGrowing={run.finishedAt === null}
      />
      <CopyAs
        call={{
          ...listCall({
            path: `executions/${encodeURIComponent(id)}/results`,
            operation: 'results.list',
            ids: [id],
            query: { limit: 100, fields },
            command: 'rows',
          }),
          // The tool has no columns to choose, and does not read runs of tasks.
          ...(fields === undefined &&
            taskId === null && { tool: { name: 'get_run', arguments: { runId: id } } }),
          note: orderNote(screenAddress.value.query),
        }}
      />
    </>
  )
}
