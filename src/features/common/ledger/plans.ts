import type { Rate } from '../../../ports/limiter.ts'
import type { RateService } from '../../../kernel/route.ts'
import type { Outcome } from '../../../records/types.ts'

/** Credits that a page costs, by what became of it; an outcome that is not named costs nothing. */
export type PriceTable = Readonly<Partial<Record<Extract<Outcome, 'fetched' | 'unchanged'>, number>>>

/** What an account may do, and what it gets each month. */
export interface PlanDefinition {
  readonly id: string
  readonly name: string
  readonly description?: string
  /** Granted at the beginning of each month, UTC. */
  readonly creditsPerMonth: number
  /** When granted credits are lost: never, when their month ends, or so many months after it began. Default `month-end`. */
  readonly creditsExpire?: 'never' | 'month-end' | { readonly months: number }
  /** Credits that the wallet may be below zero; `null`: no floor. Default 0. */
  readonly overdraft?: number | null
  /** Credits that may be spent in a day, UTC; `null` (default): no cap. */
  readonly dailyCap?: number | null
  /** Unfinished executions at the same time; `null` (default): any number. */
  readonly concurrentExecutions?: number | null
  /** Calls by service; a service that is not named has the platform's own rate. */
  readonly rates?: Readonly<Partial<Record<RateService, Rate | false>>>
  /** Previews a day in all, in a narrower scope, and URLs in one; what is not named is the platform's own. */
  readonly previews?: { readonly perDay?: number; readonly perScope?: number; readonly urls?: number }
  /** Days that finished executions are kept; `null` (default): for ever. */
  readonly retentionDays?: number | null
  /** What it costs a month, to be shown: in the smallest unit of an ISO 4217 currency. */
  readonly price?: { readonly amount: number; readonly currency: string }
}

/** How money is dealt with. */
export interface Tariff {
  /** The first is the one that accounts have without a subscription. */
  readonly plans: readonly [PlanDefinition, ...PlanDefinition[]]
  readonly prices: PriceTable
  /** `balance.low` is emitted when the wallet falls below it; `null`: never. */
  readonly lowBalance: number | null
}

/** Where nothing is said of plans: everybody may spend, and it is counted. */
export const OPEN_PLAN: PlanDefinition = { id: 'open', name: 'Open', description: 'Nothing is limited; what is spent is counted.', creditsPerMonth: 0, overdraft: null }

/** A page that was fetched and read costs one credit; nothing else costs anything. */
export const DEFAULT_PRICES: PriceTable = { fetched: 1 }

/** The tariff of a platform whose host says nothing of money. */
export const OPEN_TARIFF: Tariff = { plans: [OPEN_PLAN], prices: DEFAULT_PRICES, lowBalance: null }

/** The plan of that name, or the first. */
export function planOf(tariff: Tariff, id: string | undefined): PlanDefinition {
  return tariff.plans.find((plan) => plan.id === id) ?? tariff.plans[0]
}
