import { StoreFailure } from '../kernel/failures.ts'
import { isAway, Outage } from '../kernel/outage.ts'
import type { Blobs } from '../ports/blobs.ts'
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

/** Size of a blob that is written to test for free space. */
const PROBE_BYTES = 65_536

/** The parts of a platform that the watch uses. */
interface WatchedParts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Polls a store that has failed a request until it works again: until it answers, or until it
 * accepts writes. A process without a worker has no loop that would notice this. The begin and the
 * end of an outage are logged. `signal` ends the polling.
 */
export async function watchStore(
  parts: WatchedParts,
  failure: StoreFailure,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, logger } = parts
  // A write cannot show whether damage is mended.
  if (!refusesOrAway(failure))
    return void logger.warn('The store failed a request', { error: failure })
  if (watched.has(store) || signal.aborted) return
  watched.add(store)
  const outage = new Outage(clock, logger, {
    failing: 'Nothing can be stored',
    over: 'Data is stored again',
    once: true,
  })
  // A store that was away also counts as reached if it refuses a write with a reason.
  const [goesOn, ask] = isAway(failure)
    ? [isAway, () => store.get([['health']])]
    : [refusesOrAway, () => write(parts)]
  let error: unknown = failure
  try {
    while (goesOn(error) && !signal.aborted) {
      outage.failed(error)
      await clock.sleep(ASK_MS, signal).catch(() => {})
      if (!signal.aborted)
        error = await ask().then(
          () => null,
          (reason: unknown) => reason,
        )
    }
    // A store that gives a reason for a refusal was reached. A closed store fails in another way.
    if (error === null || (error instanceof StoreFailure && !isAway(error))) outage.worked()
  } finally {
    outage.ended()
    watched.delete(store)
  }
}

function refusesOrAway(error: unknown): boolean {
  const isRefusal =
    error instanceof StoreFailure &&
    ['full', 'readonly', 'failing', 'replaced'].includes(error.reason)
  return isRefusal || isAway(error)
}

/** Writes data that no reader sees: an entry that has expired, and a blob that is removed again. */
async function write({ store, blobs, clock }: WatchedParts): Promise<void> {
  await store.commit({ set: [{ key: ['health'], value: 1, expiresAt: clock.now() - 1 }] })
  // Only in this case, because in place of a deleted store this would create a folder.
  await blobs.put('health', new Uint8Array(PROBE_BYTES))
  await blobs.remove('health')
}
