import { PlatformError } from '../kernel/errors.ts'
import { subscriberOf } from '../kernel/ip-address.ts'
import type { Principal, RateService } from '../kernel/route.ts'
import type { Clock } from '../ports/clock.ts'
import type { Limiter, Rate, Taken } from '../ports/limiter.ts'
import type { Logger } from '../ports/logger.ts'
import type { HeaderBag } from './header-bag.ts'

/** Calls a minute of each service, or `false` for no limit. */
export type Rates = Readonly<Partial<Record<RateService, Rate | false>>>

/** 120 calls a minute, which may all come at once (spec part 8): a dashboard that opens with forty calls is no abuse. */
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

/** Counts one call of a service and notes the headers; throws 429 `RATE_LIMIT_EXCEEDED`. `account`: whose plan says the rate; empty for nobody's. */
export type RateLimit = (service: RateService | null, caller: string | null, headers: HeaderBag, account: string) => Promise<void>

/** A limiter that fails lets calls through: it protects the service and must not be what stops it. */
export function createRateLimit({ limiter, rates, rateOf, clock, logger }: RateLimitOptions): RateLimit {
  return async (service, caller, headers, account) => {
    if (limiter === null || service === null || caller === null) return
    let taken: Taken
    try {
      const own = rateOf && account !== '' ? await rateOf(account, service) : null
      const rate = own ?? rates[service] ?? DEFAULT_RATE
      if (rate === false) return
      // A rate of a plan counts for itself: whoever comes to it begins anew, and no call of before stands in the way.
      taken = await limiter.take(own ? `${service}:${own.limit}/${own.periodMs}+${own.burst}:${caller}` : `${service}:${caller}`, rate)
    } catch (error) {
      logger.warn('The rate limiter failed; the call was let through', { error })
      return
    }
    headers['X-RateLimit-Limit'] = String(taken.limit)
    headers['X-RateLimit-Remaining'] = String(taken.remaining)
    if (taken.allowed) return
    throw new PlatformError('RATE_LIMIT_EXCEEDED', 'Too many requests', {
      headers: {
        'X-RateLimit-Reset': String(Math.ceil(taken.resetAt / 1000)),
        'Retry-After': String(Math.max(1, Math.ceil((taken.resetAt - clock.now()) / 1000))),
      },
    })
  }
}

/** The name under which a caller is counted: the user, else the address (spec part 8); `null` if neither is known. */
export function callerOf(principal: Principal | null, clientIp: string | undefined): string | null {
  // JSON keeps the two parts apart whatever characters they have.
  if (principal && principal.account !== '') return `user:${JSON.stringify([principal.account, principal.user])}`
  return clientIp === undefined || clientIp === '' ? null : `ip:${subscriberOf(clientIp)}`
}
