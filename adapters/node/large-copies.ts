import { setImmediate as turn } from 'node:timers/promises'
import type { PageJob } from './page-job.ts'

/** A larger page, in bytes, is expected to be slow: its tree alone takes tens of milliseconds. */
export const LARGE_BYTES = 1_024 * 1_024

/** Whether the copy of a page must be ready before a thread gets it. */
export function mustCopy(job: PageJob): boolean {
  return job.bytes > LARGE_BYTES && !job.isCopied
}

/**
 * Makes the copies of large pages for threads. To copy ten megabytes takes some 20 ms, so a copy is
 * made in several turns of the event loop. There is one at a time, made or waiting for its thread,
 * because each is memory.
 */
export class LargeCopies {
  #current: PageJob | null = null

  /** True while a copy is being made. */
  get isCopying(): boolean {
    return this.#current !== null && !this.#current.settled && !this.#current.isCopied
  }

  /** False for a large page that must wait for the copy of another one. */
  mayGo(job: PageJob): boolean {
    return !mustCopy(job) || this.#current === null || this.#current.settled
  }

  /** A thread has got a page: nothing of it is held here. */
  gone(job: PageJob): void {
    if (this.#current === job) this.#current = null
  }

  /** Resolves when the copy is ready, or the job is settled. */
  async copy(job: PageJob): Promise<void> {
    this.#current = job
    await job.copyInParts(turn)
  }
}
