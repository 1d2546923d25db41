import type { Ids } from '../../kernel/id.ts'
import type { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Stored } from '../../records/collection.ts'
import type {
  Credits,
  EntryKind,
  LedgerEntry,
  Lot,
  PaidPage,
  PeriodRecord,
  SubscriptionRecord,
  WalletRecord,
} from './records.ts'
import type { Records } from '../records.ts'
import { emitEvent } from '../common/events.ts'
import { NO_CREDITS, moved, transfer, addToLots, lotsOfWallet, takeFromLots } from './credits.ts'
import type { Moves } from './credits.ts'
import { endOfMonth, monthAfter, monthOf, startOfMonth } from '../common/time.ts'
import { planOf } from './plans.ts'
import type { PlanDefinition, Tariff } from './plans.ts'

/** An entry without its amounts. */
export interface EntryFacts {
  readonly execution?: string
  readonly task?: string | null
  readonly note?: string
  readonly pages?: readonly PaidPage[]
}

/** Options of {@link AccountSession}. */
export interface AccountSessionOptions {
  readonly records: Records
  readonly ids: Ids
  readonly tariff: Tariff
}

/** When a month's granted credits expire: at the end of the month, unless the plan says otherwise. */
export function expiryOf(plan: PlanDefinition, month: string): number | null {
  const expire = plan.creditsExpire ?? 'month-end'
  if (expire === 'never') return null
  let last = month
  for (let months = expire === 'month-end' ? 1 : expire.months; months > 1; months--)
    last = monthAfter(last)
  return endOfMonth(last)
}

/**
 * An account's money, opened for changes in one commit: its wallet, its open month, and the entries
 * to write. Opening it brings it up to date: past months are closed, expired credits are removed,
 * and the plan's credits of each month are granted. The commit depends on wallet and month, so of
 * two sessions of an account only one is written.
 */
export class AccountSession {
  readonly #options: AccountSessionOptions
  readonly #account: string
  readonly #wallet: Stored<WalletRecord> | null
  readonly #period: Stored<PeriodRecord> | null
  readonly #entries: LedgerEntry[] = []
  readonly #closed: string[] = []
  readonly subscription: Stored<SubscriptionRecord> | null
  readonly plan: PlanDefinition
  /**
   * The account has at most so many unfinished executions; `null`: they are not counted. Written
   * with the money, so that no two starts count from the same number.
   */
  unfinished: number | null
  #credits: Credits
  #lots: readonly Lot[]
  #grantedFor: string | null
  #open: string
  /** The highest balance of the wallet since the session was opened. */
  #peak: number

  private constructor(
    options: AccountSessionOptions,
    account: string,
    stored: {
      wallet: Stored<WalletRecord> | null
      period: Stored<PeriodRecord> | null
      subscription: Stored<SubscriptionRecord> | null
    },
    now: number,
  ) {
    this.#options = options
    this.#account = account
    this.#wallet = stored.wallet
    this.#period = stored.period
    this.subscription = stored.subscription
    this.plan = planOf(options.tariff, stored.subscription?.value.plan)
    this.#credits = stored.wallet?.value.credits ?? NO_CREDITS
    this.#lots = stored.wallet?.value.lots ?? []
    this.#grantedFor = stored.wallet?.value.grantedFor ?? null
    this.unfinished = stored.wallet?.value.unfinished ?? null
    this.#open = stored.period?.value.open ?? monthOf(now)
    this.#peak = this.#credits.wallet
    this.#bringUpToDate(now)
  }

  static async open(
    options: AccountSessionOptions,
    account: string,
    now: number,
  ): Promise<AccountSession> {
    const { wallets, periods, subscriptions } = options.records
    // The wallet is read first. A change of plan writes the wallet too, so later reads match it, or
    // the commit fails.
    const wallet = await wallets.get(account)
    const [period, subscription] = await Promise.all([
      periods.get(account),
      subscriptions.get(account),
    ])
    return new AccountSession(options, account, { wallet, period, subscription }, now)
  }

  /**
   * Credits in the wallet record. Credits that running executions have spent of their holds still
   * count as held.
   */
  get credits(): Credits {
    return this.#credits
  }

  /** The lowest balance that the wallet may have. */
  get floor(): number {
    const { overdraft = 0 } = this.plan
    return overdraft === null ? -Infinity : 0 - overdraft
  }

  get lots(): readonly Lot[] {
    return this.#lots
  }

  /** The month that entries are accounted to. */
  get period(): string {
    return this.#open
  }

  /** True if there is something to write: entries, or a closed month. */
  get changed(): boolean {
    return (
      this.#entries.length > 0 || this.#period === null || this.#open !== this.#period.value.open
    )
  }

  /**
   * Adds an entry. The caller may change the lots in `change`; afterwards they are adjusted to the
   * wallet's sum.
   */
  enter(
    kind: EntryKind,
    cause: string,
    moves: Moves,
    time: number,
    facts: EntryFacts = {},
  ): LedgerEntry {
    const { execution = null, task = null, note, pages } = facts
    this.#credits = moved(this.#credits, moves)
    this.#lots = lotsOfWallet(this.#credits.wallet, this.#lots)
    this.#peak = Math.max(this.#peak, this.#credits.wallet)
    const entry: LedgerEntry = {
      id: this.#options.ids('le'),
      period: this.#open,
      at: time,
      kind,
      cause,
      moves,
      execution,
      task,
      ...(pages && { pages }),
      ...(note !== undefined && { note }),
    }
    this.#entries.push(entry)
    return entry
  }

  /**
   * Adds credits to the wallet as a lot of their own. A negative amount takes credits, from the
   * lots that expire first.
   */
  bring(
    kind: 'grant' | 'top_up' | 'refund' | 'adjust',
    cause: string,
    amount: number,
    time: number,
    expiresAt: number | null,
    facts: EntryFacts = {},
  ): LedgerEntry {
    this.#lots = addToLots(this.#lots, [{ id: cause, left: amount, expiresAt }])
    return this.enter(
      kind,
      cause,
      transfer(kind === 'refund' ? 'revenue' : 'grants', 'wallet', amount),
      time,
      facts,
    )
  }

  /** Reserves credits of the wallet. Returns the lots they were taken from. */
  hold(cause: string, amount: number, time: number, facts: EntryFacts): Lot[] {
    const { taken: held, rest } = takeFromLots(this.#lots, amount)
    this.#lots = rest
    this.enter('reserve', cause, transfer('wallet', 'held', amount), time, facts)
    return held
  }

  /**
   * Ends a hold. Its spent part already has entries, and is now subtracted from the wallet record
   * too. The rest returns to the lots it came from.
   */
  release(
    cause: string,
    hold: { readonly reserved: number; readonly lots: readonly Lot[] },
    spent: number,
    time: number,
    facts: EntryFacts,
  ): void {
    const rest = hold.reserved - spent
    this.#credits = moved(this.#credits, transfer('held', 'revenue', spent))
    this.#lots = addToLots(this.#lots, takeFromLots(hold.lots, spent).rest)
    if (rest !== 0) this.enter('release', cause, transfer('held', 'wallet', rest), time, facts)
  }

  /**
   * Adds all changes to a commit, which succeeds only if no other commit has changed this account's
   * money.
   */
  write(change: Change): void {
    const { records } = this.#options
    const account = this.#account
    const wallet: WalletRecord = {
      credits: this.#credits,
      lots: this.#lots,
      grantedFor: this.#grantedFor,
      ...(this.unfinished !== null && { unfinished: this.unfinished }),
    }
    if (this.#wallet) records.wallets.update(change, account, this.#wallet, wallet)
    else records.wallets.insert(change, account, wallet)
    if (this.#period?.value.open === this.#open)
      records.periods.require(change, account, this.#period)
    else if (this.#period)
      records.periods.update(change, account, this.#period, { open: this.#open })
    else records.periods.insert(change, account, { open: this.#open })
    for (const entry of this.#entries) enterInto(records, change, account, entry)
    this.#warn(change)
    for (const period of this.#closed)
      records.outbox.put(change, SYSTEM, {
        id: `statement:${account}:${period}`,
        kind: 'statement',
        data: { account, period },
        at: endOfMonth(period),
      })
  }

  /**
   * Emits an event if the wallet has fallen below the threshold. The event is not repeated until
   * the wallet has been above it again.
   */
  #warn(change: Change): void {
    const { records, tariff } = this.#options
    const { wallet } = this.#credits
    const last = this.#entries.at(-1)
    if (
      !last ||
      tariff.lowBalance === null ||
      this.#peak < tariff.lowBalance ||
      wallet >= tariff.lowBalance
    )
      return
    emitEvent(records, change, {
      account: this.#account,
      type: 'balance.low',
      id: `evt_${last.id}`,
      at: last.at,
      data: { wallet, threshold: tariff.lowBalance },
    })
  }

  #bringUpToDate(now: number): void {
    for (let end = endOfMonth(this.#open); end <= now; end = endOfMonth(this.#open)) {
      this.#grant(startOfMonth(this.#open))
      this.#expire(end)
      this.#closed.push(this.#open)
      this.#open = monthAfter(this.#open)
    }
    this.#grant(now)
    this.#expire(now)
  }

  #grant(time: number): void {
    if (this.#grantedFor !== null && this.#grantedFor >= this.#open) return
    this.#grantedFor = this.#open
    const { plan } = this
    if (plan.creditsPerMonth > 0)
      this.bring(
        'grant',
        `plan:${this.#open}`,
        plan.creditsPerMonth,
        Math.max(time, startOfMonth(this.#open)),
        expiryOf(plan, this.#open),
        { note: `Credits of the plan ${plan.name}` },
      )
  }

  /**
   * Expires lots. Entries are dated within their month, even if credits expire at its very end, or
   * were returned after their expiry.
   */
  #expire(until: number): void {
    for (const lot of this.#lots) {
      if (lot.expiresAt === null || lot.expiresAt > until) continue
      const moment = Math.max(
        startOfMonth(this.#open),
        Math.min(lot.expiresAt, until, endOfMonth(this.#open) - 1),
      )
      this.#lots = this.#lots.filter(({ id }) => id !== lot.id)
      this.enter(
        'expire',
        `expire:${lot.id}:${this.#options.ids('x')}`,
        transfer('wallet', 'expired', lot.left),
        moment,
        { note: 'Credits that were not used in time' },
      )
    }
  }
}

/** Adds an entry to a commit, which succeeds only if its cause has no entry yet. */
export function enterInto(
  records: Records,
  change: Change,
  account: string,
  entry: LedgerEntry,
): void {
  records.causes.insert(change, account, {
    cause: entry.cause,
    entry: entry.id,
    period: entry.period,
  })
  records.ledger.insert(change, account, entry)
  records.spending.add(change, account, entry)
}

/** Returns the entry of a cause. */
export async function entryOf(
  records: Records,
  account: string,
  cause: string,
): Promise<LedgerEntry | null> {
  const causeRecord = await records.causes.get(account, cause)
  return (
    causeRecord &&
    ((await records.ledger.get(account, causeRecord.value.period, causeRecord.value.entry))
      ?.value ??
      null)
  )
}
