import type { Worker } from 'node:worker_threads'
import type { Clock } from '../../src/ports/clock.ts'
import type { HereOptions } from './page-here.ts'

/** What a `PagePool` is made of. */
export interface PagePoolOptions extends HereOptions {
  /** Most threads. */
  readonly threads: number
  readonly maxPageMs: number
  readonly clock: Clock
  /** Starts a thread, with these as its `workerData`. */
  readonly spawn: (claims: Int32Array) => Worker
  /** Told once, if threads cannot be started. */
  readonly onUnavailable: (reason: Error) => void
}
