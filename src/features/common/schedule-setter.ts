import type { Principal } from '../../kernel/http/route.ts'
import { grants } from '../../kernel/scope.ts'
import type { AccountStatus, MayRunSchedule } from '../../ports/authenticator.ts'
import type { Change } from '../../records/change.ts'
import type { Records } from '../../records/records.ts'
import type { ScheduleSetter } from '../../records/schedule-records.ts'
import { endOfKey } from './key-end.ts'

const MEND = 'Save the schedule again with a credential that has executions:write'

/** Whom the host asks, where it says so. */
export interface ScheduleRights {
  readonly accountStatus?: AccountStatus
  readonly mayRunSchedule?: MayRunSchedule
}

/** Whom a schedule's runs are done for. */
export async function setterOf(
  records: Records,
  { account, user, key }: Principal,
): Promise<ScheduleSetter> {
  // A host's own authenticator may name keys that are not of this store: nothing can be looked up
  // of these.
  const known = key !== undefined && (await records.apiKeys.get(account, key)) !== null
  return { user, key: known ? key : null }
}

/**
 * Why a schedule may not run now, or `null`. A schedule that an API key has set runs as long as
 * that key could start an execution, and the commit depends on the key; of one set in a session the
 * host is asked. One that was set before setters were kept runs until it is changed. None runs for
 * an account that may not be used.
 */
export async function refusalOf(
  records: Records,
  change: Change,
  account: string,
  setBy: ScheduleSetter | null,
  now: number,
  rights: ScheduleRights,
): Promise<string | null> {
  const status = (await rights.accountStatus?.(account)) ?? 'active'
  if (status !== 'active') return `The account is ${status}`
  if (!setBy) return null
  if (setBy.key !== null) return refusalOfKey(records, change, account, setBy.key, now)
  const may = (await rights.mayRunSchedule?.({ account, user: setBy.user })) ?? true
  return may
    ? null
    : `The user ${setBy.user}, who set the schedule, may not run it any more. ${MEND}`
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
