/** The clock of the leases. */
export interface LeaseClock {
  now(): number
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

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
  readonly clock: LeaseClock
  /** When it ends, in Unix ms. */
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
