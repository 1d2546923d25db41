import { useSignal } from '@preact/signals'
import { SeineError } from '../../../client.ts'
import type { Client, Task, TaskFile, Execution } from '../../../client.ts'
import { useAction, useList, useAnswer } from '../parts/ask.ts'
import { listCall } from '../parts/copy-as.ts'
import { CopyAs } from '../parts/copies.tsx'
import { save } from '../parts/save.ts'
import { Listing } from '../parts/listing.tsx'
import { State, timeOf, To, Wrong } from '../parts/show.tsx'
import { go, screenAddress } from '../screen-address.ts'
import { can, client } from '../session.ts'
import { toggled, useTyped } from '../typed.ts'
import { usualOf } from '../task/schedule-times.ts'
import { words } from '../words.ts'
import { useRef } from 'preact/hooks'
import { LastRuns } from '../task/last-runs.ts'
import type { RunSource } from '../task/last-runs.ts'
import { SearchBox } from '../parts/search-box.tsx'

const STATES = ['active', 'paused', 'archived'] as const
type Status = (typeof STATES)[number]

/** Labels of a task. Each links to all tasks with this label. */
function Labels({ labels }: { readonly labels: readonly string[] }) {
  return (
    <>
      {labels.map((label) => (
        <span key={label}>
          <To screen="tasks" query={{ label }}>
            {label}
          </To>{' '}
        </span>
      ))}
    </>
  )
}

/** All tasks, with actions on several of them at once. */
export function Tasks() {
  const { query } = screenAddress.value
  const status = STATES.find((state) => state === query.get('status'))
  const q = query.get('q') ?? ''
  const label = query.get('label') ?? ''
  const chosen = useTyped<readonly string[]>('chosen', [])
  const notice = useSignal<string | null>(null)
  const action = useAction()
  const list = useList(
    (cursor) =>
      client.value.tasks.list({
        limit: 50,
        ...(status && { status }),
        ...(q !== '' && { q }),
        ...(label !== '' && { label }),
        ...(cursor !== undefined && { cursor }),
      }),
    [status, q, label],
  )
  // Tasks that the filter hides are not changed.
  const ticked = new Set(chosen.value)
  const selected = list.items.filter(({ id }) => ticked.has(id))
  const filter = (change: Readonly<Record<string, string>>) =>
    go(
      'tasks',
      Object.fromEntries(
        Object.entries({ status: status ?? '', q, label, ...change }).filter(
          ([, value]) => value !== '',
        ),
      ),
      true,
    )
  const each = (
    work: (api: Client, id: string) => Promise<unknown>,
    say?: (count: number) => string,
  ) =>
    action.run(async (api) => {
      notice.value = null
      // Failed tasks stay selected, and those done before are marked as done.
      let left = selected.map(({ id }) => id)
      try {
        for (const { id } of selected) {
          await work(api, id)
          left = left.filter((other) => other !== id)
        }
      } finally {
        const count = selected.length - left.length
        notice.value = count > 0 ? (say?.(count) ?? null) : null
        chosen.value = left
        list.again()
      }
    })
  const set = (next: Status) => () => each((api, id) => api.tasks.update(id, { status: next }))
  const mayWrite = can('tasks:write')
  const lastOf = useLatest(list.items)

  return (
    <>
      <h1>{words.tasks.title}</h1>
      <div class="filters">
        <SearchBox label={words.tasks.search} text={q} onSearch={(text) => filter({ q: text })} />
        <SearchBox
          label={words.tasks.label}
          text={label}
          maxLength={64}
          onSearch={(text) => filter({ label: text })}
        />
        <label>
          <span>{words.tasks.status}</span>
          <select
            value={status ?? ''}
            onChange={(event) => filter({ status: event.currentTarget.value })}
          >
            <option value="">{words.tasks.all}</option>
            {STATES.map((state) => (
              <option key={state} value={state}>
                {words.states[state]}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          class="quiet"
          onClick={() => action.run(async () => save(await client.value.tasks.export()))}
        >
          {words.tasks.export}
        </button>
        {mayWrite && (
          <label class="button quiet">
            {words.tasks.import}
            <input
              type="file"
              class="hidden"
              accept="application/json,.json"
              onChange={({ currentTarget }) => {
                const [file] = currentTarget.files ?? []
                if (!file) return
                // So that the same file can be chosen again.
                currentTarget.value = ''
                action.run(async (api) => {
                  const { items } = await api.tasks.import(jsonIn(await file.text()), {})
                  notice.value = words.tasks.imported(items.length)
                  list.again()
                })
              }}
            />
          </label>
        )}
      </div>
      {selected.length > 0 && (
        <div class="choices" role="group" aria-label={words.tasks.selected(selected.length)}>
          <span>{words.tasks.selected(selected.length)}</span>
          {can('executions:write') && (
            <button
              type="button"
              disabled={action.isBusy}
              onClick={() => each((api, id) => api.executions.start(id), words.tasks.started)}
            >
              {words.tasks.run}
            </button>
          )}
          <button type="button" class="quiet" disabled={action.isBusy} onClick={set('active')}>
            {words.tasks.activate}
          </button>
          <button type="button" class="quiet" disabled={action.isBusy} onClick={set('paused')}>
            {words.tasks.pause}
          </button>
          <button type="button" class="quiet" disabled={action.isBusy} onClick={set('archived')}>
            {words.tasks.archive}
          </button>
        </div>
      )}
      <div role="status">{notice}</div>
      <Wrong problem={action.problem} />
      <Listing
        caption={words.tasks.title}
        list={list}
        empty={
          <>
            <p>{status || q || label ? words.tasks.noMatch : words.tasks.none}</p>
            <To screen="" class="button">
              {words.tasks.first}
            </To>
          </>
        }
        columns={[
          ...(mayWrite
            ? [
                {
                  name: words.actions,
                  isPlain: true,
                  cell: (task: Task) => (
                    <input
                      type="checkbox"
                      aria-label={words.tasks.select(task.name)}
                      checked={ticked.has(task.id)}
                      onChange={() => (chosen.value = toggled(chosen.value, task.id))}
                    />
                  ),
                },
              ]
            : []),
          {
            name: words.tasks.name,
            cell: ({ id, name }) => (
              <To screen="task" query={{ id }}>
                {name}
              </To>
            ),
          },
          { name: words.tasks.status, cell: (task) => <State state={task.status} /> },
          {
            name: words.tasks.schedule,
            cell: ({ schedule }) => {
              if (schedule === null) return ''
              const usual = usualOf(schedule.cron)
              return `${usual ? words.schedule[usual] : schedule.cron} (${schedule.timeZone})`
            },
          },
          {
            name: words.tasks.last,
            cell: (task) => {
              if (!can('executions:read')) return words.tasks.hidden
              const last = lastOf(task)
              return last === null ? (
                words.task.noRuns
              ) : last === undefined ? (
                ''
              ) : (
                <To screen="run" query={{ id: last.id }}>
                  {timeOf(last.startedAt ?? last.createdAt)} <State state={last.status} />
                </To>
              )
            },
          },
          {
            name: words.tasks.next,
            cell: ({ nextRunAt }) => (nextRunAt === null ? '' : timeOf(nextRunAt)),
          },
          {
            name: words.tasks.drift,
            cell: (task) => {
              const fields = lastOf(task)?.drift.map(({ field }) => field) ?? []
              return fields.length > 0 && <span class="bad">{fields.join(', ')}</span>
            },
          },
          { name: words.tasks.labels, cell: ({ labels }) => <Labels labels={labels} /> },
          { name: words.tasks.changed, cell: ({ updatedAt }) => timeOf(updatedAt) },
        ]}
      />
      <CopyAs
        call={listCall({
          path: 'tasks',
          operation: 'tasks.list',
          query: { limit: 50, ...(status && { status }), ...(q && { q }), ...(label && { label }) },
          command: 'tasks list',
        })}
      />
    </>
  )
}

/** The server reports the other problems of a file. */
function jsonIn(text: string): TaskFile {
  try {
    return JSON.parse(text)
  } catch {
    throw new SeineError('BAD_REQUEST', words.errors.json, { status: 400 })
  }
}

/** Number of runs in one request. It includes the last run of most tasks on a screen. */
const LATEST = 100

/** Reads the last runs of the tasks of a list. */
function useLatest(tasks: readonly Task[]): (task: Task) => Execution | null | undefined {
  const runs = useRef(new LastRuns())
  // Its answer renders the list again.
  useAnswer(
    async (left) => {
      if (tasks.length > 0) await runs.current.read(tasks, sourceUntil(left))
      return { tasks }
    },
    [tasks],
  )
  return (task) => runs.current.of(task)
}

function sourceUntil(signal: AbortSignal): RunSource {
  const { executions } = client.value
  return {
    async latest() {
      if (!can('executions:read')) return null
      const { items, nextCursor } = await executions.list({ limit: LATEST }, { signal })
      return { runs: items, isAll: nextCursor === null }
    },
    async lastOf(task) {
      const { items } = await executions.listOfTask(task, { limit: 1 }, { signal })
      return items[0] ?? null
    },
  }
}
