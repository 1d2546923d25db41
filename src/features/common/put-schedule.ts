import type { Timetable } from '../../engine/schedule/timetable.ts'
import type { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Stored } from '../../records/collection.ts'
import type { Records } from '../../records/records.ts'
import type { ScheduleRecord, ScheduleSetter } from '../../records/schedule-records.ts'

/** Where a schedule is to stand. */
export interface ScheduleToPut {
  readonly task: string
  readonly timetable: Timetable | null
  readonly old: Stored<ScheduleRecord> | null
  readonly setBy: ScheduleSetter | null
  readonly now: number
}

/**
 * Adds to a commit what a task's schedule calls for: where it stands, and the job for its next
 * time. `null` takes it away. The commit must depend on the task's record, which is what changes
 * with the schedule.
 */
export function putSchedule(
  records: Records,
  change: Change,
  account: string,
  { task, timetable, old, setBy, now }: ScheduleToPut,
): void {
  const nextAt = timetable?.next(now) ?? null
  if (nextAt === null) {
    if (old) records.schedules.remove(change, account, old)
    return
  }
  const record: ScheduleRecord = { task, nextAt, setBy, last: old?.value.last ?? null }
  if (old) records.schedules.update(change, account, old, record)
  else records.schedules.insert(change, account, record)
  enqueueTick(records, change, account, task, nextAt)
}

/** Adds the job for a time on a schedule to a commit. */
export function enqueueTick(
  records: Records,
  change: Change,
  account: string,
  task: string,
  at: number,
): void {
  records.outbox.put(change, SYSTEM, {
    id: `tick:${task}:${at}`,
    kind: 'schedule',
    data: { account, task, at: String(at) },
    at,
  })
}
