import { once } from '../kernel/concurrency.ts'
import type { Worker } from './worker.ts'

/** A worker that is loaded when it is first to work: what only answers calls needs none. */
export function createLazyWorker(load: () => Promise<Worker>): Worker {
  const loaded = once(load)
  return {
    run: async (options) => (await loaded()).run(options),
    tick: async (options) => (await loaded()).tick(options),
  }
}
