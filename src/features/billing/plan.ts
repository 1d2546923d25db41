import type { RateService } from '../../kernel/http/route.ts'
import type { PageLimits } from '../../ports/page-limits.ts'
import type { Rate } from '../../ports/limiter.ts'
import { pageLimitsOf } from '../ledger/account-plan.ts'
import { capsOf, mostExecutions } from '../ledger/plans.ts'
import type { Caps, PlanAccess, PlanDefinition } from '../ledger/plans.ts'

/** A plan on the wire. `null`: no limit, or the platform's default. */
export interface Plan {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly creditsPerMonth: number
  readonly creditsExpire: 'never' | 'month-end' | { readonly months: number }
  readonly overdraft: number | null
  readonly dailyCap: number | null
  readonly concurrentExecutions: number | null
  readonly retentionDays: number | null
  /** Rate of calls by service. `null`: no limit. An unnamed service has the platform's own rate. */
  readonly rates: Readonly<Partial<Record<RateService, Rate | null>>>
  readonly previews: {
    readonly perDay: number | null
    readonly perScope: number | null
    readonly urls: number | null
  }
  readonly caps: Caps
  readonly page: PageLimits
  readonly price: { readonly amount: number; readonly currency: string } | null
  readonly access: PlanAccess
}

/** Access of a plan, with its default. */
export function accessOf({ access, price }: PlanDefinition): PlanAccess {
  return access ?? (price && price.amount > 0 ? 'listed' : 'self-service')
}

/** Converts a plan to the wire. */
export function planView(plan: PlanDefinition): Plan {
  const { perDay = null, perScope = null, urls = null } = plan.previews ?? {}
  return {
    id: plan.id,
    name: plan.name,
    description: plan.description ?? '',
    creditsPerMonth: plan.creditsPerMonth,
    creditsExpire: plan.creditsExpire ?? 'month-end',
    overdraft: plan.overdraft === undefined ? 0 : plan.overdraft,
    dailyCap: plan.dailyCap ?? null,
    concurrentExecutions: mostExecutions(plan),
    retentionDays: plan.retentionDays ?? null,
    rates: Object.fromEntries(
      Object.entries(plan.rates ?? {}).map(([service, rate]) => [
        service,
        rate === false ? null : rate,
      ]),
    ),
    previews: { perDay, perScope, urls },
    caps: capsOf(plan),
    page: pageLimitsOf(plan),
    price: plan.price ?? null,
    access: accessOf(plan),
  }
}
