import { conflict, overCap } from '../../../kernel/errors.ts'
import { DAY_MS } from '../../../kernel/time.ts'
import { Change } from '../../../records/change.ts'
import { SYSTEM } from '../../../records/collection.ts'
import { eachPage } from '../../../records/paginate.ts'
import { retryConflicts } from '../../../records/retry.ts'
import { dayOf } from '../../common/time.ts'
import type { Core } from '../../core.ts'
import type { MailDayRecord } from '../records.ts'
import { ASKING_PERIOD_MS, MOST_ASKED } from './parts.ts'

/** Maximum number of messages that an account sends by mail on one UTC day. */
export const MESSAGES_A_DAY = 200
/** Maximum number of addresses that an account asks for consent on one UTC day. */
export const ASKED_A_DAY = 10
/** Maximum number of addresses of an account that were asked and have not confirmed. */
export const MOST_UNCONFIRMED = 5
/** Time in ms after which a message is tried again if its count conflicted with others. */
const CONTENDED_MS = 5_000

/**
 * Stores in a commit that the address with this key is asked for consent. The commit must also
 * change the account's list of webhooks, so that calls at the same time cannot exceed the number of
 * unconfirmed addresses.
 *
 * @throws {PlatformError} 409 for an address that was asked today, or too often by all accounts
 *   together, or whose person has ended the messages of the account; and beyond a cap
 */
export async function noteAsked(
  core: Core,
  change: Change,
  account: string,
  key: string,
): Promise<void> {
  const { records } = core
  if (await records.mailRefusals.get(account, key))
    throw conflict(
      'The person at this address has ended the messages of this account, and is not asked again',
    )
  records.mailRefusals.requireAbsent(change, account, key)
  const open = await countUnconfirmed(core, account)
  if (open >= MOST_UNCONFIRMED)
    throw overCap(
      `${open} mail addresses wait for their confirmation, which is the maximum; confirm them, or ` +
        'delete their webhooks',
      { of: 'mailAddresses', used: open, most: MOST_UNCONFIRMED },
    )
  await noteAskedToday(core, change, account, key)
  await noteAskedByAll(core, change, key)
}

async function countUnconfirmed({ records }: Core, account: string): Promise<number> {
  let open = 0
  for await (const page of eachPage(records.webhooks, account))
    open += page.filter(({ value }) => value.disabledReason === 'unconfirmed').length
  return open
}

async function noteAskedToday(
  { records, clock }: Core,
  change: Change,
  account: string,
  key: string,
): Promise<void> {
  const day = dayOf(clock.now())
  const stored = await records.mailDays.get(account, day)
  const addresses = stored?.value.asked ?? []
  if (addresses.includes(key))
    throw conflict('A code was mailed to this address today; another can be sent tomorrow')
  if (addresses.length >= ASKED_A_DAY)
    throw overCap(
      `${addresses.length} addresses were asked for their confirmation today, which is the maximum for a day`,
      { of: 'mailAddresses', used: addresses.length, most: ASKED_A_DAY },
    )
  if (stored) records.mailDays.require(change, account, stored)
  else records.mailDays.requireAbsent(change, account, day)
  putDay(records, change, account, {
    day,
    asked: [...addresses, key],
    sent: stored?.value.sent ?? 0,
  })
}

/** The message does not name the accounts that have asked, because they may be other accounts. */
async function noteAskedByAll({ records, clock }: Core, change: Change, key: string) {
  const now = clock.now()
  const stored = await records.mailAddresses.get(SYSTEM, key)
  const askedAt = (stored?.value.askedAt ?? []).filter((time) => time > now - ASKING_PERIOD_MS)
  const [first = now] = askedAt
  if (askedAt.length >= MOST_ASKED)
    throw conflict(
      `Codes were mailed to this address ${askedAt.length} times in ${ASKING_PERIOD_MS / DAY_MS} ` +
        `days, which is the maximum; another can be sent from ${dayOf(first + ASKING_PERIOD_MS + DAY_MS - 1)} on`,
    )
  if (stored) records.mailAddresses.require(change, SYSTEM, stored)
  else records.mailAddresses.requireAbsent(change, SYSTEM, key)
  const next = { key, askedAt: [...askedAt, now] }
  records.mailAddresses.put(change, SYSTEM, next, now + ASKING_PERIOD_MS + DAY_MS)
}

/**
 * Counts a message before it is sent.
 *
 * @returns the day that it counts for; or when to try it, because the account may send no more
 *   today
 */
export async function takeMessage(
  core: Core,
  account: string,
): Promise<{ readonly day: string } | { readonly waitUntil: number }> {
  const { clock } = core
  const day = dayOf(clock.now())
  const isTaken = await changeSent(core, account, day, (sent) =>
    sent < MESSAGES_A_DAY ? sent + 1 : null,
  )
  if (isTaken === null) return { waitUntil: clock.now() + CONTENDED_MS }
  return isTaken ? { day } : { waitUntil: Date.parse(day) + DAY_MS }
}

/** Takes a message back from the count of its day, because nothing was sent. */
export async function giveBackMessage(core: Core, account: string, day: string): Promise<void> {
  try {
    await changeSent(core, account, day, (sent) => (sent > 0 ? sent - 1 : null))
  } catch (error) {
    // An error here is only logged. The account may then send one message less on this day. That is
    // better than a second attempt after a lost result.
    core.logger.warn('A message that was not sent still counts for its day', { account, error })
  }
}

/**
 * `next` returns the new count, or `null` to keep it. Returns false if the count was kept, and
 * `null` if other writers won every try.
 */
async function changeSent(
  { records }: Core,
  account: string,
  day: string,
  next: (sent: number) => number | null,
): Promise<boolean | null> {
  const done = await retryConflicts(async () => {
    const stored = await records.mailDays.get(account, day)
    const sent = next(stored?.value.sent ?? 0)
    if (sent === null) return { isChanged: false }
    const change = new Change()
    if (stored) records.mailDays.require(change, account, stored)
    else records.mailDays.requireAbsent(change, account, day)
    putDay(records, change, account, { day, asked: stored?.value.asked ?? [], sent })
    return (await records.commit(change)) && { isChanged: true }
  })
  return done && done.isChanged
}

/** Kept for a day after the day has ended, because clocks may differ. */
function putDay(records: Core['records'], change: Change, account: string, day: MailDayRecord) {
  records.mailDays.put(change, account, day, Date.parse(day.day) + 2 * DAY_MS)
}
