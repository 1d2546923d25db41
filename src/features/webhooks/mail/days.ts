import { conflict, overCap } from '../../../kernel/errors.ts'
import { DAY_MS } from '../../../kernel/time.ts'
import { Change } from '../../../records/change.ts'
import { retryConflicts } from '../../../records/retry.ts'
import { dayOf } from '../../common/time.ts'
import type { Core } from '../../core.ts'

/** Most messages that an account sends by mail on one UTC day. */
export const MESSAGES_A_DAY = 200
/** Most addresses that an account asks for their consent on one UTC day. */
export const ASKED_A_DAY = 10
/** Most addresses of an account that have been asked, and have not confirmed. */
export const MOST_UNCONFIRMED = 5
/** Longer than any plan's cap of webhooks. */
const ALL = 100

/**
 * Notes in a commit that an address is asked. The commit must also change the account's list of
 * webhooks, so that calls at the same time cannot exceed the number of unconfirmed addresses.
 *
 * @throws {PlatformError} 409 for an address that was asked today, and beyond a cap
 */
export async function noteAsked(
  { records, clock }: Core,
  change: Change,
  account: string,
  address: string,
): Promise<void> {
  const webhooks = await records.webhooks.list(account, { limit: ALL })
  const open = webhooks.filter(({ value }) => value.mail?.confirmedAt === null).length
  if (open >= MOST_UNCONFIRMED)
    throw overCap(
      `${open} addresses of mail wait for their confirmation, which is the most; confirm them, or ` +
        'delete their webhooks',
      { of: 'mailAddresses', used: open, most: MOST_UNCONFIRMED },
    )
  const day = dayOf(clock.now())
  const stored = await records.mailDays.get(account, day)
  const asked = stored?.value.asked ?? []
  const subject = address.toLowerCase()
  if (asked.includes(subject))
    throw conflict('A code was mailed to this address today; another can be sent tomorrow')
  if (asked.length >= ASKED_A_DAY)
    throw overCap(
      `${asked.length} addresses were asked for their confirmation today, which is the most of a day`,
      { of: 'mailAddresses', used: asked.length, most: ASKED_A_DAY },
    )
  if (stored) records.mailDays.require(change, account, stored)
  else records.mailDays.requireAbsent(change, account, day)
  records.mailDays.put(
    change,
    account,
    { day, asked: [...asked, subject], sent: stored?.value.sent ?? 0 },
    endOf(day),
  )
}

/** Counts a message before it is sent. `false`: the account may send no more today. */
export async function countMessage({ records, clock }: Core, account: string): Promise<boolean> {
  const day = dayOf(clock.now())
  const taken = await retryConflicts(async () => {
    const stored = await records.mailDays.get(account, day)
    const sent = stored?.value.sent ?? 0
    if (sent >= MESSAGES_A_DAY) return { isAllowed: false }
    const change = new Change()
    if (stored) records.mailDays.require(change, account, stored)
    else records.mailDays.requireAbsent(change, account, day)
    const next = { day, asked: stored?.value.asked ?? [], sent: sent + 1 }
    records.mailDays.put(change, account, next, endOf(day))
    return (await records.commit(change)) && { isAllowed: true }
  })
  return taken?.isAllowed ?? false
}

/** A day after the day has ended, so that clocks that differ agree on it. */
function endOf(day: string): number {
  return Date.parse(day) + 2 * DAY_MS
}
