import { NO_CREDITS } from '../../../src/features/ledger/credits.ts'
import { Replay } from '../../../src/features/verify/replay.ts'
import { computeStatement } from '../../../src/features/billing/statements.ts'
import type { Credits, LedgerEntry } from '../../../src/features/ledger/records.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createRecords } from '../../../src/features/records.ts'

const ALL = 100_000

/** The limits of the plans so far, which a change of plan does not reduce. */
export interface Allowed {
  /** The lowest allowed balance of the wallet. */
  floor: number
  /** The highest allowed cost of a day; `Infinity` without a cap. */
  cap: number
}

/**
 * Checks the money of one account from outside, by its records only, after each commit. Broken
 * rules are noted in `broken`.
 */
export function watchMoney(
  store: Store,
  account: string,
  allowed: Allowed,
): { check: () => Promise<void>; broken: Set<string>; replay: () => Promise<Credits> } {
  const records = createRecords(store)
  const broken = new Set<string>()
  const must = (holds: boolean, what: string): void => void (holds || broken.add(what))
  const spentBefore = new Map<string, number>()
  const spentOn = new Map<string, number>()
  const closed = new Map<string, string>()
  const entriesNow = async (): Promise<LedgerEntry[]> =>
    (await records.ledger.list(account, { limit: ALL })).map(({ value }) => value)
  const replayOf = (entries: readonly LedgerEntry[]): Replay => {
    const replay = new Replay()
    for (const entry of entries) replay.add(entry)
    return replay
  }

  const check = async (): Promise<void> => {
    const [wallet, period, entries, holds, executions, counters, days] = await Promise.all([
      records.wallets.get(account),
      records.periods.get(account),
      entriesNow(),
      records.holds.list(account, { limit: ALL }),
      records.executions.list(account, { limit: ALL }),
      records.progress.list(account, { limit: ALL }),
      records.days.list(account, { limit: ALL }),
    ])
    if (!wallet || !period) return
    const spent = new Map(counters.map(({ value }) => [value.execution, value.credits]))
    const replay = replayOf(entries)
    await replay.compare(
      wallet.value,
      holds.map(({ value: { execution, reserved } }) => ({
        execution,
        reserved,
        spent: spent.get(execution) ?? 0,
      })),
    )
    for (const fault of replay.faults.listed)
      broken.add(fault.replaceAll(/\w+_[0-9A-Z]{26}/g, 'one'))
    must(
      Object.values(replay.credits).reduce((sum, credits) => sum + credits, 0) === 0,
      'the sum is not zero',
    )
    must(wallet.value.credits.wallet >= allowed.floor, 'the wallet is below its floor')
    must(
      wallet.value.lots.every(({ left }) => left > 0),
      'a lot is empty',
    )

    const held = new Set(holds.map(({ value }) => value.execution))
    for (const { value } of executions)
      must(
        held.has(value.id) === (value.finishedAt === null && (value.reserved ?? 0) > 0),
        'a hold outlives its execution, or an execution has none',
      )
    must(held.size <= executions.length, 'a hold is of no execution')

    // Each requested movement is made once, whatever its kind.
    for (const kind of ['refund', 'adjust', 'top_up']) {
      const notes = entries.filter((entry) => entry.kind === kind).map(({ note }) => note)
      must(new Set(notes).size === notes.length, `a ${kind} was entered twice`)
    }

    const byMonth = Map.groupBy(entries, (entry) => entry.period)
    let opening: Credits = NO_CREDITS
    for (const [month, lines] of [...byMonth].toSorted()) {
      must(month <= period.value.open, 'an entry is in a month that has not begun')
      const text = JSON.stringify(lines)
      must((closed.get(month) ?? text) === text, 'a closed month has changed')
      if (month < period.value.open) closed.set(month, text)
      const statement = await computeStatement({ period: month, plan: '', opening }, lines)
      must(
        statement.entries === lines.length &&
          Object.values(statement.totals).reduce((sum, { entries: count }) => sum + count, 0) ===
            lines.length,
        'a statement has other lines than the ledger',
      )
      must(
        Object.values(statement.totals).reduce(
          (sum, total) => sum + total.wallet,
          opening.wallet,
        ) === statement.closing.wallet,
        'the totals of a statement do not add up',
      )
      opening = statement.closing
    }
    must(
      JSON.stringify(opening) === JSON.stringify(replay.credits),
      'the statements come to something else than the ledger',
    )

    const unspent = new Map<string, number>()
    for (const { value } of holds) {
      if (!value.share) continue
      const { day, taken, from } = value.share
      const now = spent.get(value.execution) ?? 0
      spentOn.set(day, (spentOn.get(day) ?? 0) + now - (spentBefore.get(value.execution) ?? 0))
      unspent.set(day, (unspent.get(day) ?? 0) + from + taken - now)
    }
    for (const [execution, credits] of spent) spentBefore.set(execution, credits)
    for (const {
      value: { day, taken },
    } of days) {
      must(
        taken === (spentOn.get(day) ?? 0) + (unspent.get(day) ?? 0),
        'what was taken of a day is not what was spent and is held of it',
      )
      must(taken <= allowed.cap, 'a day has cost more than its cap')
    }
  }
  return { check, broken, replay: async () => replayOf(await entriesNow()).credits }
}
