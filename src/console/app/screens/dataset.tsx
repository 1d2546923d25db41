import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Changes, Dataset } from '../../../client.ts'
import { useAction, useAnswer, useList } from '../parts/ask.ts'
import { chosenColumns } from '../parts/chosen-columns.ts'
import { CopyAs } from '../parts/copies.tsx'
import { Drawer } from '../parts/drawer.tsx'
import { save } from '../parts/save.ts'
import { Facts, figure, State, Tabs, timeOf, To, Wrong } from '../parts/show.tsx'
import { SoughtNote, useSought } from '../parts/sought.tsx'
import { StoredTable } from '../parts/stored-table.tsx'
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

/** The items that the address chooses. */
function stateIn(query: URLSearchParams): ItemState {
  return STATES.find((one) => one === query.get('state')) ?? 'present'
}

/** One dataset: what is there, and what has changed. */
export function DatasetScreen() {
  const { query } = screenAddress.value
  const id = query.get('id') ?? ''
  const state = stateIn(query)
  const [tab] = TABS.find(([name]) => name === query.get('tab')) ?? TABS[0]
  const dataset = useAnswer(() => client.value.datasets.get(id), [id])
  const action = useAction()
  const now = dataset.value
  // A run may have been merged while the reader was elsewhere.
  useEffect(() => {
    const refresh = () => {
      if (!document.hidden) dataset.again()
    }
    document.addEventListener('visibilitychange', refresh)
    return () => document.removeEventListener('visibilitychange', refresh)
  }, [])
  if (now === null)
    return dataset.problem === null ? (
      <p role="status">{words.loading}</p>
    ) : (
      <Wrong problem={dataset.problem} />
    )
  const chosen = chosenColumns(now.columns, query.get('columns'))
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
          <strong>{figure(now.counters.present)}</strong>
        </div>
        <div>
          <span>{words.datasets.gone}</span>
          <strong>{figure(now.counters.gone)}</strong>
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
      <div class="choices">
        <button
          type="button"
          disabled={action.isBusy}
          onClick={() =>
            action.run(async () =>
              save(
                await client.value.datasets.export(id, {
                  format: 'csv',
                  state,
                  ...(chosen.length < now.columns.length && { fields: chosen }),
                }),
              ),
            )
          }
        >
          {words.run.export}
        </button>
        {can('datasets:write') && (
          <button
            type="button"
            class="quiet"
            disabled={action.isBusy}
            onClick={() => {
              if (!confirm(words.dataset.sure)) return
              action.run(async () => {
                await client.value.datasets.delete(id)
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
      {tab === 'items' ? <ItemsOf dataset={now} /> : <ChangesOf id={id} />}
      <CopyAs
        call={
          tab === 'items'
            ? {
                method: 'GET',
                path: `/api/v1/datasets/${id}/items?limit=100`,
                operation: 'datasets.items',
                args: [id, { limit: 100 }],
                command: `datasets items ${id} --limit 100`,
              }
            : {
                method: 'GET',
                path: `/api/v1/datasets/${id}/changes?sort=-at&limit=100`,
                operation: 'datasets.changes',
                args: [id, { sort: '-at', limit: 100 }],
                command: `datasets changes ${id} --sort=-at --limit 100`,
              }
        }
      />
    </>
  )
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
              // It is another list, in which the row and the item may not be.
              changeQuery({ state: value, row: '', item: '' })
            }
          >
            {STATES.map((one) => (
              <option key={one} value={one}>
                {words.dataset[one]}
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

/** The items of one state, of which one may be open. */
function ItemTable({
  dataset: { id, columns, counters, lastMerge },
  state,
}: {
  readonly dataset: Dataset
  readonly state: ItemState
}) {
  const { query } = screenAddress.value
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
          <ChangesOf id={id} itemId={open.id} />
        </Drawer>
      )}
    </>
  )
}

/** Changes, newest first, with what was there before and after; of one item, where it is named. */
function ChangesOf({ id, itemId }: { readonly id: string; readonly itemId?: string }) {
  const items = useSignal<Changes['items']>([])
  const cursor = useSignal<string | null>(null)
  const isEnd = useSignal(false)
  const action = useAction()
  const more = () =>
    action.run(async () => {
      const answer = await client.value.datasets.changes(id, {
        limit: 100,
        sort: '-at',
        ...(cursor.value !== null && { cursor: cursor.value }),
      })
      items.value = [...items.value, ...answer.items]
      cursor.value = answer.nextCursor
      isEnd.value = !answer.hasMore
    })
  useAnswer(async () => more(), [id])
  const shown = items.value.filter((change) => itemId === undefined || change.itemId === itemId)
  return (
    <>
      <Wrong problem={action.problem} />
      {shown.length === 0 && isEnd.value && <p>{words.dataset.noChanges}</p>}
      <ol class="changes">
        {shown.map(({ sequence, kind, key, fields, at, executionId }) => (
          <li key={sequence}>
            <State state={kind} /> <strong>{Object.values(key).map(textOf).join(', ')}</strong>{' '}
            <To screen="run" query={{ id: executionId }}>
              {timeOf(at)}
            </To>
            {kind !== 'gone' && (
              <dl>
                {Object.entries(fields).map(([field, { before, after }]) => (
                  <div key={field}>
                    <dt>{field}</dt>
                    <dd>
                      {kind === 'changed' && <del>{textOf(before) || '–'}</del>}{' '}
                      <ins>{textOf(after) || '–'}</ins>
                    </dd>
                  </div>
                ))}
              </dl>
            )}
          </li>
        ))}
      </ol>
      {!isEnd.value && (
        <button type="button" class="quiet" disabled={action.isBusy} onClick={more}>
          {words.more}
        </button>
      )}
    </>
  )
}
