/** A steady rate with a burst above it. */
export interface Rate {
  /** Calls a period. */
  readonly limit: number
  readonly periodMs: number
  /** Number of further calls that may come at once. */
  readonly burst: number
}

/** The state of a bucket after a call. */
export interface Taken {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /**
   * Unix milliseconds. After a refused call: when it would be allowed. After an allowed call: when
   * the bucket is full again.
   */
  readonly resetAt: number
}

/** Rate limits by key (GCRA). */
export interface Limiter {
  /** @throws {RangeError} only for a wrong rate; any other error means that the limiter is down */
  take(key: string, rate: Rate, cost?: number): Promise<Taken>
  /** Idempotent. */
  close(): Promise<void>
}
