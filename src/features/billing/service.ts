import { once } from '../../kernel/concurrency.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import type { Balance } from './balance.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import type { Adjustment, Refund } from '../ledger/corrections.ts'
import { planOf } from '../ledger/plans.ts'
import type { ExportFile } from '../common/downloads.ts'
import type { ListPage, ListQuery } from '../common/list-page.ts'
import type { Activity } from './activity.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import type { EntryQuery, BillingEntry } from './entries.ts'
import { entryOf } from './entries.ts'
import { accessOf, planView } from './plan.ts'
import type { Plan } from './plan.ts'
import type { StatementFormat } from './statement-file.ts'
import type { Statement, StatementPage, Statements } from './statements.ts'
import type { Subscription, SubscriptionInput } from './subscription.ts'
import type { PurchasedCredits, TopUpInput } from './top-ups.ts'
import type { CallerKind, CallerUsage } from './caller-usage.ts'
import type { BillingUsage } from './usage.ts'
import type { Payments } from '../../ports/payments.ts'
import type { Core } from '../core.ts'

/** Plans and prices, on the wire. */
export interface Plans {
  readonly plans: readonly Plan[]
  /** Id of the account's own plan. */
  readonly current: string
  /** Credits a page costs, by outcome. Unnamed outcomes are free. */
  readonly prices: Readonly<Record<string, number>>
  /** True if credits can be bought here. */
  readonly topUps: boolean
}

/**
 * The credits of an account: its balance, its spending and its purchases. Writes accept
 * {@link Preconditions}.
 */
export interface Billing {
  balance(principal: Principal): Promise<Balance>
  /** Newest first. */
  ledger(principal: Principal, query?: EntryQuery): Promise<ListPage<BillingEntry>>
  /** Newest first. All entries of an execution are one line. */
  activity(principal: Principal, query?: CreatedQuery): Promise<ListPage<Activity>>
  /** Usage of the open month, unless another month is named. */
  usage(principal: Principal, query?: { readonly period?: string }): Promise<BillingUsage>
  /** Usage of the open month by caller, unless another month is named. `by`: default `key`. */
  callers(
    principal: Principal,
    query?: { readonly period?: string; readonly by?: CallerKind },
  ): Promise<CallerUsage>
  plans(principal: Principal): Promise<Plans>
  subscription(principal: Principal): Promise<Subscription>
  /**
   * @throws {PlatformError} 400 for an unknown plan, 402 for a plan that accounts cannot choose
   *   themselves
   */
  subscribe(
    principal: Principal,
    input: SubscriptionInput,
    preconditions?: Preconditions,
  ): Promise<Subscription>
  /** Newest first. */
  statements(principal: Principal, query?: CreatedQuery): Promise<ListPage<Statement>>
  /** `period`: `YYYY-MM`. */
  statement(principal: Principal, period: string, query?: ListQuery): Promise<StatementPage>
  statementFile(principal: Principal, period: string, format: StatementFormat): Promise<ExportFile>
  /** @throws {PlatformError} 501 without a payment provider, 503 if the provider fails */
  topUp(
    principal: Principal,
    input: TopUpInput,
    preconditions?: Preconditions,
  ): Promise<PurchasedCredits>
  /** Newest first. */
  topUps(principal: Principal, query?: CreatedQuery): Promise<ListPage<PurchasedCredits>>
  getTopUp(principal: Principal, id: string): Promise<PurchasedCredits>

  /**
   * For operators: call it when the payment provider confirms a top-up. Repeated calls credit it
   * once.
   */
  confirmTopUp(id: string): Promise<PurchasedCredits>
  /**
   * For operators: call it when the payment was not made.
   *
   * @throws {PlatformError} 409 for a top-up that was paid
   */
  failTopUp(id: string, reason: string): Promise<PurchasedCredits>
  /**
   * For operators: refunds the cost of a finished execution. A repeat with the same `id` changes
   * nothing.
   */
  refund(account: string, refund: Refund): Promise<BillingEntry>
  /** For operators: gives or takes credits. A repeat with the same `id` changes nothing. */
  adjust(
    account: string,
    adjustment: Adjustment,
    preconditions?: Preconditions,
  ): Promise<BillingEntry>
  /** For operators: sets any plan, including one that accounts cannot choose. */
  setPlan(
    account: string,
    input: SubscriptionInput,
    preconditions?: Preconditions,
  ): Promise<Subscription>
}

/** The service of billing. */
export function createBilling(
  core: Core,
  statements: () => Promise<Statements>,
  payments: Payments | null,
): Billing {
  const { records, ledger, tariff, shares, cursors, clock } = core
  const subscriptions = once(async () =>
    (await import('./subscription.ts')).createSubscriptions(core),
  )
  const topUps = once(async () => (await import('./top-ups.ts')).createTopUps(core, payments))
  const prices = Object.fromEntries(
    Object.entries(tariff.prices).filter(
      (price): price is [string, number] => typeof price[1] === 'number',
    ),
  )

  return {
    balance: async ({ account }) => (await import('./balance.ts')).readBalance(core, account),
    async ledger({ account }, query = {}) {
      await ledger.refresh(account, clock.now())
      return (await import('./entries.ts')).readEntries({ records, cursors }, account, query)
    },
    async activity({ account }, query = {}) {
      await ledger.refresh(account, clock.now())
      return (await import('./activity.ts')).readActivity(core, account, query)
    },
    async usage({ account }, { period } = {}) {
      await ledger.refresh(account, clock.now())
      return (await import('./usage.ts')).readUsage(
        records,
        account,
        period ?? (await ledger.period(account, clock.now())).value.open,
      )
    },
    callers: async ({ account }, { period, by = 'key' } = {}) =>
      (await import('./caller-usage.ts')).readCallerUsage(
        records,
        account,
        period ?? (await ledger.period(account, clock.now())).value.open,
        by,
      ),
    async plans({ account }) {
      const current = planOf(tariff, (await records.subscriptions.get(account))?.value.plan)
      const shown = tariff.plans.filter(
        (plan) => plan.id === current.id || accessOf(plan) !== 'private',
      )
      return { plans: shown.map(planView), current: current.id, prices, topUps: payments !== null }
    },
    subscription: async ({ account }) => (await subscriptions()).get(account),
    subscribe: async ({ account }, input, preconditions) =>
      (await subscriptions()).set(account, input, false, preconditions),
    statements: async ({ account }, query = {}) => (await statements()).list(account, query),

    statement: async ({ account }, period, query = {}) =>
      (await statements()).page(account, period, query),
    async statementFile({ account }, period, format) {
      const statement = await (await statements()).get(account, period)
      const [{ STATEMENT_TYPES, writeStatement }, { entriesOf }, { pullStream }] =
        await Promise.all([
          import('./statement-file.ts'),
          import('./entries.ts'),
          import('../common/export-rows.ts'),
        ])
      return {
        name: `statement-${period}.${format}`,
        contentType: STATEMENT_TYPES[format],
        body: await pullStream(
          writeStatement(format, statement, entriesOf(records, account, period)),
          { account, shares },
        ),
      }
    },

    topUp: async (principal, input, preconditions) =>
      (await topUps()).create(principal, input, preconditions),
    topUps: async ({ account }, query = {}) => (await topUps()).list(account, query),
    getTopUp: async ({ account }, id) => (await topUps()).get(account, id),
    confirmTopUp: async (id) => (await topUps()).confirm(id),
    failTopUp: async (id, reason) => (await topUps()).fail(id, reason),
    refund: async (account, refund) => entryOf(await ledger.refund(account, refund, clock.now())),
    adjust: async (account, adjustment, preconditions) =>
      entryOf(
        await ledger.adjust(account, adjustment, clock.now(), (change, entry) =>
          commitWithPreconditions(records, change, preconditions, entryOf(entry)),
        ),
      ),
    setPlan: async (account, input, preconditions) =>
      (await subscriptions()).set(account, input, true, preconditions),
  }
}
