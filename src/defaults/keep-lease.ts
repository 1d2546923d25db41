import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Lease, QueueLeases } from './queue-leases.ts'

/** A lease that is being renewed. */
export interface LeaseKeeper {
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal
  /** Ends the renewing; resolves when none is under way. */
  stop(): Promise<void>
}

/** Renews a lease whenever a third of it is over, and tells when it is lost: taken by another, or over without an answer from the store. */
export function keepLease({ lease, leases, clock, logger }: { lease: Lease; leases: QueueLeases; clock: Clock; logger: Logger | undefined }): LeaseKeeper {
  const lost = new AbortController()
  const stopped = new AbortController()
  let until = lease.job.dueAt

  /** The answer of the store, or `late` once the lease is over. */
  const extend = async (): Promise<boolean | 'late'> => {
    const answered = new AbortController()
    const late = clock.sleep(until - clock.now(), answered.signal).then(
      () => 'late' as const,
      () => 'late' as const,
    )
    try {
      return await Promise.race([leases.extend(lease), late])
    } finally {
      answered.abort()
    }
  }

  const renew = async (): Promise<void> => {
    const startedAt = clock.now()
    try {
      const kept = await extend()
      if (kept === true) until = startedAt + leases.leaseMs
      else lost.abort(new Error(kept === 'late' ? 'The lease ended' : 'Another consumer has the job'))
    } catch (error) {
      logger?.warn('A lease could not be renewed', { id: lease.job.id, error: String(error) })
      if (clock.now() >= until) lost.abort(new Error('The lease ended'))
    }
  }

  const keeping = (async () => {
    while (!lost.signal.aborted) {
      const stop = await clock.sleep(leases.leaseMs / 3, stopped.signal).then(() => false, () => true)
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
