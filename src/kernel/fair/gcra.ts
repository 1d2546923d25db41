/**
 * The time when a bucket is full again: `ms` in Unix milliseconds, plus `part` / `of` of a
 * millisecond. A full bucket is `null`.
 */
export interface Bucket {
  readonly ms: number
  readonly part: number
  readonly of: number
}

/** The result of a call (the Limiter port's `Taken`), and the new state of its bucket. */
interface TakenFrom {
  readonly taken: {
    readonly allowed: boolean
    readonly limit: number
    readonly remaining: number
    readonly resetAt: number
  }
  readonly bucket: Bucket | null
}

/**
 * Counts one call against a bucket, by GCRA (ATM Forum TM 4.1, 4.4.2). A bucket has a time at which
 * it is full again. Each call moves this time ahead, and is allowed if the time is then no further
 * ahead than the burst allows. Time is counted in parts of a millisecond, `rate.limit` of them, so
 * that all numbers are whole and nothing is rounded: a bucket of 7 calls a minute gives exactly 7
 * calls a minute.
 *
 * @throws {RangeError} for an invalid rate or cost
 */
export function takeFrom(
  bucket: Bucket | null,
  rate: RateLike,
  cost: number,
  time: number,
): TakenFrom {
  checkRate(rate, cost)
  const { limit, periodMs, burst } = rate
  const now = Math.floor(time)
  const capacity = (burst + 1) * periodMs
  // If the clock went back, or the rate was lowered, the bucket gets no debt.
  const before = Math.min(backlog(bucket, limit, now), capacity)
  const after = before + cost * periodMs
  const allowed = after <= capacity
  const next = allowed ? after : before
  return {
    taken: {
      allowed,
      limit,
      remaining: Math.floor((capacity - next) / periodMs),
      resetAt: now + Math.ceil((allowed ? next : after - capacity) / limit),
    },
    bucket:
      next === 0 ? null : { ms: now + Math.floor(next / limit), part: next % limit, of: limit },
  }
}

/** Parts of a millisecond until the bucket is full. */
function backlog(bucket: Bucket | null, limit: number, now: number): number {
  if (bucket === null) return 0
  const part = bucket.of === limit ? bucket.part : Math.ceil((bucket.part * limit) / bucket.of)
  return Math.max(0, (bucket.ms - now) * limit + part)
}

/** The same type as `Rate` of the Limiter port, which the kernel cannot import. */
interface RateLike {
  readonly limit: number
  readonly periodMs: number
  readonly burst: number
}

/**
 * Refuses an invalid rate or cost, in the same way for every limiter.
 *
 * @throws {RangeError} for a number that is not whole or is negative, and for a limit or period of
 *   zero
 */
export function checkRate({ limit, periodMs, burst }: RateLike, cost: number): void {
  const isRate =
    Number.isSafeInteger(limit) &&
    limit > 0 &&
    Number.isSafeInteger(periodMs) &&
    periodMs > 0 &&
    Number.isSafeInteger(burst) &&
    burst >= 0
  if (!isRate || !Number.isSafeInteger(cost) || cost < 0)
    throw new RangeError(
      'limit and period must be above 0, burst and cost 0 or more, and all of them whole numbers',
    )
}
