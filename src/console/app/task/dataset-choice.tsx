import type { Client, Task } from '../../../client.ts'
import { useAction, useAnswer } from '../parts/ask.ts'
import { Wrong } from '../parts/show.tsx'
import { can, client } from '../session.ts'
import { typedColumns, useTyped } from '../typed.ts'
import { words } from '../words.ts'

/** The choice of the dataset that keeps the rows of several runs: an existing one, or a new one. */
export function DatasetChoice({
  task,
  onSaved,
}: {
  readonly task: Task
  readonly onSaved: (task: Task) => void
}) {
  const action = useAction()
  const keys = useTyped('keys', '')
  const mayRead = can('datasets:read')
  const datasets = useAnswer(
    async () => (mayRead ? (await client.value.datasets.list({ limit: 100 })).items : []),
    [task.datasetId],
  )
  if (!mayRead) return null
  const items = datasets.value ?? []
  const mayWrite = can('tasks:write')
  const fields = fieldsOf(task)
  const use = async (api: Client, datasetId: string | null) =>
    onSaved(await api.tasks.update(task.id, { datasetId }))
  return (
    <section>
      {items.length > 0 && (
        <label class="short">
          <span>{words.datasets.use}</span>
          <select
            value={task.datasetId ?? ''}
            disabled={!mayWrite || action.isBusy}
            onChange={({ currentTarget: { value } }) =>
              action.run((api) => use(api, value === '' ? null : value))
            }
          >
            <option value="">{words.datasets.noDataset}</option>
            {items.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {task.datasetId === null && mayWrite && can('datasets:write') && (
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            action.run(async (api) => {
              const keyFields = typedColumns(keys.value)
              const name = task.name.slice(0, 200)
              await use(api, (await api.datasets.create({ name, keyFields })).id)
            })
          }}
        >
          <label>
            <span>{words.datasets.keys}</span>
            <input
              required
              list="dataset-columns"
              placeholder={fields[0] ?? 'url'}
              value={keys}
              onInput={({ currentTarget: { value } }) => (keys.value = value)}
            />
            <datalist id="dataset-columns">
              {fields.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </label>
          <button type="submit" class="quiet" disabled={action.isBusy}>
            {words.datasets.keep}
          </button>
        </form>
      )}
      <Wrong problem={action.problem ?? datasets.problem} />
    </section>
  )
}

/** Columns that the recipe names. */
function fieldsOf({ recipe: { extract } }: Task): readonly string[] {
  return typeof extract === 'object' && extract !== null && 'fields' in extract
    ? Object.keys(extract.fields ?? {})
    : []
}
