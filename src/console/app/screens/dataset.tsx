import { useEffect } from 'preact/hooks'
import type { Dataset } from '../../../client.ts'
import { useAction, useAnswer, useList } from '../parts/ask.ts'
import { ChangesOf } from '../dataset/changes.tsx'
import { chosenColumns } from '../parts/chosen-columns.ts'
import { CopyAs } from '../parts/copies.tsx'
import { listCall } from '../parts/copy-as.ts'
import type { CopiedCall } from '../parts/copy-as.ts'
import { Drawer } from '../parts/drawer.tsx'
import { ExportForm } from '../parts/export-form.tsx'
import { Facts, figure, State, Tabs, timeOf, To, Unread, Wrong } from '../parts/show.tsx'
import { SoughtNote, useSought } from '../parts/sought.tsx'
import { orderNote, StoredTable } from '../parts/stored-table.tsx'
import { textOf } from '../parts/values.ts'
import { changeQuery, go, screenAddress } from '../screen-address.ts'
import { can, client } from '../session.ts'
import { words } from '../words.ts'

const TABS = [
  ['items', words.dataset.tabs.items],
  ['changes', words.dataset.tabs.changes],
] as const
const STATES = ['present', 'gone', 'all'] as const
type ItemState = (typeof STATES)[number]

/** The items that the address selects. */
function stateIn(query: URLSearchParams): ItemState {
  return STATES.find((state) => state === query.get('state')) ?? 'present'
}

/** One dataset: its items, and its changes. */
export function DatasetScreen() {
  const { query } = screenAddress.value
  const id = query.get('id') ?? ''
  const state = stateIn(query)
  const [tab] = TABS.find(([name]) => name === query.get('tab')) ?? TABS[0]
  const dataset = useAnswer(() => client.value.datasets.get(id), [id])
  const action = useAction()
  const now = dataset.value
  // A run may have been merged while the reader was on another screen.
  useEffect(() => {
    const refresh = () => {
      if (!document.hidden) dataset.again()
    }
    document.addEventListener('visibilitychange', refresh)
    return () => document.removeEventListener('visibilitychange', refresh)
  }, [])
  if (now === null) return <Unread title={words.nav.datasets} problem={dataset.problem} />
  const chosen = chosenColumns(now.columns, query.get('columns'))
  const { present, gone } = now.counters
  return (
    <>
      <div class="head">
        <h1>{now.name}</h1>
        {now.lastMerge && (
          <To screen="run" query={{ id: now.lastMerge.executionId }}>
            {words.datasets.last}
          </To>
        )}
      </div>
      <div class="tiles">
        <div>
          <span>{words.datasets.items}</span>
          <strong>{figure(present)}</strong>
        </div>
        <div>
          <span>{words.datasets.gone}</span>
          <strong>{figure(gone)}</strong>
        </div>
        <div>
          <span>{words.datasets.changes}</span>
          <strong>{figure(now.counters.changes)}</strong>
        </div>
        <div>
          <span>{words.datasets.keyColumn}</span>
          <strong>{now.keyFields.join(', ')}</strong>
        </div>
      </div>
      <ExportForm
        total={(state === 'gone' ? 0 : present) + (state === 'present' ? 0 : gone)}
        isOff={false}
        file={(format) =>
          client.value.datasets.export(id, {
            format,
            state,
            ...(chosen.length < now.columns.length && { fields: chosen }),
          })
        }
      />
      <div class="choices">
        {can('datasets:write') && (
          <button
            type="button"
            class="quiet"
            disabled={action.isBusy}
            onClick={() => {
              if (!confirm(words.dataset.sure)) return
              action.run(async (api) => {
                await api.datasets.delete(id)
                go('datasets')
              })
            }}
          >
            {words.dataset.delete}
          </button>
        )}
      </div>
      <Wrong problem={action.problem ?? dataset.problem} />
      <Tabs
        tabs={TABS}
        current={tab}
        label={now.name}
        onTab={(next) => changeQuery({ tab: next, row: '', item: '' })}
      />
      {tab === 'items' ? <ItemsOf dataset={now} /> : <ChangesOf dataset={now} />}
      <CopyAs call={tab === 'items' ? callOfItems(now, state, query) : callOfChanges(id)} />
    </>
  )
}

/** The call that returns the items as shown. */
function callOfItems(
  { id, columns }: Dataset,
  state: ItemState,
  query: URLSearchParams,
): CopiedCall {
  const chosen = chosenColumns(columns, query.get('columns'))
  return {
    ...listCall({
      path: `datasets/${encodeURIComponent(id)}/items`,
      operation: 'datasets.items',
      ids: [id],
      query: {
        limit: 100,
        ...(state !== 'present' && { state }),
        ...(chosen.length < columns.length && { fields: chosen }),
      },
      command: 'datasets items',
    }),
    note: orderNote(query),
  }
}

function callOfChanges(id: string): CopiedCall {
  return listCall({
    path: `datasets/${encodeURIComponent(id)}/changes`,
    operation: 'datasets.changes',
    ids: [id],
    query: { sort: '-at', limit: 100 },
    command: 'datasets changes',
  })
}

function ItemsOf({ dataset }: { readonly dataset: Dataset }) {
  const state = stateIn(screenAddress.value.query)
  return (
    <>
      <div class="filters">
        <label>
          <span>{words.dataset.state}</span>
          <select
            value={state}
            onChange={({ currentTarget: { value } }) =>
              // It is another list, which may not contain the row and the item.
              changeQuery({ state: value, row: '', item: '' })
            }
          >
            {STATES.map((choice) => (
              <option key={choice} value={choice}>
                {words.dataset[choice]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {/* The items of another state are another table, which shows no row of this one. */}
      <ItemTable key={state} dataset={dataset} state={state} />
    </>
  )
}

/** The items of one state. One of them may be open. */
function ItemTable({ dataset, state }: { readonly dataset: Dataset; readonly state: ItemState }) {
  const { query } = screenAddress.value
  const { id, columns, counters, lastMerge } = dataset
  const version = `${id} ${state} ${lastMerge?.at ?? ''} ${counters.items} ${counters.changes}`
  const list = useList(
    (cursor) =>
      client.value.datasets.items(id, {
        limit: 100,
        state,
        ...(cursor !== undefined && { cursor }),
      }),
    [id, state],
    version,
  )
  const soughtId = query.get('item')
  const sought = useSought(
    list,
    soughtId,
    list.items.find((item) => item.id === soughtId),
  )
  const open = sought.item
  const show = (item: string | null) => changeQuery({ item: item ?? '' }, item === null)
  const total = { present: counters.present, gone: counters.gone, all: counters.items }[state]
  return (
    <>
      <Wrong problem={list.problem} />
      <SoughtNote sought={sought} />
      {list.hasMore === false && list.items.length === 0 ? (
        <p>{words.dataset.noItems}</p>
      ) : (
        <StoredTable
          label={words.dataset.tabs.items}
          columns={columns}
          total={total}
          list={list}
          rowOf={(index) => list.items[index]?.values}
          file={(signal) =>
            client.value.datasets.export(id, { format: 'jsonl', state }, { signal })
          }
          version={version}
          onOpen={(index) => show(list.items[index]?.id ?? null)}
        />
      )}
      {open && (
        <Drawer key={open.id} title={words.dataset.item} onClose={() => show(null)}>
          <Facts
            facts={[
              [words.dataset.state, <State key="state" state={open.state} />],
              [words.dataset.first, timeOf(open.firstSeenAt)],
              [words.dataset.seen, timeOf(open.lastSeenAt)],
              [words.dataset.changed, timeOf(open.changedAt)],
              ...columns.map((name) => [name, textOf(open.values[name])] as const),
            ]}
          />
          <h3>{words.dataset.history}</h3>
          <ChangesOf dataset={dataset} item={open} />
        </Drawer>
      )}
    </>
  )
}
