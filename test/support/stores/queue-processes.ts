import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createStoreQueue } from '../../../src/defaults/store-queue.ts'
import { StoreFailure } from '../../../src/kernel/failures.ts'
import type { Queue } from '../../../src/ports/queue.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../fakes/fake-clock.ts'
import { seededRandom } from '../fakes/seeded-random.ts'

/** The lease of a job in a process of {@link createQueueProcesses}, in ms. */
export const QUEUE_LEASE_MS = 9_000

/**
 * A process with a queue. After `die` it no longer reaches the store, and its later work has no
 * effect.
 */
export interface QueueProcess {
  readonly queue: Queue
  die(): void
}

/**
 * Processes on one store and one clock. `reads` counts the store's lists and gets. `disk.refuses`
 * is how many of the next commits fail because the disk is full.
 */
export function createQueueProcesses() {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const counts = { reads: 0 }
  const disk = { refuses: 0 }
  let seed = 1
  /** `aheadMs`: by how much the clock of the process is ahead. */
  const spawn = (aheadMs = 0): QueueProcess => {
    let isDead = false
    const alive = <T>(call: () => Promise<T>): Promise<T> =>
      isDead ? new Promise(() => {}) : call()
    const own: Store = {
      get: (keys) => alive(() => (counts.reads++, store.get(keys))),
      list: (range) => alive(() => (counts.reads++, store.list(range))),
      commit: (change) =>
        alive(async () => {
          if (disk.refuses === 0) return store.commit(change)
          disk.refuses--
          throw new StoreFailure('full')
        }),
      close: () => store.close(),
    }
    const queue = createStoreQueue({
      records: createRecords(own),
      clock: { ...clock, now: () => clock.now() + aheadMs },
      random: seededRandom(seed++),
      leaseMs: QUEUE_LEASE_MS,
    })
    return { queue, die: () => void (isDead = true) }
  }
  return { clock, store, records: createRecords(store), counts, disk, spawn }
}
