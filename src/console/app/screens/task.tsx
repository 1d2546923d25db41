import { useSignal } from '@preact/signals'
import type { Execution } from '../../../client.ts'
import { dropOutdated } from '../builder/draft.ts'
import { CopyAs } from '../parts/copies.tsx'
import { useAction, useAnswer, useList } from '../parts/ask.ts'
import { DatasetChoice } from '../task/dataset-choice.tsx'
import { NotifyForm } from '../task/notify-form.tsx'
import { RunList } from '../parts/run-list.tsx'
import { ScheduleForm } from '../task/schedule-form.tsx'
import { State, Unread, Wrong } from '../parts/show.tsx'
import { go, screenAddress } from '../screen-address.ts'
import { can, client } from '../session.ts'
import { words } from '../words.ts'

/** One task: its runs, its schedule, the fill rates of its columns, and its recipe. */
export function TaskScreen() {
  const id = screenAddress.value.query.get('id') ?? ''
  const task = useAnswer(() => client.value.tasks.get(id), [id])
  const runs = useList(
    (cursor) =>
      client.value.executions.listOfTask(id, {
        limit: 20,
        ...(cursor !== undefined && { cursor }),
      }),
    [id],
  )
  const action = useAction()
  const isRepaired = useSignal(false)
  const now = task.value
  if (now === null) return <Unread title={words.nav.tasks} problem={task.problem} />

  const [url] = now.recipe.start.urls ?? []
  return (
    <>
      <div class="head">
        <h1>
          {now.name} <State state={now.status} />
        </h1>
      </div>
      {now.description !== '' && <p>{now.description}</p>}
      <div class="choices">
        {can('executions:write') && (
          <button
            type="button"
            disabled={action.isBusy}
            onClick={() =>
              action.run(async (api) => {
                const { id: run } = await api.executions.start(id)
                go('run', { id: run })
              })
            }
          >
            {words.task.run}
          </button>
        )}
        {url !== undefined && can('tasks:write') && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              dropOutdated(now)
              go('build', { url, task: id })
            }}
          >
            {words.task.edit}
          </button>
        )}
        {can('tasks:write') && (
          <>
            <button
              type="button"
              class="quiet"
              disabled={action.isBusy}
              onClick={() =>
                action.run(async (api) => {
                  const status = now.status === 'active' ? 'paused' : 'active'
                  task.set(await api.tasks.update(id, { status }))
                })
              }
            >
              {now.status === 'active' ? words.tasks.pause : words.tasks.activate}
            </button>
            <button
              type="button"
              class="quiet"
              disabled={action.isBusy}
              onClick={() => {
                if (!confirm(words.task.sure)) return
                action.run(async (api) => {
                  await api.tasks.delete(id)
                  go('tasks')
                })
              }}
            >
              {words.task.delete}
            </button>
          </>
        )}
      </div>
      <Wrong problem={action.problem ?? task.problem} />
      <Drift
        runs={runs.items}
        isRepaired={isRepaired.value}
        onRepair={(execution) =>
          action.run(async (api) => {
            task.set(await api.tasks.repair(id, { executionId: execution.id }))
            isRepaired.value = true
          })
        }
      />
      <section aria-labelledby="runs">
        <h2 id="runs">{words.task.runs}</h2>
        <RunList list={runs} empty={words.task.noRuns} />
      </section>
      <ScheduleForm task={now} onSaved={task.set} />
      <DatasetChoice task={now} onSaved={task.set} />
      <NotifyForm task={now} />
      <FillRates runs={runs.items} />
      <section aria-labelledby="recipe">
        <h2 id="recipe">{words.task.recipe}</h2>
        <pre tabIndex={0} role="group" aria-label={words.task.recipe}>
          {JSON.stringify(now.recipe, null, 2)}
        </pre>
        <CopyAs recipe={now.recipe} />
      </section>
    </>
  )
}

/** Columns that have become empty, with the new place of their values. */
function Drift({
  runs,
  isRepaired,
  onRepair,
}: {
  readonly runs: readonly Execution[]
  readonly isRepaired: boolean
  readonly onRepair: (execution: Execution) => void
}) {
  const last = runs.find(({ finishedAt }) => finishedAt !== null)
  if (!last || last.drift.length === 0) return null
  const fields = last.relocation?.fields.filter(({ reason }) => reason === null) ?? []
  return (
    <section class="notice" aria-label={words.states['changed']}>
      {last.drift.map(({ field, usual, now }) => (
        <p key={field}>{words.task.drift(field, share(usual), share(now))}</p>
      ))}
      {fields.length > 0 && (
        <>
          <p>{words.task.repairOf}</p>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.dataset.field}</th>
                <th scope="col">{words.task.before}</th>
                <th scope="col">{words.task.after}</th>
                <th scope="col">{words.task.result}</th>
              </tr>
            </thead>
            <tbody>
              {fields.map(({ field, source, proposal, hits, pages }) => (
                <tr key={field}>
                  <td>{field}</td>
                  <td>
                    <del>{textOf(source)}</del>
                  </td>
                  <td>
                    <ins>{textOf(proposal)}</ins>
                  </td>
                  <td>{words.task.tried(hits, pages)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {isRepaired || last.relocation?.status === 'repaired' ? (
            <p role="status">{words.task.repaired}</p>
          ) : (
            can('tasks:write') && (
              <button type="button" onClick={() => onRepair(last)}>
                {words.task.repair}
              </button>
            )
          )}
        </>
      )}
    </section>
  )
}

/** Number of runs in a line of fill rates. */
const MOST_RUNS = 20

/** One line for each column with its fill rates, oldest first. */
function FillRates({ runs }: { readonly runs: readonly Execution[] }) {
  const ended = runs
    .filter(({ counters, finishedAt }) => finishedAt !== null && counters.rows > 0)
    .slice(0, MOST_RUNS)
    .toReversed()
  const columns = [...new Set(ended.flatMap(({ filled }) => Object.keys(filled)))]
  if (columns.length === 0) return null
  return (
    <section aria-labelledby="fill">
      <h2 id="fill">{words.task.fill}</h2>
      <p>{words.task.fillAbout}</p>
      <ul class="sparks">
        {columns.map((column) => {
          const rates = ended.map(({ filled, counters }) => (filled[column] ?? 0) / counters.rows)
          const last = rates.at(-1) ?? 0
          return (
            <li key={column}>
              <span>{column}</span>
              <svg viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
                {rates.map((rate, index) => (
                  <rect
                    key={index}
                    x={(index * 100) / rates.length}
                    width={Math.max(1, 100 / rates.length - 1)}
                    y={20 - Math.max(1, rate * 20)}
                    height={Math.max(1, rate * 20)}
                  />
                ))}
              </svg>
              <span class="figure">{share(last)}</span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function share(rate: number): string {
  return rate.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 0 })
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
