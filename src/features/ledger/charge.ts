import { PlatformError } from '../../kernel/errors.ts'
import { highestPrice, priceOf } from '../../kernel/price.ts'
import type { Change } from '../../records/change.ts'
import type { Outcome } from '../executions/records.ts'
import { dayOf, startOfMonth } from '../common/time.ts'
import { transfer } from './credits.ts'
import { dailyCapOf } from './daily-cap.ts'
import type { Ledger } from './ledger.ts'
import type { Tariff } from './plans.ts'

/** A page that is paid at once, outside an execution. */
export interface ChargedPage {
  /** The cause of its entry: the id of the call that read it. */
  readonly cause: string
  readonly outcome: Outcome
  readonly rendered: boolean
  readonly url: string
}

/** Pays for single pages from the wallet, at the prices of an execution's pages. */
export interface Charges {
  /**
   * Refuses a page that the account could not pay for. It reserves nothing, so the payment checks
   * again.
   *
   * @throws {PlatformError} 402 with the figures
   */
  demand(account: string, now: number): Promise<void>
  /**
   * Adds the payment of a page to a commit, which depends on the account's money from then on.
   * Returns the credits that it costs, and the time of its entry.
   *
   * @throws {PlatformError} 402 with the figures
   */
  pay(
    change: Change,
    account: string,
    page: ChargedPage,
    now: number,
  ): Promise<{ readonly credits: number; readonly at: number }>
}

/** Opens the payment of single pages. */
export function createCharges({
  ledger,
  tariff: { prices },
  canRender,
}: {
  readonly ledger: Ledger
  readonly tariff: Tariff
  readonly canRender: boolean
}): Charges {
  const open = async (account: string, now: number) => {
    const batch = ledger.batch(account, now)
    const [session, day] = await Promise.all([batch.session(), batch.days.open(dayOf(now))])
    const cap = dailyCapOf(session.plan, session.subscription?.value)
    const takenToday = day.value?.taken ?? 0
    return {
      batch,
      session,
      day,
      taken: takenToday,
      isCapped: cap !== null,
      available: Math.max(
        0,
        Math.min(
          session.credits.wallet - session.floor,
          cap === null ? Infinity : cap - takenToday,
        ),
      ),
    }
  }
  const refuse = (credits: number, available: number): void => {
    if (credits > available)
      throw new PlatformError(
        'PAYMENT_REQUIRED',
        `Reading the page may cost up to ${credits} credits, but only ${available} can be spent ` +
          'today. Add credits, or fetch a page that is kept by its id.',
        { limit: { of: 'credits', needed: credits, available } },
      )
  }
  return {
    async demand(account, now) {
      const price = highestPrice(prices, { rendered: canRender })
      if (price > 0) refuse(price, (await open(account, now)).available)
    },

    async pay(change, account, { cause, outcome, rendered, url }, now) {
      const credits = priceOf(outcome, prices, { rendered })
      if (credits === 0) return { credits, at: now }
      const { batch, session, day, taken, isCapped, available } = await open(account, now)
      refuse(credits, available)
      if (isCapped) day.value = { day: dayOf(now), taken: taken + credits }
      // The entry's time is within the open month, because another process may have begun that
      // month already.
      const time = Math.max(now, startOfMonth(session.period))
      session.enter('fetch', `${cause}:fetch`, transfer('wallet', 'revenue', credits), time, {
        pages: [[0, outcome, credits]],
        note: url.slice(0, 500).toWellFormed(),
      })
      batch.write(change)
      return { credits, at: time }
    },
  }
}
