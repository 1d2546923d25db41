import { SYSTEM } from '../../records/collection.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Billing } from '../billing/service.ts'
import { standingOf } from '../common/account-status.ts'
import type { Standing } from '../common/account-status.ts'
import type { ListPage, ListQuery } from '../common/list-page.ts'
import { readPage } from '../common/list-page.ts'
import { isoTime } from '../common/time.ts'
import type { Core } from '../core.ts'
import { recount } from '../limits/holdings.ts'
import type { HoldingKind } from '../limits/records.ts'
import { storedBytes } from '../limits/stored-bytes.ts'
import type { ExecutionStatus } from '../executions/records.ts'
import type { AccountDetail as DetailOnWire, AccountSummary } from './answers.ts'
import type { AccountStateRecord, OperatorRecords } from './records.ts'

/** Filters of the list of accounts. All conditions must hold. */
export interface AccountsQuery extends ListQuery {
  /** A part of its name, in any case. */
  readonly q?: string
  readonly state?: Standing
  readonly plan?: string
}

/** An account with all facts for operators. */
export interface AccountView extends Omit<DetailOnWire, 'balance' | 'subscription'> {
  readonly balance: Awaited<ReturnType<Billing['balance']>>
  readonly subscription: Awaited<ReturnType<Billing['subscription']>>
}

/** Accounts as operators see them. */
export interface AccountsView {
  list(query: AccountsQuery): Promise<ListPage<AccountSummary>>
  /** @throws {PlatformError} 404 for an account that has no record */
  get(account: string): Promise<AccountView>
  /** @throws {PlatformError} 404 for an account that has no record */
  demand(account: string): Promise<void>
}

/**
 * Maximum number of accounts that one request reads. So a filter with few matches gives a short
 * page with a cursor.
 */
const MOST_SCANNED = 400
const AT_ONCE = 20
/** Maximum number of runs of one state that are counted. */
const MOST_COUNTED = 1_000
const UNFINISHED = ['queued', 'running', 'paused'] as const satisfies readonly ExecutionStatus[]

/** Opens the view. `billing` reads the money of an account. */
export function openAccounts(
  core: Core,
  operatorRecords: OperatorRecords,
  billing: Pick<Billing, 'balance' | 'subscription'>,
): AccountsView {
  const { records, cursors, clock, ledger } = core
  const { states, accountsAfter, hasRecord } = operatorRecords

  const stateOf = async (account: string) => {
    const own = (await states.get(SYSTEM, account))?.value ?? null
    return { standing: await standingOf(core.accountStatus, account), own }
  }
  const runsOf = async (account: string) => {
    const [queued = 0, running = 0, paused = 0] = await Promise.all(
      UNFINISHED.map(
        async (status) =>
          (
            await records.executions.listIds('status', account, {
              within: [status],
              limit: MOST_COUNTED,
            })
          ).length,
      ),
    )
    return { queued, running, paused }
  }
  const summaryOf = async (
    account: string,
    { standing, own }: Awaited<ReturnType<typeof stateOf>>,
  ): Promise<AccountSummary> => {
    const [{ credits, plan }, runs] = await Promise.all([
      ledger.balance(account, clock.now()),
      runsOf(account),
    ])
    return {
      id: account,
      state: standing,
      reason: own === null || own.state === 'active' ? null : own.reason,
      plan: { id: plan.id, name: plan.name },
      wallet: credits.wallet,
      held: credits.held,
      runs,
    }
  }
  /** `null`: the filter leaves the account out. */
  const matching = async (
    account: string,
    { q, state, plan }: AccountsQuery,
  ): Promise<AccountSummary | null> => {
    if (q !== undefined && !account.toLowerCase().includes(q.toLowerCase())) return null
    const present = await stateOf(account)
    if (state !== undefined && present.standing !== state) return null
    if (plan !== undefined && (await core.planOf(account)).id !== plan) return null
    return summaryOf(account, present)
  }
  const countOf = async (account: string, kind: HoldingKind): Promise<number> =>
    (await records.holdings.get(account, kind))?.value.count ?? recount(records, account, kind)

  const demand = async (account: string): Promise<void> => {
    if (account === SYSTEM) throw notFound('Account')
    if (await hasRecord(account)) return
    // All records of a suspended account may have been deleted. It can still be resumed. A closed
    // account without records was erased.
    if ((await states.get(SYSTEM, account))?.value.state !== 'suspended') throw notFound('Account')
  }

  return {
    list: (query) =>
      readPage(
        cursors,
        {
          account: SYSTEM,
          operation: 'operator.accounts',
          filter: [query.q ?? null, query.state ?? null, query.plan ?? null],
        },
        query,
        async (after, limit) => {
          const items: AccountSummary[] = []
          let position = after === null ? null : String(after[0])
          for (let scanned = 0; scanned < MOST_SCANNED; scanned += AT_ONCE) {
            const names = await accountsAfter(position, AT_ONCE)
            const summaries = await Promise.all(names.map((name) => matching(name, query)))
            for (const [index, summary] of summaries.entries()) {
              if (summary !== null) {
                if (items.length === limit) return { items, next: [position ?? ''] }
                items.push(summary)
              }
              position = names[index] ?? position
            }
            if (names.length < AT_ONCE) return { items, next: null }
          }
          return { items, next: [position ?? ''] }
        },
      ),

    demand,

    async get(account) {
      await demand(account)
      const principal = { account, user: '', scopes: [] }
      const present = await stateOf(account)
      const [summary, balance, subscription, keys, tasks, datasets, bytes] = await Promise.all([
        summaryOf(account, present),
        billing.balance(principal),
        billing.subscription(principal),
        countOf(account, 'keys'),
        countOf(account, 'tasks'),
        countOf(account, 'datasets'),
        storedBytes(records, account),
      ])
      return {
        ...summary,
        set: present.own === null ? null : setOf(present.own),
        balance,
        subscription,
        holds: { keys, tasks, datasets, bytes },
      }
    },
  }
}

/** The state that an operator has set for an account, on the wire. */
export function setOf({ account, state, reason, since, by }: AccountStateRecord) {
  return { id: account, state, reason, since: isoTime(since), by }
}
