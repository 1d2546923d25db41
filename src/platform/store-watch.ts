import { StoreFailure } from '../kernel/failures.ts'
import { isAway, Outage } from '../kernel/outage.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Store } from '../ports/store.ts'

/**
 * Interval, in ms, at which a store that cannot be reached is polled. A closing process waits no
 * longer than this for it.
 */
const ASK_MS = 1_000

/** Stores that are being polled. */
const watched = new WeakSet<Store>()

/**
 * Polls a store that has failed a request until it answers. A process without a worker has no other
 * loop that would notice this. `signal` ends the polling.
 */
export async function watchStore(
  parts: { readonly store: Store; readonly clock: Clock; readonly logger: Logger },
  failure: StoreFailure,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, logger } = parts
  // A store that can be read has been reached.
  if (!isAway(failure)) return void logger.warn('The store failed a request', { error: failure })
  if (watched.has(store) || signal.aborted) return
  watched.add(store)
  const outage = new Outage(clock, logger, {
    failing: 'Requests cannot reach the store',
    over: 'Requests reach the store again',
  })
  let error: unknown = failure
  try {
    while (isAway(error) && !signal.aborted) {
      outage.failed(error)
      await clock.sleep(ASK_MS, signal).catch(() => {})
      if (!signal.aborted)
        error = await store.get([['health']]).then(
          () => null,
          (reason: unknown) => reason,
        )
    }
    // A store that gives a reason for a refusal was reached. A store that was closed fails in
    // another way.
    if (error === null || (error instanceof StoreFailure && !isAway(error))) outage.worked()
  } finally {
    outage.ended()
    watched.delete(store)
  }
}
