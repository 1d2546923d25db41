import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'
import { emitWarning } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../src/ports/clock.ts'
import type { PageProcessor } from '../../src/ports/page-processor.ts'
import { PagePool } from './page-pool.ts'

/** Options of {@link createPageThreads}. */
export interface PageThreadsOptions {
  /** Most threads; the next one starts when those that run leave pages waiting. Default: as many as there are cores. */
  readonly threads?: number
  /** Longest time of one page, in ms, before its thread is replaced. Default 30,000. */
  readonly maxPageMs?: number
  /** Most memory for the trees and rows of a thread's pages, in MiB; a page that needs more fails. Default 512. */
  readonly maxOldGenerationMb?: number
  /** Room for a thread's short-lived objects, in MiB: more is faster up to a point, and is held for good. Default 16. */
  readonly maxYoungGenerationMb?: number
}

/** Below this, sending a page takes the caller's thread as long as processing it. */
const MIN_BYTES = 2_048
const START_AFTER = 2

/**
 * A {@link PageProcessor} on `node:worker_threads`, for Node, Bun and Deno. Threads start as they are needed, the first with the third page, and stay; pages are
 * processed on the caller's thread until one is up, and always if they are small. A page that kills its
 * thread, or is at it for too long, fails alone; the thread is replaced. Idle threads do not keep a process alive.
 *
 * @example
 * const platform = createPlatform({ processor: createPageThreads({ threads: 2 }) })
 */
export function createPageThreads(options: PageThreadsOptions = {}): PageProcessor {
  const { threads = availableParallelism(), maxPageMs = 30_000, maxOldGenerationMb = 512, maxYoungGenerationMb = 16 } = options
  if (!Number.isInteger(threads) || threads < 1) throw new TypeError('threads must be a whole number from 1')
  const resourceLimits = { maxOldGenerationSizeMb: maxOldGenerationMb, maxYoungGenerationSizeMb: maxYoungGenerationMb }
  return new PagePool({
    threads,
    minBytes: MIN_BYTES,
    startAfter: START_AFTER,
    maxPageMs,
    clock,
    // Flags of the host's own command line, such as --input-type, are not meant for this thread, and some would end it.
    spawn: () => new Worker(entry(), { resourceLimits, execArgv: [], name: 'seine-page' }),
    onUnavailable: (reason) => emitWarning(`Pages are processed on the main thread, as page threads cannot be started here: ${reason.message}`, 'SeineWarning'),
  })
}

// Written out for bundlers, which look for this form. Sources are run as they are in development.
function entry(): URL {
  return import.meta.url.endsWith('.ts') ? new URL('./page-thread.ts', import.meta.url) : new URL('./page-thread.js', import.meta.url)
}

const clock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { ref: false, ...(signal && { signal }) }),
}
