import { PlatformError } from '../kernel/errors.ts'
import { siteOf, subscriberOf } from '../kernel/ip-address.ts'
import type { Principal, RateService } from '../kernel/http/route.ts'
import type { Clock } from '../ports/clock.ts'
import type { Limiter, Rate, Taken } from '../ports/limiter.ts'
import type { Logger } from '../ports/logger.ts'
import type { HeaderBag } from './respond.ts'

/**
 * What is counted apart: the calls of each service, and refused credentials (401), whatever service
 * they were sent to.
 */
export type Counted = RateService | 'authentication'

/**
 * Calls a minute of each service, and refused credentials a minute of an address; `false` for no
 * limit.
 */
export type Rates = Readonly<Partial<Record<Counted, Rate | false>>>

/**
 * 120 calls a minute, which may all come at once: a dashboard that opens with forty
 * calls is no abuse.
 */
export const DEFAULT_RATE: Rate = { limit: 120, periodMs: 60_000, burst: 119 }

/** What {@link createRateLimit} works with. */
export interface RateLimitOptions {
  /** `null`: no limits at all. */
  readonly limiter: Limiter | null
  readonly rates: Rates
  /** The rate that an account's plan names for a service; `null`: the platform's own. */
  readonly rateOf?: RateOf
  readonly clock: Clock
  readonly logger: Logger
}

/** The rate of an account's own for a service: `null` for the platform's, `false` for none. */
export type RateOf = (account: string, service: RateService) => Promise<Rate | false | null>

/** Whom a call is counted for. */
export interface Caller {
  readonly name: string
  /** Whose plan says the rate; empty for nobody's. */
  readonly account: string
  /** Callers that stand behind this name: it has so many times the rate. */
  readonly times: number
}

/**
 * Counts one call for each of its callers and notes the headers; throws 429 `RATE_LIMIT_EXCEEDED`
 * if one has none left.
 */
export type RateLimit = (
  counted: Counted | null,
  callers: readonly Caller[],
  headers: HeaderBag,
) => Promise<void>

/**
 * How many times the rate of a /64 its /48 has: subscribers of one provider share it, and who is
 * given a /48 has 65,536 of the others.
 */
const SITE_TIMES = 16

/** A limiter that fails lets calls through: it protects the service and must not be what stops it. */
export function createRateLimit({
  limiter,
  rates,
  rateOf,
  clock,
  logger,
}: RateLimitOptions): RateLimit {
  const take = async (
    by: Limiter,
    counted: Counted,
    { name, account, times }: Caller,
  ): Promise<Taken | null> => {
    const own =
      rateOf && account !== '' && counted !== 'authentication'
        ? await rateOf(account, counted)
        : null
    const rate = own ?? rates[counted] ?? DEFAULT_RATE
    if (rate === false) return null
    // A rate of a plan counts for itself: whoever comes to it begins anew, and no call of before
    // stands in the way.
    return by.take(
      own ? `${counted}:${own.limit}/${own.periodMs}+${own.burst}:${name}` : `${counted}:${name}`,
      multiplied(rate, times),
    )
  }
  return async (counted, callers, headers) => {
    if (limiter === null || counted === null) return
    let least: Taken | null = null
    try {
      for (const caller of callers) {
        const taken = await take(limiter, counted, caller)
        if (
          taken !== null &&
          (least === null || !taken.allowed || taken.remaining < least.remaining)
        )
          least = taken
        if (taken?.allowed === false) break
      }
    } catch (error) {
      logger.warn('The rate limiter failed; the call was let through', { error })
      return
    }
    if (least === null) return
    headers['X-RateLimit-Limit'] = String(least.limit)
    headers['X-RateLimit-Remaining'] = String(least.remaining)
    if (least.allowed) return
    throw new PlatformError('RATE_LIMIT_EXCEEDED', 'Too many requests', {
      headers: {
        'X-RateLimit-Reset': String(Math.ceil(least.resetAt / 1000)),
        'Retry-After': String(Math.max(1, Math.ceil((least.resetAt - clock.now()) / 1000))),
      },
    })
  }
}

function multiplied(rate: Rate, times: number): Rate {
  return times === 1
    ? rate
    : { limit: rate.limit * times, periodMs: rate.periodMs, burst: (rate.burst + 1) * times - 1 }
}

/**
 * Whom a call is counted for: the user, else the address, an IPv6 one with its /64
 * and its /48; nobody if neither is known.
 */
export function callersOf(
  principal: Principal | null,
  clientIp: string | undefined,
): readonly Caller[] {
  // JSON keeps the two parts apart whatever characters they have.
  if (principal && principal.account !== '')
    return [
      {
        name: `user:${JSON.stringify([principal.account, principal.user])}`,
        account: principal.account,
        times: 1,
      },
    ]
  if (clientIp === undefined || clientIp === '') return []
  const site = siteOf(clientIp)
  const subscriber = { name: `ip:${subscriberOf(clientIp)}`, account: '', times: 1 }
  return site === null
    ? [subscriber]
    : [subscriber, { name: `ip:${site}`, account: '', times: SITE_TIMES }]
}
