import { checkOptions, required, withMethods } from '../../src/kernel/options.ts'
import { checkRate } from '../../src/kernel/fair/gcra.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Limiter, Rate, Taken } from '../../src/ports/limiter.ts'
import { textsOf, PREFIX } from './client.ts'
import type { RedisClient } from './client.ts'
import { TAKE } from './take-script.ts'

/** Options of {@link createRedisLimiter}. */
export interface RedisLimiterOptions {
  /** Your own client, `new Redis(…)` or `new Cluster(…)` of ioredis. End it yourself. */
  readonly client: RedisClient
  /** Prefix of the Redis keys. Default `seine`. */
  readonly prefix?: string
  /** Default: the server's own time, which all processes share. */
  readonly clock?: Pick<Clock, 'now'>
}

/**
 * Rate limits in Redis (GCRA), shared by all processes: one round trip a call, and as exact as in
 * memory. Each bucket is a key, which expires when it is full again; in a cluster keys spread over
 * all nodes.
 *
 * @example
 *   import { Redis } from 'ioredis'
 *
 *   const platform = createPlatform({
 *     limiter: createRedisLimiter({ client: new Redis('redis://localhost:6379') }),
 *   })
 *
 * @throws {TypeError} for wrong options
 */
export function createRedisLimiter(options: RedisLimiterOptions): Limiter {
  checkOptions<RedisLimiterOptions>('createRedisLimiter', options, {
    client: required(withMethods('a client of ioredis', 'call')),
    prefix: PREFIX,
    clock: withMethods('a clock', 'now'),
  })
  const { client, prefix = 'seine', clock } = options
  const names = `${prefix}:rate:`
  return {
    async take(key: string, rate: Rate, cost = 1): Promise<Taken> {
      checkRate(rate, cost)
      const values = [clock ? clock.now() : '', rate.limit, rate.periodMs, rate.burst, cost].map(
        String,
      )
      const [allowed, remaining, resetAt] = textsOf(await TAKE.run(client, [names + key], values))
      return {
        allowed: allowed === '1',
        limit: rate.limit,
        remaining: Number(remaining),
        resetAt: Number(resetAt),
      }
    },
    async close() {},
  }
}
