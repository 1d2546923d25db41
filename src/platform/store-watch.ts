import { StoreFailure } from '../kernel/failures.ts'
import { isAway, Outage } from '../kernel/outage.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Store } from '../ports/store.ts'

/** How often a store that is away is asked, in ms. A process that closes waits no longer for it. */
const ASK_MS = 1_000

/** Stores that are asked at the moment. */
const watched = new WeakSet<Store>()

/**
 * Asks a store that has failed a request until it answers: a process without a worker has no loop
 * that would notice when it is back. `signal` ends that.
 */
export async function watchStore(
  parts: { readonly store: Store; readonly clock: Clock; readonly logger: Logger },
  failure: StoreFailure,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, logger } = parts
  // A store that can be read is not away.
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
    // A store that says why it refuses was reached. One that was closed fails in another way.
    if (error === null || (error instanceof StoreFailure && !isAway(error))) outage.worked()
  } finally {
    outage.ended()
    watched.delete(store)
  }
}
