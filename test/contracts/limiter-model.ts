import type { Rate, Taken } from '../../src/ports/limiter.ts'

/**
 * An exact model of a limiter, in whole numbers of any size: a bucket of `burst + 1` tokens, into
 * which `limit` tokens drip evenly in each period. It does not use GCRA. A token has `periodMs`
 * parts, and `limit` parts drip in each millisecond.
 */
export class TokenBucket {
  readonly #rate: { readonly limit: bigint; readonly period: bigint; readonly capacity: bigint }
  readonly #limit: number
  #parts: bigint
  #at: bigint

  constructor({ limit, periodMs, burst }: Rate, now: number) {
    this.#limit = limit
    this.#rate = {
      limit: BigInt(limit),
      period: BigInt(periodMs),
      capacity: BigInt(burst + 1) * BigInt(periodMs),
    }
    this.#parts = this.#rate.capacity
    this.#at = BigInt(now)
  }

  take(cost: number, time: number): Taken {
    const now = BigInt(time)
    const { limit, period, capacity } = this.#rate
    const filled = this.#parts + (now - this.#at) * limit
    this.#parts = filled > capacity ? capacity : filled
    this.#at = now
    const price = BigInt(cost) * period
    const allowed = this.#parts >= price
    if (allowed) this.#parts -= price
    const missing = allowed ? capacity - this.#parts : price - this.#parts
    return {
      allowed,
      limit: this.#limit,
      remaining: Number(this.#parts / period),
      resetAt: Number(now + (missing + limit - 1n) / limit),
    }
  }
}
