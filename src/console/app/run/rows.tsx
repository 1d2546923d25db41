import { useSignal } from '@preact/signals'
import type { Execution } from '../../../client.ts'
import { useList } from '../parts/ask.ts'
import { chosenColumns } from '../parts/chosen-columns.ts'
import { CopyAs } from '../parts/copies.tsx'
import { listCall } from '../parts/copy-as.ts'
import { ExportForm } from '../parts/export-form.tsx'
import { Wrong } from '../parts/show.tsx'
import { orderNote, StoredTable } from '../parts/stored-table.tsx'
import { screenAddress } from '../screen-address.ts'
import { client } from '../session.ts'
import { words } from '../words.ts'

/**
 * A value that changes when the rows of a run must be read again: when there are many more, and
 * when the run stops, so that no row is missing at the end.
 */
export function versionOf({ id, status }: Execution, count: number): string {
  return `${id} ${status} ${Math.floor(Math.log2(count + 1))}`
}

/** The rows, of which there may be very many, and the ways to download or copy them. */
export function RowsOf({ run }: { readonly run: Execution }) {
  const { id, counters, taskId } = run
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
  if (counters.rows === 0)
    return <p>{run.finishedAt === null ? words.run.noRowsYet : words.run.noRows}</p>
  return (
    <>
      <ExportForm
        total={counters.rows}
        isOff={text !== null && columns.value.length === 0}
        file={(format) => client.value.results.export(id, { format, ...(fields && { fields }) })}
      />
      <Wrong problem={list.problem} />
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
          // The tool has no parameter for columns, and does not read runs of tasks.
          ...(fields === undefined &&
            taskId === null && { tool: { name: 'get_run', arguments: { runId: id } } }),
          note: orderNote(screenAddress.value.query),
        }}
      />
    </>
  )
}
