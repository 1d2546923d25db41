import { MINUTE_MS } from './time.ts'

/** A lease that is being renewed. */
export interface LeaseKeeper {
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal
  /** Stops renewing. Resolves when no renewal is in flight. */
  stop(): Promise<void>
}

/**
 * Renews a job's lease after each third of it, and reports when the lease is lost: another holder
 * took it, or it expired before a renewal was answered.
 */
export function keepLease({
  clock,
  until: end,
  leaseMs,
  extend,
  onError,
}: {
  readonly clock: {
    now(): number
    /** Rejects when the signal aborts. */
    sleep(ms: number, signal?: AbortSignal): Promise<void>
  }
  /** The time when the lease ends, in Unix ms. */
  readonly until: number
  /** Duration of a renewed lease. */
  readonly leaseMs: number
  /** Renews the lease. `false`: another holder has it. */
  extend(): Promise<boolean>
  /** Called with each error of `extend`. */
  onError(error: unknown): void
}): LeaseKeeper {
  const lost = new AbortController()
  const stopped = new AbortController()
  let until = end

  /** The answer, or `late` once the lease has expired. */
  const extendInTime = async (): Promise<boolean | 'late'> => {
    const answered = new AbortController()
    const late = clock.sleep(until - clock.now(), answered.signal).then(
      () => 'late' as const,
      () => 'late' as const,
    )
    try {
      return await Promise.race([extend(), late])
    } finally {
      answered.abort()
    }
  }

  const renew = async (): Promise<void> => {
    const startedAt = clock.now()
    try {
      const extension = await extendInTime()
      if (extension === true) until = startedAt + leaseMs
      else
        lost.abort(
          new Error(
            extension === 'late' ? 'The lease ended' : 'Another worker has taken over the job',
          ),
        )
    } catch (error) {
      onError(error)
      if (clock.now() >= until) lost.abort(new Error('The lease ended'))
    }
  }

  const keeping = (async () => {
    while (!lost.signal.aborted) {
      const stop = await clock.sleep(leaseMs / 3, stopped.signal).then(
        () => false,
        () => true,
      )
      if (stop) return
      await renew()
    }
  })()

  return {
    signal: lost.signal,
    stop: () => {
      stopped.abort()
      return keeping
    },
  }
}

/** Number of leases that are remembered. The one that was seen first is forgotten first. */
const MOST_LEASES = 1_000
/** Minimum time, in ms, that a lease must stay unchanged. Its holder's leases may be longer. */
const LEAST_PATIENCE_MS = 5 * MINUTE_MS

/**
 * Recognises leases that nobody renews but that end far in the future, because the clock of their
 * holder was ahead. Clocks cannot show which of them is right, so only time that passes in this
 * process counts. A live holder renews its lease, and so changes its record.
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

  /** True if this process has seen the same version of a record for `ms`. */
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
