import { isFinal } from '../../../src/features/executions/lifecycle.ts'
import { endOfMonth } from '../../../src/features/common/time.ts'
import type { LedgerEntry, StatementRecord } from '../../../src/features/ledger/records.ts'
import { createRecords } from '../../../src/features/records.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/kernel/time.ts'
import type { World } from '../world.ts'
import { statementFaults } from './statements.ts'

const ALL = 100_000
/** Clocks of processes differ, and a page is entered some time after its share of a day was taken. */
const APART_MS = 10 * MINUTE_MS

/** A closed month as it was when it was first seen. */
interface ClosedMonth {
  readonly statement: string
  readonly entries: string
}

/** The store with the ledgers of accounts, and the options with their plans. */
type Ledgers = Pick<World, 'store' | 'options'>

/** Sees that an account does what its plan allows, and that closed months stay; by its records only. */
export class MoneyOracle {
  readonly broken = new Set<string>()
  readonly #world: Ledgers
  readonly #account: string
  readonly #closed = new Map<string, ClosedMonth>()

  constructor(world: Ledgers, account: string) {
    this.#world = world
    this.#account = account
  }

  readonly check = async (): Promise<void> => {
    const records = createRecords(this.#world.store)
    const account = this.#account
    const [entries, statements] = await Promise.all([
      valuesOf(records.ledger.list(account, { limit: ALL })),
      valuesOf(records.statements.list(account, { limit: ALL })),
    ])
    this.#checkMonths(statements, entries)
    await this.#checkLots()
    await this.#checkPlan(entries)
  }

  /** A month that has a statement never changes, and the statement is the sum of its entries. */
  #checkMonths(statements: readonly StatementRecord[], entries: readonly LedgerEntry[]): void {
    for (const fault of statementFaults(statements, entries)) this.broken.add(fault)
    for (const statement of statements) {
      const month: ClosedMonth = {
        statement: JSON.stringify(statement),
        entries: JSON.stringify(entries.filter(({ period }) => period === statement.period)),
      }
      const before = this.#closed.get(statement.period) ?? month
      if (before.statement !== month.statement) this.broken.add('a statement has changed')
      if (before.entries !== month.entries) this.broken.add('a closed month has changed')
      this.#closed.set(statement.period, before)
    }
  }

  /** Granted credits expire with their month. */
  async #checkLots(): Promise<void> {
    const records = createRecords(this.#world.store)
    const [wallet, holds] = await Promise.all([
      records.wallets.get(this.#account),
      valuesOf(records.holds.list(this.#account, { limit: ALL })),
    ])
    const lots = wallet?.value.lots ?? []
    for (const { id, expiresAt } of [...lots, ...holds.flatMap((hold) => hold.lots)])
      if (id.startsWith('plan:') && expiresAt !== endOfMonth(id.split(':')[1] ?? ''))
        this.broken.add('granted credits do not expire with their month')
  }

  /** Caps, budgets and the credits themselves hold at each moment. */
  async #checkPlan(entries: readonly LedgerEntry[]): Promise<void> {
    const records = createRecords(this.#world.store)
    const account = this.#account
    const executions = await valuesOf(records.executions.list(account, { limit: ALL }))
    for (const { id, recipe } of executions) {
      const most = budgetOf(recipe)
      if (most === null) continue
      const progress = await records.progress.get(account, id)
      if ((progress?.value.credits ?? 0) > most)
        this.broken.add('an execution has spent more than its budget')
    }
    const plan = this.#world.options.billing?.plans?.[0]
    if (!plan) return
    const { dailyCap = null, concurrentExecutions = null } = plan
    const open = executions.filter(({ status }) => !isFinal(status)).length
    if (concurrentExecutions !== null && open > concurrentExecutions)
      this.broken.add('more executions are unfinished than the plan allows')
    const wallet = await records.wallets.get(account)
    if (open > (wallet?.value.unfinished ?? Infinity))
      this.broken.add('more executions are unfinished than the wallet has counted')
    // Only an operator takes credits that are not there.
    const isTaken = entries.some(({ kind, moves }) => kind === 'adjust' && (moves.wallet ?? 0) < 0)
    if (!isTaken && (wallet?.value.credits.wallet ?? 0) < 0)
      this.broken.add('more credits were spent than there were')
    if (dailyCap !== null && spentInDays(entries).some((credits) => credits > dailyCap))
      this.broken.add('more was spent in a day than its cap')
  }
}

/** Credits spent in each day, without what may belong to the day before or after it. */
function spentInDays(entries: readonly LedgerEntry[]): number[] {
  const days = new Map<number, number>()
  for (const { at: time, kind, moves } of entries) {
    const inDay = time % DAY_MS
    if (kind !== 'settle' && kind !== 'fetch') continue
    if (inDay < APART_MS || inDay > DAY_MS - APART_MS) continue
    const day = time - inDay
    days.set(day, (days.get(day) ?? 0) + (moves.revenue ?? 0))
  }
  return [...days.values()]
}

function budgetOf(recipe: unknown): number | null {
  const budget = memberOf(recipe, 'budget')
  const credits = memberOf(budget, 'credits')
  return typeof credits === 'number' ? credits : null
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : null
}

async function valuesOf<T>(list: Promise<readonly { readonly value: T }[]>): Promise<T[]> {
  return (await list).map(({ value }) => value)
}
