import { badRequest } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Records } from '../records.ts'
import type { Schedule, TickOutcome, ScheduleRecord, ScheduleSetter } from './records.ts'
import { MINUTE_MS } from '../../kernel/time.ts'
import type { Timetable } from './timetable.ts'
import type { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Stored } from '../../records/collection.ts'
import { grants } from '../../kernel/scope.ts'
import type { MayRunSchedule } from '../../ports/authenticator.ts'
import { standingOf } from '../common/account-status.ts'
import { endOfKey } from '../common/key-end.ts'
import type { Core } from '../core.ts'

/** Maximum difference between the clocks of processes. */
const MOST_SKEW_MS = 5 * MINUTE_MS

/** The state of a task's schedule, on the wire. */
export interface ScheduleState {
  readonly schedule: Schedule | null
  /** ISO 8601. Empty while the task is not active. */
  readonly nextRuns: readonly string[]
  /** ISO 8601. The times of the last week, since the task was last changed. */
  readonly pastTimes: readonly string[]
  /** The caller whose rights it uses. `null`: not known. */
  readonly setBy: { readonly user: string; readonly keyId: string | null } | null
  readonly last: {
    readonly at: string
    readonly outcome: TickOutcome
    readonly executionId: string | null
    readonly message: string | null
  } | null
}

/** Schedules of tasks. A schedule is set with its task; this service shows its state. */
export interface Schedules {
  /** A task of another account is not found. */
  get(principal: Principal, taskId: string): Promise<ScheduleState>
}

/** The schedule to store. */
interface ScheduleToPut {
  readonly task: string
  readonly timetable: Timetable | null
  readonly old: Stored<ScheduleRecord> | null
  readonly setBy: ScheduleSetter | null
  readonly now: number
}

/**
 * Adds a task's schedule to a commit: its state, and the job for its next time. `null` removes it.
 * The commit must depend on the task's record, which changes together with the schedule.
 */
export function putSchedule(
  records: Records,
  change: Change,
  account: string,
  { task, timetable, old, setBy, now }: ScheduleToPut,
): void {
  const last = old?.value.last ?? null
  const nextAt = timetable?.next(startOfNext(now, last?.at ?? null)) ?? null
  if (nextAt === null) {
    if (old) records.schedules.remove(change, account, old)
    return
  }
  const record: ScheduleRecord = { task, nextAt, setBy, last }
  if (old) records.schedules.update(change, account, old, record)
  else records.schedules.insert(change, account, record)
  enqueueTick(records, change, account, task, nextAt)
}

/**
 * The moment after which the next time of a schedule is looked for. No time may run twice, although
 * the clock of the process that ran the last time may be a little ahead of this one's. A last time
 * that is far ahead came from a wrong clock, and is ignored when the schedule is saved again.
 */
function startOfNext(now: number, last: number | null): number {
  return last === null || last > now + MOST_SKEW_MS ? now : Math.max(now, last)
}

/** Adds the job for a scheduled time to a commit. */
export function enqueueTick(
  records: Records,
  change: Change,
  account: string,
  task: string,
  time: number,
): void {
  records.outbox.put(change, SYSTEM, {
    id: `tick:${task}:${time}`,
    kind: 'schedule',
    data: { account, task, at: String(time) },
    at: time,
  })
}

const MEND = 'Save the schedule again with a credential that has executions:write'

/** The application's checks for scheduled runs. */
export interface ScheduleRights {
  readonly mayRunSchedule?: MayRunSchedule
}

/** The caller whose rights a schedule uses. */
export async function setterOf(
  records: Records,
  { account, user, key }: Principal,
): Promise<ScheduleSetter> {
  // An application's own authenticator may name keys of another store. These cannot be read here.
  const isStored = key !== undefined && (await records.apiKeys.get(account, key)) !== null
  return { user, key: isStored ? key : null }
}

/**
 * Returns the reason why a schedule may not run now, or `null`. A schedule set with an API key runs
 * as long as that key could start an execution, and the commit depends on the key. For a schedule
 * set in a session, the application is asked. A schedule of an earlier version, without a stored
 * caller, runs until it is changed. No schedule runs for an account that may not be used.
 */
export async function refusalOf(
  { records, accountStatus }: Pick<Core, 'records' | 'accountStatus'>,
  change: Change,
  account: string,
  setBy: ScheduleSetter | null,
  now: number,
  rights: ScheduleRights,
): Promise<string | null> {
  const status = await standingOf(accountStatus, account)
  if (status !== 'active') return `The account is ${status}`
  if (!setBy) return null
  if (setBy.key !== null) return refusalOfKey(records, change, account, setBy.key, now)
  const may = (await rights.mayRunSchedule?.({ account, user: setBy.user })) ?? true
  return may ? null : `The user ${setBy.user}, who set the schedule, may no longer run it. ${MEND}`
}

async function refusalOfKey(
  records: Records,
  change: Change,
  account: string,
  setter: string,
  now: number,
): Promise<string | null> {
  const key = await records.apiKeys.get(account, setter)
  if (!key) return `The API key ${setter}, which set the schedule, is gone. ${MEND}`
  records.apiKeys.require(change, account, key)
  const { id, name, revokedAt, scopes } = key.value
  const end = await endOfKey(records, key.value)
  const why =
    revokedAt !== null
      ? 'was revoked'
      : end !== null && end <= now
        ? 'has expired'
        : grants(scopes, 'executions:write')
          ? null
          : 'does not have the scope executions:write'
  return why && `The API key "${name}" (${id}), which set the schedule, ${why}. ${MEND}`
}

/**
 * The times of a schedule. The parser is loaded here, because few calls need it.
 *
 * @throws {PlatformError} 400 at `schedule.cron` or `schedule.timeZone`
 */
export async function timetableOf({ cron, timeZone }: Schedule): Promise<Timetable> {
  const { TimetableError, parseTimetable } = await import('./timetable.ts')
  try {
    return parseTimetable(cron, timeZone)
  } catch (error) {
    if (!(error instanceof TimetableError)) throw error
    throw badRequest([{ path: `schedule.${error.part}`, message: error.message }])
  }
}
