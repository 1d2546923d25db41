import { useAction, useList } from '../parts/ask.ts'
import { CopyAs } from '../parts/copies.tsx'
import { listCall } from '../parts/copy-as.ts'
import { Listing } from '../parts/listing.tsx'
import { figure, timeOf, To, Wrong } from '../parts/show.tsx'
import { go } from '../screen-address.ts'
import { can, client } from '../session.ts'
import { typedColumns, useTyped } from '../typed.ts'
import { words } from '../words.ts'

/** All datasets, and a form for a new one. */
export function Datasets() {
  const list = useList(
    (cursor) => client.value.datasets.list({ limit: 50, ...(cursor !== undefined && { cursor }) }),
    [],
  )
  const name = useTyped('name', '')
  const keys = useTyped('keys', '')
  const action = useAction()
  return (
    <>
      <h1>{words.datasets.title}</h1>
      <p>{words.datasets.about}</p>
      <Listing
        caption={words.datasets.title}
        list={list}
        empty={<p>{words.datasets.none}</p>}
        columns={[
          {
            name: words.datasets.name,
            cell: ({ id, name: text }) => (
              <To screen="dataset" query={{ id }}>
                {text}
              </To>
            ),
          },
          { name: words.datasets.keyColumn, cell: ({ keyFields }) => keyFields.join(', ') },
          {
            name: words.datasets.items,
            isNumber: true,
            cell: ({ counters }) => figure(counters.present),
          },
          {
            name: words.datasets.gone,
            isNumber: true,
            cell: ({ counters }) => figure(counters.gone),
          },
          {
            name: words.datasets.changes,
            isNumber: true,
            cell: ({ counters }) => figure(counters.changes),
          },
          { name: words.datasets.last, cell: ({ lastMerge }) => timeOf(lastMerge?.at ?? null) },
        ]}
      />
      {can('datasets:write') && (
        <section aria-labelledby="create">
          <h2 id="create">{words.datasets.create}</h2>
          <form
            class="filters"
            onSubmit={(event) => {
              event.preventDefault()
              action.run(async (api) => {
                const keyFields = typedColumns(keys.value)
                const { id } = await api.datasets.create({ name: name.value, keyFields })
                name.value = keys.value = ''
                go('dataset', { id })
              })
            }}
          >
            <label>
              <span>{words.datasets.name}</span>
              <input
                required
                maxLength={200}
                value={name}
                onInput={(event) => (name.value = event.currentTarget.value)}
              />
            </label>
            <label>
              <span>{words.datasets.keys}</span>
              <input
                required
                placeholder="url"
                value={keys}
                onInput={(event) => (keys.value = event.currentTarget.value)}
              />
            </label>
            <button type="submit" disabled={action.isBusy}>
              {words.datasets.create}
            </button>
          </form>
          <p>{words.datasets.fill}</p>
          <Wrong problem={action.problem} />
        </section>
      )}
      <CopyAs
        call={listCall({
          path: 'datasets',
          operation: 'datasets.list',
          query: { limit: 50 },
          command: 'datasets list',
        })}
      />
    </>
  )
}
