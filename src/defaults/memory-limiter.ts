import type { Clock } from '../ports/clock.ts'
import type { Limiter, Rate, Taken } from '../ports/limiter.ts'

/** Options of {@link createMemoryLimiter}. */
export interface MemoryLimiterOptions {
  readonly clock: Pick<Clock, 'now'>
  /** Buckets kept; beyond it the one unused for longest is forgotten, which counts as full. Default 100,000. */
  readonly maxKeys?: number
}

/**
 * Rate limits in this process' memory, by GCRA: each key has a theoretical arrival time, the moment at which its bucket is
 * full again, and a call is allowed while that lies no further ahead than the burst (ATM Forum TM 4.1, 4.4.2).
 */
export function createMemoryLimiter({ clock, maxKeys = 100_000 }: MemoryLimiterOptions): Limiter {
  /** Key → when its bucket is full again, least recently used first. */
  const fullAt = new Map<string, number>()
  return {
    async take(key, rate, cost = 1) {
      const now = clock.now()
      const { taken, full } = gcra(rate, cost, now, fullAt.get(key) ?? now)
      fullAt.delete(key)
      if (full > now) fullAt.set(key, full)
      const [oldest] = fullAt.size > maxKeys ? fullAt.keys() : []
      if (oldest !== undefined) fullAt.delete(oldest)
      return taken
    },
    async close() {
      fullAt.clear()
    },
  }
}

/** One call against a bucket that is full again at `full`. */
function gcra(rate: Rate, cost: number, now: number, full: number): { taken: Taken; full: number } {
  const { limit, periodMs, burst } = rate
  if (!(limit > 0 && periodMs > 0 && burst >= 0 && cost >= 0)) throw new RangeError('A rate has a positive limit and period, and neither burst nor cost is negative')
  const interval = periodMs / limit
  const capacity = (burst + 1) * interval
  const before = Math.max(full, now)
  const after = before + cost * interval
  const allowedAt = after - capacity
  const allowed = allowedAt <= now
  const next = allowed ? after : before
  // A bucket may be drained by a hair less than a whole call for lack of precision.
  const remaining = Math.max(0, Math.floor((capacity - (next - now)) / interval + 1e-9))
  return { taken: { allowed, limit, remaining, resetAt: Math.ceil(allowed ? next : allowedAt) }, full: next }
}
