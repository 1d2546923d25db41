import { checkOptions, plainText, required, whole, withMethods } from '../../src/kernel/options.ts'
import { checkRate } from '../../src/kernel/fair/gcra.ts'
import { fnv1a, shortKey } from '../../src/kernel/short-key.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Limiter, Rate, Taken } from '../../src/ports/limiter.ts'
import type { ObjectNamespace } from './bindings.ts'
import type { LimiterCall } from './limiter-buckets.ts'
import { Refusals } from './refusals.ts'

/** Options of {@link createObjectLimiter}. */
export interface ObjectLimiterOptions {
  /** The binding of the objects, whose class is {@link LimiterObject}. */
  readonly namespace: ObjectNamespace
  /**
   * Number of objects that share the keys. Each answers about a thousand calls a second. Default 4.
   * A change of the number resets all limits.
   */
  readonly shards?: number
  /** Prefix of the objects' names, if several platforms share the binding. Default `seine`. */
  readonly prefix?: string
  /** Default: the objects' own time, the same for all isolates. */
  readonly clock?: Pick<Clock, 'now'>
}

/**
 * Refusals that an isolate knows, by binding. They outlive the event, because `serve` makes a
 * platform, and so a limiter, for each event.
 */
const LEARNT = new WeakMap<ObjectNamespace, Refusals>()

/**
 * Rate limits in Durable Objects (GCRA), exact over all isolates of a platform, as on D1. A call
 * costs one request to an object, or none if this isolate knows that it will be refused. `take`
 * rejects if the object cannot be reached; the platform lets such calls through.
 *
 * @example
 *   interface Env {
 *     DB: D1Database
 *     BLOBS: R2Bucket
 *     LIMITS: ObjectNamespace
 *   }
 *
 *   export { LimiterObject } from 'seine/cloudflare' // what LIMITS binds, a class of `new_sqlite_classes`
 *
 *   export const worker = serve<Env>({
 *     platform: ({ DB, BLOBS, LIMITS }) =>
 *       createPlatform({
 *         store: createD1Store({ database: DB }),
 *         blobs: createR2Blobs({ bucket: BLOBS }),
 *         limiter: createObjectLimiter({ namespace: LIMITS }),
 *       }),
 *   })
 *
 * @throws {TypeError} for wrong options
 */
export function createObjectLimiter(options: ObjectLimiterOptions): Limiter {
  checkOptions<ObjectLimiterOptions>('createObjectLimiter', options, {
    namespace: required(withMethods('a binding of Durable Objects', 'getByName')),
    shards: whole(1),
    prefix: plainText,
    clock: withMethods('a clock', 'now'),
  })
  const { namespace, shards = 4, prefix = 'seine', clock } = options
  const refusals = LEARNT.get(namespace) ?? new Refusals()
  LEARNT.set(namespace, refusals)
  return {
    async take(name: string, rate: Rate, cost = 1): Promise<Taken> {
      checkRate(rate, cost)
      const key = shortKey(name)
      // Refusals are remembered by cost. A call with another cost may be allowed, or be refused for
      // longer.
      const id = cost === 1 ? `${prefix} ${rate.limit}/${rate.periodMs}+${rate.burst} ${key}` : null
      const refusal = id === null ? null : refusals.find(id, (clock ?? Date).now())
      if (refusal) return refusal
      const call: LimiterCall = { key, rate, cost, now: clock ? clock.now() : null }
      const answer = await ask(
        namespace,
        `${prefix}:limits:${fnv1a(key) % shards}`,
        JSON.stringify(call),
      )
      if (id !== null && !answer.allowed) refusals.add(id, answer)
      return answer
    },
    async close() {},
  }
}

async function ask(namespace: ObjectNamespace, name: string, body: string): Promise<Taken> {
  // Each attempt has its own stub, because a stub that has failed once fails for ever.
  const send = () =>
    namespace
      .getByName(name)
      .fetch(new Request('https://limiter.internal/', { method: 'POST', body }))
  const response = await send().catch((error: unknown) => {
    if (!mayTryAgain(error)) throw error
    return send()
  })
  if (!response.ok) throw new Error(`The limiter's object answered with ${response.status}`)
  return response.json()
}

/**
 * True for workerd's error about an object that was restarted, for example by a deployment. If the
 * call was already counted, it counts twice, which is safe.
 */
function mayTryAgain(error: unknown): boolean {
  return (
    error instanceof Error &&
    'retryable' in error &&
    error.retryable === true &&
    !('overloaded' in error && error.overloaded === true)
  )
}
