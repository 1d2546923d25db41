import { availableParallelism } from 'node:os'
import { createPageThreads } from 'seine/node'

/** Options of `createPlatform` that process pages on the cores which the main thread leaves idle. */
export function useSpareCores() {
  return availableParallelism() > 1 ? { processor: createPageThreads() } : {}
}
