import type { Data } from './read-answer.ts'

const MOST_ENVELOPES = 100
const LONGEST_ENVELOPE = 2_000

/**
 * Envelopes of calls that the SDK has read and the service has answered. A client sends the same
 * envelope each time. But a client can send any, so only the newest few short ones are stored.
 */
export class AcceptedEnvelopes {
  /** As JSON, the oldest first. */
  readonly #texts = new Set<string>()

  has(envelope: Data): boolean {
    return this.#texts.size > 0 && this.#texts.has(JSON.stringify(envelope))
  }

  add(envelope: Data): void {
    const text = JSON.stringify(envelope)
    if (text.length > LONGEST_ENVELOPE || this.#texts.has(text)) return
    const [oldest] = this.#texts
    if (oldest !== undefined && this.#texts.size === MOST_ENVELOPES) this.#texts.delete(oldest)
    this.#texts.add(text)
  }
}
