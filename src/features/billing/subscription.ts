import { PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { Change } from '../../records/change.ts'
import { retryOrBusy } from '../../records/retry.ts'
import type { SubscriptionRecord } from '../ledger/records.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import { expiryOf, entryOf } from '../ledger/account-session.ts'
import type { AccountSession } from '../ledger/account-session.ts'
import { endOfMonth, startOfMonth, isoTimeOrNull } from '../common/time.ts'
import { planOf } from '../ledger/plans.ts'
import type { PlanDefinition } from '../ledger/plans.ts'
import { accessOf, planView } from './plan.ts'
import type { Plan } from './plan.ts'
import type { Core } from '../core.ts'

/** An account's subscription, on the wire. */
export interface Subscription {
  readonly plan: Plan
  /**
   * The account's own cap on the credits it spends in a day, UTC. The plan's cap applies too.
   * `null`: no cap of its own.
   */
  readonly dailyCap: number | null
  /** When this plan was chosen. `null`: the account has never chosen one. */
  readonly since: string | null
}

/** The wanted subscription. */
export interface SubscriptionInput {
  /** Id of a plan. */
  readonly plan: string
  /** Absent or `null`: no cap of its own. */
  readonly dailyCap?: number | null
}

/** Subscriptions of accounts. */
export interface Subscriptions {
  get(account: string): Promise<Subscription>
  /**
   * Takes effect at once. A plan with more credits grants the difference for the rest of the month,
   * rounded down. A plan with fewer credits does not take credits away. `asOperator`: any plan is
   * allowed.
   */
  set(
    account: string,
    input: SubscriptionInput,
    asOperator: boolean,
    preconditions?: Preconditions,
  ): Promise<Subscription>
}

/** Opens the subscriptions. */
export function createSubscriptions({ records, ledger, tariff, clock }: Core): Subscriptions {
  const view = (record: SubscriptionRecord | undefined): Subscription => ({
    plan: planView(planOf(tariff, record?.plan)),
    dailyCap: record?.dailyCap ?? null,
    since: isoTimeOrNull(record?.since ?? null),
  })

  const choose = (id: string, present: PlanDefinition, asOperator: boolean): PlanDefinition => {
    const candidate = tariff.plans.find((plan) => plan.id === id)
    if (
      candidate &&
      (asOperator || candidate.id === present.id || accessOf(candidate) === 'self-service')
    )
      return candidate
    if (candidate && accessOf(candidate) === 'listed')
      throw new PlatformError(
        'PAYMENT_REQUIRED',
        `The plan ${candidate.name} must be paid for: ask the operator of this service`,
      )
    const shown = tariff.plans.filter(
      (plan) => accessOf(plan) !== 'private' || plan.id === present.id,
    )
    throw badRequest([
      {
        path: 'plan',
        message: `is not a plan; the plans are ${shown.map((plan) => plan.id).join(', ')}`,
      },
    ])
  }

  /**
   * Monthly credits that this month's grants already cover: those of the account's largest plan in
   * this month.
   */
  const grantedFor = async (account: string, session: AccountSession): Promise<number> => {
    const [first, causes] = await Promise.all([
      entryOf(records, account, `plan:${session.period}`),
      records.causes.getMany(
        account,
        tariff.plans.map(({ id }) => [`plan:${session.period}:${id}`]),
      ),
    ])
    return Math.max(
      session.plan.creditsPerMonth,
      first?.moves.wallet ?? 0,
      ...tariff.plans.map(({ creditsPerMonth }, index) => (causes[index] ? creditsPerMonth : 0)),
    )
  }
  const grant = async (
    account: string,
    session: AccountSession,
    plan: PlanDefinition,
    now: number,
  ): Promise<void> => {
    const [start, end] = [startOfMonth(session.period), endOfMonth(session.period)]
    const moreCredits = plan.creditsPerMonth - (await grantedFor(account, session))
    const amount = Math.floor((moreCredits * (end - now)) / (end - start))
    if (amount > 0)
      session.bring(
        'grant',
        `plan:${session.period}:${plan.id}`,
        amount,
        now,
        expiryOf(plan, session.period),
        { note: `Credits of the plan ${plan.name} for the rest of the month` },
      )
  }

  return {
    get: async (account) => view((await records.subscriptions.get(account))?.value),

    set: (account, { plan: id, dailyCap = null }, asOperator, preconditions) =>
      ledger.alone(account, () =>
        retryOrBusy('The subscription', async () => {
          const now = clock.now()
          // Past months are closed with the plan they had.
          const session = await ledger.open(account, now)
          const { subscription: old } = session
          preconditions?.expect(view(old?.value))
          const plan = choose(id, session.plan, asOperator)
          const isSame = plan.id === session.plan.id
          const change = new Change()
          if (!isSame) {
            await grant(account, session, plan, now)
            records.planChanges.put(change, account, { period: session.period, plan: plan.id })
          }
          const next: SubscriptionRecord = {
            plan: plan.id,
            since: isSame && old ? old.value.since : now,
            dailyCap,
          }
          if (old) records.subscriptions.update(change, account, old, next)
          else records.subscriptions.insert(change, account, next)
          // The wallet is always written, so that a commit that depends on the former plan fails.
          session.write(change)
          const data = view(next)
          return (await commitWithPreconditions(records, change, preconditions, data)) && data
        }),
      ),
  }
}
