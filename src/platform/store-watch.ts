import type { StoreFailure } from '../kernel/failures.ts'
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
 * that would notice when it is back.
 */
export async function watchStore(
  parts: { readonly store: Store; readonly clock: Clock; readonly logger: Logger },
  failure: StoreFailure,
): Promise<void> {
  const { store, clock, logger } = parts
  // A store that can be read is not away.
  if (!isAway(failure)) return void logger.warn('The store failed a request', { error: failure })
  if (watched.has(store)) return
  watched.add(store)
  const outage = new Outage(clock, logger, {
    failing: 'Requests cannot reach the store',
    over: 'Requests reach the store again',
  })
  outage.failed(failure)
  let error: unknown = failure
  // A store that was closed fails in another way.
  while (isAway(error)) {
    await clock.sleep(ASK_MS)
    error = await store.get([['health']]).catch((reason: unknown) => reason)
  }
  if (!(error instanceof Error)) outage.worked()
  watched.delete(store)
}
