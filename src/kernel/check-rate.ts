/** The Limiter port's `Rate`, by its shape. */
export interface RateLike {
  readonly limit: number
  readonly periodMs: number
  readonly burst: number
}

/**
 * Refuses a rate or a cost that is none, the same for every limiter.
 *
 * @throws {RangeError} for anything but whole numbers, positive where a rate has to be
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
      'A rate has a positive limit and period, neither burst nor cost is negative, and all are whole numbers',
    )
}
