import type { Rate } from '../../ports/limiter.ts'
import type { PageLimits } from '../../ports/page-processor.ts'
import { DEFAULT_PRICES } from '../../kernel/price.ts'
import type { PriceTable } from '../../kernel/price.ts'
import type { RateService } from '../../kernel/http/route.ts'
import { DEFAULT_PAGE_LIMITS } from '../../engine/extract/page/page-limits.ts'

/** What an account may do, and what it gets each month. */
export interface PlanDefinition {
  readonly id: string
  readonly name: string
  readonly description?: string
  /** Granted at the beginning of each month, UTC. */
  readonly creditsPerMonth: number
  /**
   * When granted credits are lost: never, when their month ends, or so many months after it began.
   * Default `month-end`.
   */
  readonly creditsExpire?: 'never' | 'month-end' | { readonly months: number }
  /** Credits that the wallet may be below zero; `null`: no floor. Default 0. */
  readonly overdraft?: number | null
  /** Credits that may be spent in a day, UTC; `null` (default): no cap. */
  readonly dailyCap?: number | null
  /** Unfinished executions at the same time; `null` (default): any number. */
  readonly concurrentExecutions?: number | null
  /** Calls by service; a service that is not named has the platform's own rate. */
  readonly rates?: Readonly<Partial<Record<RateService, Rate | false>>>
  /**
   * Previews a day in all, in a narrower scope, and URLs in one; what is not named is the
   * platform's own.
   */
  readonly previews?: {
    readonly perDay?: number
    readonly perScope?: number
    readonly urls?: number
  }
  /** The most that an account may have; what is not named is the platform's own. */
  readonly caps?: Partial<Caps>
  /**
   * What one page may cost, where that is less than the default: steps of work, and bytes of what
   * is made of it.
   */
  readonly page?: Partial<PageLimits>
  /** Days that finished executions are kept; `null` (default): for ever. */
  readonly retentionDays?: number | null
  /** What it costs a month, to be shown: in the smallest unit of an ISO 4217 currency. */
  readonly price?: { readonly amount: number; readonly currency: string }
  /**
   * Who may choose it: `self-service`, any account by itself; `listed`, everybody sees it and
   * operators give it, once it is paid say; `private`, only accounts that were given it see it.
   * Default `self-service`, and `listed` where it has a price.
   */
  readonly access?: PlanAccess
}

/** Who may choose a plan. */
export type PlanAccess = 'self-service' | 'listed' | 'private'

/** How money is dealt with. */
export interface Tariff {
  /** The first is the one that accounts have without a subscription. */
  readonly plans: readonly [PlanDefinition, ...PlanDefinition[]]
  readonly prices: PriceTable
  /** `balance.low` is emitted when the wallet falls below it; `null`: never. */
  readonly lowBalance: number | null
}

/** Where nothing is said of plans: everybody may spend, and it is counted. */
export const OPEN_PLAN: PlanDefinition = {
  id: 'open',
  name: 'Open',
  description: 'Nothing is limited; what is spent is counted.',
  creditsPerMonth: 0,
  overdraft: null,
}

/** The tariff of a platform whose host says nothing of money. */
export const OPEN_TARIFF: Tariff = { plans: [OPEN_PLAN], prices: DEFAULT_PRICES, lowBalance: null }

/** The plan of that name, or the first. */
export function planOf(tariff: Tariff, id: string | undefined): PlanDefinition {
  return tariff.plans.find((plan) => plan.id === id) ?? tariff.plans[0]
}

/**
 * What a host says of money; the rest is as in the {@link OPEN_TARIFF}.
 *
 * @throws {TypeError} for a tariff that makes no sense, naming what is wrong
 */
export function tariffOf({
  plans = OPEN_TARIFF.plans,
  prices = OPEN_TARIFF.prices,
  lowBalance = OPEN_TARIFF.lowBalance,
}: Partial<Tariff> = {}): Tariff {
  const isAmount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
  const ids = new Set(plans.map(({ id }) => id))
  for (const plan of plans) checkPlanLimits(plan)
  if (plans.length === 0) throw new TypeError('billing.plans is empty')
  if (ids.size < plans.length) throw new TypeError('billing.plans has two plans of the same id')
  for (const {
    id,
    creditsPerMonth,
    overdraft = 0,
    dailyCap = null,
    concurrentExecutions = null,
    creditsExpire = 'never',
  } of plans) {
    const amounts = {
      creditsPerMonth,
      overdraft: overdraft ?? 0,
      dailyCap: dailyCap ?? 0,
      concurrentExecutions: concurrentExecutions ?? 1,
      months: typeof creditsExpire === 'object' ? creditsExpire.months : 1,
    }
    for (const [name, value] of Object.entries(amounts))
      if (!isAmount(value))
        throw new TypeError(`billing.plans: ${name} of ${id} must be a whole number, 0 or more`)
    if (amounts.months === 0 || amounts.concurrentExecutions === 0)
      throw new TypeError(`billing.plans: ${id} allows nothing`)
  }
  for (const [outcome, price] of Object.entries(prices))
    if (!isAmount(price))
      throw new TypeError(`billing.prices.${outcome} must be a whole number of credits, 0 or more`)
  return { plans, prices, lowBalance }
}

/** The limits of a plan that are no credits. */
interface PlanLimits {
  readonly id: string
  readonly rates?: Readonly<Partial<Record<RateService, Rate | false>>>
  readonly previews?: {
    readonly perDay?: number
    readonly perScope?: number
    readonly urls?: number
  }
  readonly caps?: Partial<Caps>
  readonly page?: Partial<PageLimits>
  readonly retentionDays?: number | null
}

const isFrom = (least: number, value: number): boolean =>
  Number.isSafeInteger(value) && value >= least

/**
 * Holds the limits of a plan that are no credits against what they can be.
 *
 * @throws {TypeError} that names what is wrong
 */
function checkPlanLimits({
  id,
  rates = {},
  previews = {},
  caps = {},
  page = {},
  retentionDays = null,
}: PlanLimits): void {
  const wrong = (name: string, rule: string): TypeError =>
    new TypeError(`billing.plans: ${name} of ${id} ${rule}`)
  for (const [service, rate] of Object.entries(rates)) {
    if (
      rate !== false &&
      !(isFrom(1, rate.limit) && isFrom(1, rate.periodMs) && isFrom(0, rate.burst))
    )
      throw wrong(
        `rates.${service}`,
        'needs a limit and a periodMs from 1 and a burst from 0, whole numbers',
      )
  }
  for (const [name, value] of Object.entries(previews)) {
    const least = name === 'urls' ? 1 : 0
    if (value !== Infinity && !isFrom(least, value))
      throw wrong(`previews.${name}`, `must be a whole number from ${least}, or Infinity`)
  }
  for (const [name, value] of Object.entries(caps)) {
    if (value !== null && !isFrom(0, value))
      throw wrong(`caps.${name}`, 'must be a whole number from 0, or null')
  }
  for (const name of ['steps', 'bytes'] as const) {
    const most = DEFAULT_PAGE_LIMITS[name]
    const value = page[name] ?? most
    if (!isFrom(1, value) || value > most)
      throw wrong(`page.${name}`, `must be a whole number from 1 to ${most}, which is the default`)
  }
  if (retentionDays !== null && !isFrom(1, retentionDays))
    throw wrong('retentionDays', 'must be a whole number of days from 1, or null')
}

/** The most that an account may have; `null`: any number. */
export interface Caps {
  /** API keys that are not revoked. Default 1,000. */
  readonly keys: number | null
  /** Default 10,000. */
  readonly tasks: number | null
  /** Default 1,000. */
  readonly datasets: number | null
  /** Default 20. */
  readonly webhooks: number | null
  /** Streams of events, and waits for a run, that are open at the same time in one process. Default 100. */
  readonly streams: number | null
  /** Bytes of rows, kept pages and media of executions. Over it no execution starts. Default 1 TiB. */
  readonly bytes: number | null
}

/** The caps of accounts whose plan names none. */
const DEFAULT_CAPS: Caps = {
  keys: 1_000,
  tasks: 10_000,
  datasets: 1_000,
  webhooks: 20,
  streams: 100,
  bytes: 1_024 ** 4,
}

/** The caps of a plan: those that it names, else the defaults. */
export function capsOf({ caps = {} }: { readonly caps?: Partial<Caps> }): Caps {
  return { ...DEFAULT_CAPS, ...caps }
}
