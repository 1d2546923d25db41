import { takeFrom } from '../kernel/fair/gcra.ts'
import type { Bucket } from '../kernel/fair/gcra.ts'
import type { Clock } from '../ports/clock.ts'
import type { Limiter } from '../ports/limiter.ts'

/** Rate limits in this process' memory (GCRA). */
export function createMemoryLimiter({
  clock,
  maxKeys = 100_000,
}: {
  readonly clock: Pick<Clock, 'now'>
  /**
   * Maximum number of buckets. Beyond it, the bucket that was unused for the longest time is
   * forgotten, and counts as full. Default 100,000.
   */
  readonly maxKeys?: number
}): Limiter {
  /** Least recently used first. */
  const buckets = new Map<string, Bucket>()
  return {
    async take(key, rate, cost = 1) {
      const { taken: verdict, bucket } = takeFrom(buckets.get(key) ?? null, rate, cost, clock.now())
      buckets.delete(key)
      if (bucket !== null) buckets.set(key, bucket)
      const [oldest] = buckets.size > maxKeys ? buckets.keys() : []
      if (oldest !== undefined) buckets.delete(oldest)
      return verdict
    },
    async close() {
      buckets.clear()
    },
  }
}
