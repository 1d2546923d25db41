import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Changes, Dataset, Items } from '../../../client.ts'
import { useList } from '../parts/ask.ts'
import { Bars } from '../charts/bars.tsx'
import { ReadOn } from '../parts/listing.tsx'
import { figure, State, timeOf, To, Wrong } from '../parts/show.tsx'
import { textOf } from '../parts/values.ts'
import { apiAddress, client } from '../session.ts'
import { words } from '../words.ts'
import { changesByDay, KINDS } from './by-day.ts'

type Change = Changes['items'][number]

/** Number of changes that are read at first, with two requests. */
const MOST_READ = 200
/** Number of changes that are read when the reader asks for more. */
const MOST_MORE = 1_000
/** Changes that are shown at first. */
const FIRST = 50

/**
 * Changes, newest first, with the values before and after. `item`: only those of one item. The API
 * has no list of these, so they are searched among all changes, back to the time when the item was
 * first seen.
 */
export function ChangesOf({
  dataset: { id, lastMerge },
  item,
}: {
  readonly dataset: Dataset
  readonly item?: Items['items'][number]
}) {
  const list = useList(
    async (cursor) => {
      const { items, hasMore, nextCursor } = await client.value.datasets.changes(id, {
        limit: 100,
        sort: '-at',
        ...(cursor !== undefined && { cursor }),
      })
      return { items, nextCursor: hasMore ? nextCursor : null }
    },
    [id],
    lastMerge?.at ?? null,
  )
  const most = useSignal(MOST_READ)
  const visible = useSignal(FIRST)
  const { items, hasMore, isBusy, problem } = list
  const oldest = items.at(-1)
  const isBefore = item !== undefined && oldest !== undefined && oldest.at < item.firstSeenAt
  const isEnd = hasMore === false || isBefore
  const readsOn = !isEnd && hasMore === true && problem === null && items.length < most.value
  useEffect(() => {
    if (readsOn) list.more()
  }, [readsOn, items.length])
  const own = item === undefined ? items : items.filter(({ itemId }) => itemId === item.id)
  const days = item === undefined ? changesByDay(items, hasMore === true) : []
  return (
    <>
      <Wrong problem={problem} />
      {item === undefined && <Feed id={id} />}
      {own.length === 0 && isEnd && <p>{words.dataset.noChanges}</p>}
      {days.length > 0 && (
        <Bars
          caption={words.dataset.byDay}
          first={words.usage.day}
          series={KINDS.map(([kind, look]) => ({ name: words.states[kind] ?? kind, look }))}
          bars={days}
        />
      )}
      {item === undefined && hasMore === true && !readsOn && (
        <p>{words.dataset.latest(figure(items.length))}</p>
      )}
      <ol class="changes">
        {own.slice(0, visible.value).map((change) => (
          <ChangeOf key={change.sequence} change={change} />
        ))}
      </ol>
      {own.length > visible.value && (
        <button type="button" class="quiet" onClick={() => (visible.value += FIRST)}>
          {words.more}
        </button>
      )}
      {own.length <= visible.value && !isEnd && hasMore === true && (
        <ReadOn
          isBusy={isBusy}
          onMore={() => {
            most.value = items.length + MOST_MORE
            visible.value += FIRST
            // A failed request is repeated here, because nothing else repeats it.
            list.more()
          }}
        >
          {words.searchOn}
        </ReadOn>
      )}
    </>
  )
}

/** The address at which programs read the changes. */
function Feed({ id }: { readonly id: string }) {
  const address = `${apiAddress()}/api/v1/datasets/${encodeURIComponent(id)}/changes`
  return (
    <p>
      {words.dataset.feed} <code>{address}</code>{' '}
      <button
        type="button"
        class="quiet"
        onClick={() => void navigator.clipboard.writeText(address)}
      >
        {words.copy}
      </button>
    </p>
  )
}

function ChangeOf({ change: { kind, key, fields, at, executionId } }: { readonly change: Change }) {
  return (
    <li>
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
  )
}
