import type { Execution, Task } from '../../../client.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import { DAY_MS } from '../../../kernel/time.ts'
import { useAnswer } from '../parts/ask.ts'
import { CopyAs } from '../parts/copies.tsx'
import { listCall } from '../parts/copy-as.ts'
import { State, To, Wrong } from '../parts/show.tsx'
import { client } from '../session.ts'
import { plannedOf, withoutRun } from '../task/schedule-times.ts'
import { words } from '../words.ts'

/** Maximum number of tasks whose next runs are requested, and of lines that are shown for a day. */
const MOST_TASKS = 50
const MOST_LINES = 6

/** An entry of the calendar: a past run, or a planned one. */
interface Line {
  readonly at: number
  readonly task: Pick<Task, 'id' | 'name'>
  /** `null`: it did not run, or not yet. */
  readonly run: Execution | null
  /** Its outcome, or `planned`. */
  readonly state: string
}

/** The last week and the next one. */
export function Schedules() {
  const tasks = useAnswer(() => scheduledTasks(), [])
  const lines = useAnswer(async () => {
    const all = tasks.value ?? []
    return (await Promise.all(all.map(linesOf)))
      .flat()
      .toSorted((left, right) => left.at - right.at)
  }, [tasks.value])
  const today = new Date(systemClock.now()).setHours(0, 0, 0, 0)
  const days = Array.from({ length: 14 }, (_, index) => dayAfter(today, index - 7))
  return (
    <>
      <h1>{words.schedules.title}</h1>
      <p>{words.schedules.about}</p>
      <Wrong problem={tasks.problem ?? lines.problem} />
      {tasks.value?.length === 0 && <p>{words.schedules.none}</p>}
      {(tasks.value?.length ?? 0) > 0 && (
        <ol class="calendar">
          {days.map((day) => (
            <Day
              key={day}
              day={day}
              isToday={day === today}
              lines={lines.value?.filter(({ at }) => at >= day && at < dayAfter(day, 1)) ?? []}
            />
          ))}
        </ol>
      )}
      <CopyAs
        call={{
          ...listCall({
            path: 'tasks',
            operation: 'tasks.list',
            query: { status: 'active', limit: 100 },
            command: 'tasks list',
          }),
          note: words.schedules.note,
        }}
      />
    </>
  )
}

function Day({
  day,
  isToday,
  lines,
}: {
  readonly day: number
  readonly isToday: boolean
  readonly lines: readonly Line[]
}) {
  const format = new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  })
  const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
  return (
    <li class={isToday ? 'today' : undefined}>
      <h2>
        {format.format(day)}
        {isToday && ` · ${words.schedules.today}`}
      </h2>
      <ul>
        {lines.slice(0, MOST_LINES).map(({ at, task, run, state }) => (
          <li key={`${task.id} ${at}`}>
            {time.format(at)}{' '}
            {run === null ? (
              <To screen="task" query={{ id: task.id }}>
                {task.name}
              </To>
            ) : (
              <To screen="run" query={{ id: run.id }}>
                {task.name}
              </To>
            )}{' '}
            <State state={state} />
          </li>
        ))}
        {lines.length > MOST_LINES && <li>{words.schedules.more(lines.length - MOST_LINES)}</li>}
      </ul>
    </li>
  )
}

async function scheduledTasks(): Promise<Task[]> {
  const scheduled: Task[] = []
  for await (const task of client.value.tasks.iterate({ status: 'active', limit: 100 })) {
    if (task.schedule !== null) scheduled.push(task)
    if (scheduled.length === MOST_TASKS) break
  }
  return scheduled
}

async function linesOf(task: Task): Promise<Line[]> {
  const from = new Date(systemClock.now() - 7 * DAY_MS).toISOString()
  const [state, runs] = await Promise.all([
    client.value.tasks.schedule(task.id),
    client.value.executions.listOfTask(task.id, { from, limit: 100 }),
  ])
  const lines: Line[] = [
    ...runs.items
      .filter(({ scheduledFor }) => scheduledFor !== null)
      .map((run) => ({
        at: Date.parse(run.scheduledFor ?? run.createdAt),
        task,
        run,
        state: run.status,
      })),
    // A time without a run: the previous run was not finished, the task was paused, or no worker
    // ran.
    ...(state.last !== null && state.last.executionId === null
      ? [{ at: Date.parse(state.last.at), task, run: null, state: state.last.outcome }]
      : []),
    ...plannedOf(state.nextRuns, systemClock.now()).map((time) => ({
      at: time,
      task,
      run: null,
      state: 'planned',
    })),
  ]
  const oldest = runs.items.at(-1)
  const since = runs.nextCursor === null || !oldest ? 0 : Date.parse(oldest.createdAt)
  return [
    ...lines,
    ...withoutRun(
      state.pastTimes,
      lines.map(({ at }) => at),
      since,
      systemClock.now(),
    ).map((time) => ({ at: time, task, run: null, state: 'no_run' })),
  ]
}

/** With summer time, the days of a zone differ in length. */
function dayAfter(day: number, count: number): number {
  const date = new Date(day)
  date.setDate(date.getDate() + count)
  return date.getTime()
}
