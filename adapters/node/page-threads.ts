import { checkOptions, flag, whole } from '../../src/kernel/options.ts'
import nodeModule from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { performance } from 'node:perf_hooks'
import process, { emitWarning } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../src/ports/clock.ts'
import type { OpenPageWork, PageProcessor } from '../../src/ports/page-processor.ts'
import type { OpenRowWork } from '../../src/ports/row-work.ts'
import { processorMs } from './low-priority.ts'
import { PagePool } from './page-pool.ts'

/** Options of {@link createPageThreads}. */
export interface PageThreadsOptions {
  /**
   * Maximum number of threads. Another one starts when pages wait for the running ones. Default:
   * the number of cores.
   */
  readonly threads?: number
  /** Longest time of one page, in ms, before its thread is replaced. Default 10,000. */
  readonly maxPageMs?: number
  /**
   * Most memory for the trees and rows of a thread's pages, in MiB; a page that needs more fails.
   * Default 512.
   */
  readonly maxOldGenerationMb?: number
  /**
   * Memory for a thread's short-lived objects, in MiB. More is faster up to a point, but stays
   * allocated. Default 32.
   */
  readonly maxYoungGenerationMb?: number
  /**
   * Whether one more thread starts for quick pages alone when all others work on slow ones, so that
   * slow pages of one account do not delay the pages of others. Default true. With a single
   * account, it only costs its start.
   */
  readonly quickThread?: boolean
}

/**
 * A {@link PageProcessor} on `node:worker_threads`, for Node, Bun and Deno. It is the default
 * there; create one to set its limits. Threads start as they are needed, the first with the first
 * page, and stay. If a page kills its thread or takes too long, only this page fails, and the
 * thread is replaced. Accounts take turns. Idle threads do not keep a process alive.
 *
 * @example
 *   const platform = createPlatform({ processor: createPageThreads({ threads: 2 }) })
 */
export function createPageThreads(options: PageThreadsOptions = {}): PageProcessor {
  checkOptions<PageThreadsOptions>('createPageThreads', options, {
    threads: whole(1),
    maxPageMs: whole(1),
    maxOldGenerationMb: whole(1),
    maxYoungGenerationMb: whole(1),
    quickThread: flag,
  })
  return startPool(
    options,
    async (...args) => (await import('../../src/engine.ts')).openPageWork(...args),
    async (spec) => (await import('../../src/engine.ts')).openRowWork(spec),
  )
}

/**
 * The processor for a platform, whose own way to process pages is used if threads cannot be
 * started.
 */
export const createDefaultPageProcessor = (
  openHere: OpenPageWork,
  openRowsHere: OpenRowWork,
): PageProcessor => startPool({}, openHere, openRowsHere)

function startPool(
  options: PageThreadsOptions,
  openHere: OpenPageWork,
  openRowsHere: OpenRowWork,
): PageProcessor {
  const {
    threads = availableParallelism(),
    maxPageMs = 10_000,
    maxOldGenerationMb = 512,
    maxYoungGenerationMb = 32,
    quickThread = true,
  } = options
  if (!Number.isInteger(threads) || threads < 1)
    throw new TypeError('threads must be a whole number from 1')
  const resourceLimits = {
    maxOldGenerationSizeMb: maxOldGenerationMb,
    maxYoungGenerationSizeMb: maxYoungGenerationMb,
  }
  return new PagePool({
    threads,
    maxPageMs,
    quickThread,
    clock,
    processorMs,
    openHere,
    openRowsHere,
    // Flags of the process's command line, such as --input-type, are not meant for this thread, and
    // some would end it.
    spawn: (claims) =>
      new Worker(entry(), {
        workerData: claims,
        resourceLimits,
        execArgv: [],
        env: threadEnvironment(),
        name: 'seine-page',
      }),
    onUnavailable: (reason) =>
      emitWarning(
        `Page threads cannot be started (${reason.message}), so the main thread processes ` +
          'pages, bounded by their budget only. Keep page-thread.js beside the file that starts ' +
          'it',
        'SeineWarning',
      ),
  })
}

/**
 * A thread keeps compiled code only if its environment names the folder, even if its process keeps
 * some. A process reports the folder of its version of Node, which is inside that one. Bun and Deno
 * have caches of their own.
 */
function threadEnvironment(): NodeJS.ProcessEnv {
  const { versions, env } = process
  const folder =
    'bun' in versions || 'deno' in versions ? undefined : nodeModule.getCompileCacheDir()
  return folder === undefined ? env : { ...env, NODE_COMPILE_CACHE: dirname(folder) }
}

// The expression is in the form that bundlers look for. In development sources run directly. In a
// build this file is part of a chunk in `dist`, because two entries use it.
function entry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./page-thread.ts', import.meta.url)
    : new URL('./adapters/node/page-thread.js', import.meta.url)
}

const clock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { ref: false, ...(signal && { signal }) }),
}
