import { PlatformError, unauthorized } from '../../kernel/errors.ts'
import { inTime } from '../../kernel/in-time.ts'
import type { AccountStatus } from '../../ports/authenticator.ts'
import type { Clock } from '../../ports/clock.ts'

/** Whether an account may be used. */
export type Standing = Awaited<ReturnType<AccountStatus>>

/** The longest time, in ms, that the host may take to answer, because requests wait for it. */
const MOST_MS = 5_000

/** Waits for the host's answer, but no longer than this. After that the call is refused with 503. */
export function answeredInTime(accountStatus: AccountStatus, clock: Clock): AccountStatus {
  const failure = () =>
    new PlatformError(
      'SERVICE_UNAVAILABLE',
      `The account could not be checked within ${MOST_MS / 1_000} s. Try again later`,
      { headers: { 'Retry-After': '5' } },
    )
  return (account) => inTime({ clock, ms: MOST_MS, failure }, async () => accountStatus(account))
}

/**
 * Asks the host whether an account may be used. Requests, links, schedules, executions and
 * deliveries all use it. `null`: the host has no such function, so every account may be used.
 */
export async function standingOf(
  accountStatus: AccountStatus | null,
  account: string,
): Promise<Standing> {
  if (accountStatus === null) return 'active'
  const standing = await accountStatus(account)
  // A host in JavaScript may answer with anything. An unknown answer counts as unusable.
  return standing === 'active' || standing === 'suspended' ? standing : 'closed'
}

/** @throws {PlatformError} 401 for a closed account, as for a wrong credential */
export async function demandOpen(
  accountStatus: AccountStatus | null,
  account: string,
): Promise<Standing> {
  const standing = await standingOf(accountStatus, account)
  if (standing === 'closed') throw unauthorized()
  return standing
}

/** @throws {PlatformError} 403 with the reason for an account that is not active */
export function demandActive(standing: Standing): void {
  if (standing !== 'active') throw new PlatformError('FORBIDDEN', `The account is ${standing}`)
}
