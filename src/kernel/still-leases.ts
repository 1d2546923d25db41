import { MINUTE_MS } from './time.ts'

/** Number of leases that are remembered. The one that was seen first is forgotten first. */
const MOST_LEASES = 1_000
/** Minimum time, in ms, that a lease must stay unchanged. Its holder's leases may be longer. */
const LEAST_PATIENCE_MS = 5 * MINUTE_MS

/**
 * Recognises leases that nobody renews, although they end far in the future: the clock of their
 * holder was ahead. No clock says who is right, so only time that passes here counts. Each holder
 * that lives renews its lease, and so changes its record.
 */
export class StillLeases {
  readonly #leaseMs: number
  readonly #seen = new Map<string, { readonly version: string; readonly at: number }>()

  /** `leaseMs`: the duration of a lease. */
  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs
  }

  /**
   * True if a lease that ends at `until` has ended: by this clock, or because its record has had
   * the same version for longer than a live holder takes to renew it. Times are Unix ms.
   */
  isOver(id: string, version: string, until: number, now: number): boolean {
    if (until <= now + this.#leaseMs) {
      this.#seen.delete(id)
      return until <= now
    }
    return this.isStill(id, version, Math.max(this.#leaseMs, LEAST_PATIENCE_MS), now)
  }

  /** True if a record is seen to have had the same version for `ms`. */
  isStill(id: string, version: string, ms: number, now: number): boolean {
    const seen = this.#seen.get(id)
    if (seen?.version === version) return now - seen.at >= ms
    this.#seen.delete(id)
    this.#seen.set(id, { version, at: now })
    const first = this.#seen.keys().next()
    if (this.#seen.size > MOST_LEASES && !first.done) this.#seen.delete(first.value)
    return false
  }
}
