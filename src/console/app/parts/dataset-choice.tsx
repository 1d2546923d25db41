import type { Task } from '../../../client.ts'
import { useAction, useAnswer } from './ask.ts'
import { Wrong } from './show.tsx'
import { can, client } from '../session.ts'
import { words } from '../words.ts'

/** Where its rows are kept over several runs. */
export function DatasetChoice({
  task,
  onSaved,
}: {
  readonly task: Task
  readonly onSaved: (task: Task) => void
}) {
  const action = useAction()
  const datasets = useAnswer(() => client.value.datasets.list({ limit: 100 }), [])
  if (!can('datasets:read') || (datasets.value?.items.length ?? 0) === 0) return null
  return (
    <section>
      <label class="short">
        <span>{words.datasets.use}</span>
        <select
          value={task.datasetId ?? ''}
          disabled={!can('tasks:write') || action.isBusy}
          onChange={({ currentTarget: { value } }) =>
            action.run(async () => {
              const datasetId = value === '' ? null : value
              onSaved(await client.value.tasks.update(task.id, { datasetId }))
            })
          }
        >
          <option value="">{words.datasets.noDataset}</option>
          {datasets.value?.items.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Wrong problem={action.problem} />
    </section>
  )
}
