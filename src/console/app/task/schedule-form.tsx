import { useSignal } from '@preact/signals'
import type { Task } from '../../../client.ts'
import { useAction, useAnswer } from '../parts/ask.ts'
import { CopyAs } from '../parts/copies.tsx'
import { FieldProblem, wrongField } from '../parts/field-problem.tsx'
import { shellWord } from '../parts/copy-as.ts'
import { State, timeOf, Wrong } from '../parts/show.tsx'
import { can, client } from '../session.ts'
import { useTyped } from '../typed.ts'
import { words } from '../words.ts'
import { USUAL, usualOf } from './schedule-times.ts'

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The times at which a task runs by itself. */
export function ScheduleForm({
  task,
  onSaved,
}: {
  readonly task: Task
  readonly onSaved: (task: Task) => void
}) {
  const cron = useTyped('cron', task.schedule?.cron ?? '')
  const zone = useTyped('zone', task.schedule?.timeZone ?? HERE)
  const overlap = useSignal(task.schedule?.overlap ?? false)
  const action = useAction()
  const state = useAnswer(() => client.value.tasks.schedule(task.id), [task.id, task.updatedAt])
  const usual = usualOf(cron.value)
  const mayWrite = can('tasks:write')

  const chosen = () => ({
    cron: cron.value,
    timeZone: zone.value,
    overlap: overlap.value,
    missed: task.schedule?.missed ?? ('run' as const),
    ...(task.schedule?.params && { params: task.schedule.params }),
  })
  function submit(): void {
    action.run(async (api) => {
      const schedule = cron.value === '' ? null : chosen()
      onSaved(await api.tasks.update(task.id, { schedule }))
    })
  }
  return (
    <section aria-labelledby="schedule">
      <h2 id="schedule">{words.task.scheduleTitle}</h2>
      {mayWrite && (
        <form
          class="filters"
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
        >
          <label>
            <span>{words.schedule.how}</span>
            <select
              value={cron.value === '' ? 'off' : (usual ?? 'own')}
              onChange={({ currentTarget: { value } }) => {
                const text = Object.entries(USUAL).find(([name]) => name === value)?.[1]
                cron.value = value === 'off' ? '' : (text ?? '30 6 * * *')
              }}
            >
              <option value="off">{words.schedule.off}</option>
              <option value="hourly">{words.schedule.hourly}</option>
              <option value="daily">{words.schedule.daily}</option>
              <option value="weekdays">{words.schedule.weekdays}</option>
              <option value="weekly">{words.schedule.weekly}</option>
              <option value="monthly">{words.schedule.monthly}</option>
              <option value="own">{words.schedule.own}</option>
            </select>
          </label>
          {cron.value !== '' && (
            <>
              <label>
                <span>{words.schedule.cron}</span>
                <input
                  value={cron}
                  {...wrongField(action.problem, 'schedule.cron', 'wrong-cron')}
                  onInput={(event) => (cron.value = event.currentTarget.value)}
                />
                <FieldProblem problem={action.problem} path="schedule.cron" id="wrong-cron" />
              </label>
              <label>
                <span>{words.schedule.zone}</span>
                <input
                  value={zone}
                  list="zones"
                  {...wrongField(action.problem, 'schedule.timeZone', 'wrong-zone')}
                  onInput={(event) => (zone.value = event.currentTarget.value)}
                />
                <FieldProblem problem={action.problem} path="schedule.timeZone" id="wrong-zone" />
              </label>
              <datalist id="zones">
                {Intl.supportedValuesOf('timeZone').map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
              <label class="check">
                <input
                  type="checkbox"
                  checked={overlap}
                  onChange={(event) => (overlap.value = event.currentTarget.checked)}
                />
                {words.schedule.overlap}
              </label>
            </>
          )}
          <button type="submit" disabled={action.isBusy}>
            {words.schedule.save}
          </button>
        </form>
      )}
      <Wrong problem={action.problem ?? state.problem} />
      {mayWrite && cron.value !== '' && (
        <CopyAs
          call={{
            method: 'PATCH',
            path: `/api/v1/tasks/${task.id}`,
            body: { schedule: chosen() },
            operation: 'tasks.update',
            args: [task.id, { schedule: chosen() }],
            command: `schedule set ${task.id} ${shellWord(cron.value)} --time-zone ${shellWord(zone.value)}`,
          }}
        />
      )}
      {task.schedule === null && <p>{words.schedule.none}</p>}
      {state.value && state.value.nextRuns.length > 0 && (
        <p>
          {words.schedule.next} ({HERE}):{' '}
          {state.value.nextRuns.map((time) => timeOf(time)).join(' · ')}
        </p>
      )}
      {state.value?.last && (
        <p>
          {words.schedule.last}: {timeOf(state.value.last.at)},{' '}
          <State state={state.value.last.outcome} /> {state.value.last.message}
        </p>
      )}
    </section>
  )
}
