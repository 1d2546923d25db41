import type { Rate } from '../../ports/limiter.ts'
import type { PageLimits } from '../../ports/page-limits.ts'
import { DEFAULT_PRICES } from '../../kernel/price.ts'
import { withDefaults } from '../../kernel/options.ts'
import type { PriceTable } from '../../kernel/price.ts'
import type { RateService } from '../../kernel/http/route.ts'
import { DEFAULT_PAGE_LIMITS } from '../../engine/extract/page/page-limits.ts'

/** The limits of an account, and the credits it gets each month. */
export interface PlanDefinition {
  readonly id: string
  readonly name: string
  readonly description?: string
  /** Credits granted at the start of each month, UTC. */
  readonly creditsPerMonth: number
  /**
   * When granted credits expire: never, at the end of their month, or a number of months after its
   * start. Default `month-end`.
   */
  readonly creditsExpire?: 'never' | 'month-end' | { readonly months: number }
  /** How far the wallet may go below zero, in credits. `null`: no floor. Default 0. */
  readonly overdraft?: number | null
  /** Credits that may be spent in a day, UTC. `null` (default): no cap. */
  readonly dailyCap?: number | null
  /** Limit on unfinished executions. Default 10,000; `null`: no limit. */
  readonly concurrentExecutions?: number | null
  /** Rate of calls by service. An unnamed service has the platform's own rate. */
  readonly rates?: Readonly<Partial<Record<RateService, Rate | false>>>
  /**
   * Previews a day in all, previews a day in a narrower scope, and URLs in one preview. Unnamed
   * limits are the platform's own.
   */
  readonly previews?: {
    readonly perDay?: number
    readonly perScope?: number
    readonly urls?: number
  }
  /** Limits on what an account may have. Unnamed limits are the platform's own. */
  readonly caps?: Partial<Caps>
  /**
   * Limits of one page: steps of work, and bytes of its results. They can only be lower than the
   * defaults.
   */
  readonly page?: Partial<PageLimits>
  /** Days that finished executions are kept. `null` (default): for ever. */
  readonly retentionDays?: number | null
  /** The displayed price a month, in the smallest unit of an ISO 4217 currency. */
  readonly price?: { readonly amount: number; readonly currency: string }
  /**
   * Who may choose it. `self-service`: any account chooses it. `listed`: everybody sees it, and
   * operators assign it, for example once it is paid. `private`: only accounts that have it see it.
   * Default `self-service`, or `listed` if it has a price.
   */
  readonly access?: PlanAccess
}

/** The kinds of callers who may choose a plan. */
export type PlanAccess = 'self-service' | 'listed' | 'private'

/** The plans, prices and thresholds of a platform. */
export interface Tariff {
  /** Accounts without a subscription have the first plan. */
  readonly plans: readonly [PlanDefinition, ...PlanDefinition[]]
  readonly prices: PriceTable
  /** `balance.low` is emitted when the wallet falls below it. `null`: never. */
  readonly lowBalance: number | null
}

/**
 * The plan of a platform without plans: every account may spend without limit, and usage is
 * counted.
 */
export const OPEN_PLAN: PlanDefinition = {
  id: 'open',
  name: 'Open',
  description: 'Nothing is limited; usage is recorded.',
  creditsPerMonth: 0,
  overdraft: null,
}

/** The default tariff of an application. */
export const OPEN_TARIFF: Tariff = { plans: [OPEN_PLAN], prices: DEFAULT_PRICES, lowBalance: null }

/** The plan with an id, or the first plan. */
export function planOf(tariff: Tariff, id: string | undefined): PlanDefinition {
  return tariff.plans.find((plan) => plan.id === id) ?? tariff.plans[0]
}

/**
 * An application's tariff. Absent parts are those of the {@link OPEN_TARIFF}.
 *
 * @throws {TypeError} that names the error, for an invalid tariff
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
      throw new TypeError(`billing.plans: ${id} allows no credits`)
  }
  for (const [outcome, price] of Object.entries(prices))
    if (!isAmount(price))
      throw new TypeError(`billing.prices.${outcome} must be a whole number of credits, 0 or more`)
  return { plans, prices, lowBalance }
}

/** The limits of a plan other than credits. */
type PlanLimits = Pick<
  PlanDefinition,
  'id' | 'rates' | 'previews' | 'caps' | 'page' | 'retentionDays'
>

const isFrom = (least: number, value: number): boolean =>
  Number.isSafeInteger(value) && value >= least

/**
 * Checks the limits of a plan other than credits.
 *
 * @throws {TypeError} that names the error
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
    if (rate && !(isFrom(1, rate.limit) && isFrom(1, rate.periodMs) && isFrom(0, rate.burst)))
      throw wrong(
        `rates.${service}`,
        'needs a limit and a periodMs from 1 and a burst from 0, whole numbers',
      )
  }
  for (const [name, value] of Object.entries(previews)) {
    const least = name === 'urls' ? 1 : 0
    if (value !== undefined && value !== Infinity && !isFrom(least, value))
      throw wrong(`previews.${name}`, `must be a whole number from ${least}, or Infinity`)
  }
  for (const [name, value] of Object.entries(caps)) {
    if (value !== undefined && value !== null && !isFrom(0, value))
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

/** Limits on what an account may have. `null`: no limit. */
export interface Caps {
  /** API keys, without the revoked ones. Default 1,000. */
  readonly keys: number | null
  /** Default 10,000. */
  readonly tasks: number | null
  /** Default 1,000. */
  readonly datasets: number | null
  /** Default 20. */
  readonly webhooks: number | null
  /** Event streams, and waits for a run, that are open at the same time in one process. Default 100. */
  readonly streams: number | null
  /**
   * Bytes of rows, kept pages and media of executions, and of items and changes of datasets. Beyond
   * it no execution starts, and those that run end with the reason `bytes_limit`. Default 1 TiB.
   */
  readonly bytes: number | null
}

/** The caps of accounts whose plan does not set them. */
const DEFAULT_CAPS: Caps = {
  keys: 1_000,
  tasks: 10_000,
  datasets: 1_000,
  webhooks: 20,
  streams: 100,
  bytes: 1_024 ** 4,
}

/** The caps of a plan: those that it sets, else the defaults. */
export function capsOf({ caps = {} }: { readonly caps?: Partial<Caps> }): Caps {
  return withDefaults(DEFAULT_CAPS, caps)
}

/** The default limit on unfinished executions. */
const DEFAULT_EXECUTIONS = 10_000

/** The number of unfinished executions that a plan allows. `null`: any number. */
export function mostExecutions({
  concurrentExecutions = DEFAULT_EXECUTIONS,
}: Pick<PlanDefinition, 'concurrentExecutions'>): number | null {
  return concurrentExecutions
}
