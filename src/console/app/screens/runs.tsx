import { useList } from '../parts/ask.ts'
import { CopyAs } from '../parts/copies.tsx'
import { listCall } from '../parts/copy-as.ts'
import { RunList, useTaskNames } from '../parts/run-list.tsx'
import { go, screenAddress } from '../screen-address.ts'
import { client } from '../session.ts'
import { words } from '../words.ts'

const STATES = [
  'queued',
  'running',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
] as const

/** All runs, the newest first. */
export function Runs() {
  const status = STATES.find((state) => state === screenAddress.value.query.get('status'))
  const list = useList(
    (cursor) =>
      client.value.executions.list({
        limit: 50,
        ...(status && { status }),
        ...(cursor !== undefined && { cursor }),
      }),
    [status],
  )
  const names = useTaskNames()
  return (
    <>
      <h1>{words.runs.title}</h1>
      <div class="filters">
        <label>
          <span>{words.runs.status}</span>
          <select
            value={status ?? ''}
            onChange={({ currentTarget: { value } }) =>
              go('runs', value === '' ? {} : { status: value }, true)
            }
          >
            <option value="">{words.tasks.all}</option>
            {STATES.map((state) => (
              <option key={state} value={state}>
                {words.states[state]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <RunList list={list} names={names} empty={status ? words.runs.noMatch : words.runs.none} />
      <CopyAs
        call={listCall({
          path: 'executions',
          operation: 'executions.list',
          query: { limit: 50, ...(status && { status }) },
          command: 'runs list',
        })}
      />
    </>
  )
}
