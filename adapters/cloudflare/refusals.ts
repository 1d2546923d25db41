import type { Taken } from '../../src/ports/limiter.ts'

/**
 * Maximum number of remembered refusals. Beyond it the oldest is forgotten. A call then costs one
 * request more.
 */
const MOST = 10_000

/**
 * Refusals that are still valid. No call is allowed before the time in its refusal, so the object
 * need not be asked again.
 */
export class Refusals {
  readonly #refused = new Map<string, Taken>()

  find(id: string, now: number): Taken | null {
    const refused = this.#refused.get(id)
    if (!refused) return null
    if (now < refused.resetAt) return refused
    this.#refused.delete(id)
    return null
  }

  add(id: string, refused: Taken): void {
    this.#refused.delete(id)
    this.#refused.set(id, refused)
    const [oldest] = this.#refused.size > MOST ? this.#refused.keys() : []
    if (oldest !== undefined) this.#refused.delete(oldest)
  }
}

/**
 * Wraps work that no caller waits for: an error is reported and rethrown, so that Cloudflare
 * records it and may retry.
 */
export async function reported(
  work: Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  try {
    await work
  } catch (error) {
    onError(error)
    throw error
  }
}
