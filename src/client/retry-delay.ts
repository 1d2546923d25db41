import type { SeineError } from './error.ts'

const FIRST_MS = 250
const MOST_MS = 10_000
/** The longest wait. If it would be longer, the caller gets the error instead. */
const LONGEST_ASKED_SECONDS = 120

/**
 * Returns the whole milliseconds to wait before the next try. `null`: there is no further try. It
 * is the wait that the service asked for plus full jitter: a random time up to a bound that doubles
 * with each try, so that clients that failed together do not retry together.
 *
 * @param tried How many tries were made before the one that failed.
 * @param chance From 0 to below 1.
 */
export function retryDelay(error: SeineError, tried: number, chance: number): number | null {
  if (!isPassing(error)) return null
  const seconds = error.retryAfter ?? 0
  if (seconds > LONGEST_ASKED_SECONDS) return null
  return seconds * 1_000 + Math.floor(chance * Math.min(MOST_MS, FIRST_MS * 2 ** tried))
}

/** True if another try may succeed. */
export function isPassing({ code, status, retryAfter }: SeineError): boolean {
  // 409 with a time means that a request with the same idempotency key is in progress, or that
  // others are writing to the record.
  return (
    code === 'NETWORK_ERROR' ||
    [502, 503, 504].includes(status) ||
    (status === 409 && retryAfter !== null) ||
    (status === 429 && code !== 'preview_limit_exceeded')
  )
}

/**
 * Seconds to wait as the service says: `Retry-After` in both its forms (RFC 9110 section 10.2.3),
 * else `X-RateLimit-Reset` (Unix seconds). An absolute time is compared with the answer's own
 * `Date`, because clocks differ.
 *
 * @param now Unix milliseconds.
 */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const there = Date.parse(headers.get('date') ?? '') || now
  const after = headers.get('retry-after')
  if (after !== null) {
    const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - there) / 1_000
    if (!Number.isNaN(seconds)) return Math.max(0, Math.ceil(seconds))
  }
  const reset = headers.get('x-ratelimit-reset')
  return reset !== null && /^\d+$/.test(reset)
    ? Math.max(0, Math.ceil(Number(reset) - there / 1_000))
    : null
}
