import { PlatformError } from '../kernel/errors.ts'
import { checkRate } from '../kernel/fair/gcra.ts'
import { siteOf, subscriberOf } from '../kernel/ip-address.ts'
import type { Principal, RateService } from '../kernel/http/route.ts'
import type { Clock } from '../ports/clock.ts'
import type { Limiter, Rate, Taken } from '../ports/limiter.ts'
import type { Logger } from '../ports/logger.ts'
import type { HeaderBag } from './respond.ts'

/**
 * The counters of the rate limits: one for the calls of each service, and one for refused
 * credentials (401) of all services.
 */
export type RateCounter = RateService | 'authentication'

/** Rates of calls of each service, and of refused credentials of an address. `false`: no limit. */
export type Rates = Readonly<Partial<Record<RateCounter, Rate | false>>>

/** 120 calls a minute, with bursts: a dashboard may open with forty calls at once. */
export const DEFAULT_RATE: Rate = { limit: 120, periodMs: 60_000, burst: 119 }

/** Returns an account's own rate for a service. `null`: the platform's rate. `false`: no limit. */
export type RateOf = (account: string, service: RateService) => Promise<Rate | false | null>

/** A caller whose calls are counted. */
export interface RatedCaller {
  readonly name: string
  /** The account whose plan sets the rate. Empty: no account. */
  readonly account: string
  /** Number of callers that share this name. The rate is multiplied by it. */
  readonly times: number
}

/**
 * Counts one call for each of its callers and sets the headers. Throws 429 `RATE_LIMIT_EXCEEDED` if
 * a caller has no calls left.
 */
export type RateLimit = (
  counted: RateCounter | null,
  callers: readonly RatedCaller[],
  headers: HeaderBag,
) => Promise<void>

/**
 * The rate of a /48 is that of a /64 times this number. Subscribers of one provider can share a
 * /48, and a subscriber with a whole /48 has 65,536 networks of size /64.
 */
const SITE_TIMES = 16

/** A call of one caller, against the rate that applies to it. */
interface Counted {
  readonly rate: Rate
  readonly taken: Taken
}

/**
 * Creates the rate limit. If the limiter fails, calls pass, because a limiter protects the service
 * and must not stop it. A wrong rate would also make the limiter fail, so it is refused here.
 *
 * @throws {RangeError} for an invalid rate
 */
export function createRateLimit({
  limiter,
  rates,
  rateOf,
  clock,
  logger,
}: {
  /** `null`: no limits at all. */
  readonly limiter: Limiter | null
  readonly rates: Rates
  /** Returns the rate of an account's plan for a service. `null`: the platform's rate. */
  readonly rateOf?: RateOf
  readonly clock: Clock
  readonly logger: Logger
}): RateLimit {
  for (const rate of Object.values(rates)) if (rate) checkRate(rate, 0)
  let isToldOfNoAddress = false
  return async (counted, callers, headers) => {
    if (limiter === null || counted === null) return
    if (callers[0] === STRANGER && !isToldOfNoAddress) {
      isToldOfNoAddress = true
      logger.warn(
        'The host passes on no client address: all callers without a valid credential share one ' +
          'rate limit. Pass `clientIp` as the second argument of `fetch`',
      )
    }
    let least: Counted | null = null
    try {
      // This is one function, because each further promise would cost more than the count.
      for (const { name, account, times } of callers) {
        const planRate =
          rateOf && account !== '' && counted !== 'authentication'
            ? await rateOf(account, counted)
            : null
        const single = planRate ?? rates[counted] ?? DEFAULT_RATE
        if (single === false) continue
        const rate = multiplied(single, times)
        // A plan's rate has its own counter: an account that changes to the plan starts with a full
        // allowance, and its earlier calls do not count.
        const verdict = await limiter.take(
          planRate
            ? `${counted}:${planRate.limit}/${planRate.periodMs}+${planRate.burst}:${name}`
            : `${counted}:${name}`,
          rate,
        )
        if (least === null || !verdict.allowed || verdict.remaining < least.taken.remaining)
          least = { rate, taken: verdict }
        if (!verdict.allowed) break
      }
    } catch (error) {
      // A wrong rate is an error, and must not switch the limit off.
      if (error instanceof RangeError) throw error
      logger.warn('The rate limiter failed; the call was let through', { error })
      return
    }
    if (least === null) return
    const { rate, taken } = least
    // The number of calls that a full bucket allows at once, so that the remainder is never larger.
    headers['X-RateLimit-Limit'] = String(rate.burst + 1)
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

function multiplied(rate: Rate, times: number): Rate {
  return times === 1
    ? rate
    : { limit: rate.limit * times, periodMs: rate.periodMs, burst: (rate.burst + 1) * times - 1 }
}

/**
 * Callers without a user, on a host that does not pass on addresses. They are many, so together
 * they have the rate of a whole network.
 */
const STRANGER: RatedCaller = { name: 'ip:unknown', account: '', times: SITE_TIMES }

/**
 * Returns the callers for whom a call is counted: the user, or else the address. An IPv6 address
 * counts for its /64 and its /48. If neither is known, all such callers share one name.
 */
export function callersOf(
  principal: Principal | null,
  clientIp: string | undefined,
): readonly RatedCaller[] {
  // JSON separates the two parts without ambiguity.
  if (principal && principal.account !== '')
    return [
      {
        name: `user:[${jsonOf(principal.account)},${jsonOf(principal.user)}]`,
        account: principal.account,
        times: 1,
      },
    ]
  if (clientIp === undefined || clientIp === '') return [STRANGER]
  const site = siteOf(clientIp)
  const subscriber = { name: `ip:${subscriberOf(clientIp)}`, account: '', times: 1 }
  return site === null
    ? [subscriber]
    : [subscriber, { name: `ip:${site}`, account: '', times: SITE_TIMES }]
}

/** Matches a text that JSON writes without escapes. */
const PLAIN = /^[\w.@:|-]*$/

/**
 * Returns the JSON of a text. Most names need no escapes, and `JSON.stringify` costs ten times as
 * much for them.
 */
function jsonOf(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}
