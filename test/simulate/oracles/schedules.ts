import type { ExecutionRecord } from '../../../src/features/executions/records.ts'
import { MINUTE_MS } from '../../../src/kernel/time.ts'
import type { KnownSchedule, KnownTask } from '../customer.ts'
import type { World } from '../world.ts'
import { isTimeOf } from './local-times.ts'

/** A run that starts later than this after its time is a missed one. */
const LATE_MS = MINUTE_MS
/** More than the clocks of two processes can be apart. */
const APART_MS = MINUTE_MS

/** Runs that were started by a schedule are those that all schedules of their task allow. */
export function checkTimetables(
  world: Pick<World, 'broke'>,
  tasks: ReadonlyMap<string, KnownTask>,
  executions: readonly ExecutionRecord[],
): void {
  for (const { id, schedules } of tasks.values()) {
    const runs = executions.filter(({ taskId }) => taskId === id)
    const scheduled = runs.flatMap((run) =>
      run.scheduledFor === undefined ? [] : [{ run, time: run.scheduledFor }],
    )
    for (const { run, time } of scheduled)
      if (run.createdAt < time - APART_MS) world.broke('a run was started before its time')
    for (const { time } of scheduled)
      if (!schedules.some((schedule) => isTimeOf(schedule, time)))
        world.broke('a run was started at a time that its clock does not show')
    const have = (holds: (schedule: KnownSchedule) => boolean): boolean => schedules.every(holds)
    if (have(({ missed }) => missed === 'skip'))
      for (const { run, time } of scheduled)
        if (run.createdAt - time > LATE_MS) world.broke('a missed run was started, not skipped')
    if (have(({ overlap }) => !overlap))
      for (const { run } of scheduled)
        if (runs.some((other) => isOpenAt(other, run.createdAt)))
          world.broke('a run was started beside another of its task')
    const [first] = schedules
    if (!first || !have(({ cron, timeZone }) => cron === first.cron && timeZone === first.timeZone))
      continue
    const [minutes = '', hours = ''] = first.cron.split(' ')
    // Of a time that a clock shows twice, only a schedule of each hour runs twice.
    if (hours === '*') continue
    const shown = scheduled.map(({ time }) => shownAt(time, first.timeZone))
    if (new Set(shown).size < shown.length) world.broke('one local time has started two runs')
    for (const text of shown) {
      const minute = String(Number(text.slice(-2)))
      // A time that is left out is run at the change, which is a full hour.
      if (minute !== minutes && minute !== '0')
        world.broke('a run was started at no time of its schedule')
    }
  }
}

/** True if it had begun well before a moment, and ended well after it. */
function isOpenAt({ createdAt, finishedAt }: ExecutionRecord, moment: number): boolean {
  return createdAt < moment - APART_MS && (finishedAt ?? Infinity) > moment + APART_MS
}

/** The date, hour and minute that a clock on the wall shows. */
function shownAt(time: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  }).format(time)
}
