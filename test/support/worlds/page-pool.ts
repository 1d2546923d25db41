import { Worker } from 'node:worker_threads'
import { PagePool } from '../../../adapters/node/page-pool.ts'
import type { PagePoolOptions } from '../../../adapters/node/page-pool.ts'
import { openPageWork, openRowWork } from '../../../src/engine.ts'
import type { Page } from '../../../src/ports/page-processor.ts'
import { createFakeClock } from '../fakes/fake-clock.ts'

/** A recipe for the pages of {@link pageAt}. */
export const TITLES = {
  start: { urls: ['https://a.example/'] },
  extract: { fields: { title: 'h1' } },
}

/**
 * A page with its path as title; `/exit`, `/memory` and `/hang` are traps for the threads of
 * {@link createTestPool}.
 */
export function pageAt(path: string): Page {
  return {
    url: `https://a.example${path}`,
    contentType: 'text/html',
    body: new TextEncoder().encode(`<h1>${path}</h1>`),
  }
}

/** Starts a thread with traps. Its heap is small, so that `/memory` ends it soon. */
export const trapThread = (claims: Int32Array, heapMb = 64): Worker =>
  new Worker(new URL('../page-thread-trap.ts', import.meta.url), {
    workerData: claims,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })

/**
 * A pool whose first thread is ready; `threads` has all started threads, and `claims` the claim of
 * each.
 */
export async function createTestPool(
  changes: Partial<PagePoolOptions> = {},
): Promise<{ pool: PagePool; threads: Worker[]; claims: Int32Array[]; warnings: Error[] }> {
  const threads: Worker[] = []
  const claims: Int32Array[] = []
  const warnings: Error[] = []
  const spawn = (own: Int32Array): Worker => {
    const thread = (changes.spawn ?? trapThread)(own)
    threads.push(thread)
    claims.push(own)
    return thread
  }
  const options: PagePoolOptions = {
    threads: 2,
    maxPageMs: 30_000,
    clock: createFakeClock(),
    openHere: openPageWork,
    openRowsHere: openRowWork,
    onUnavailable: (reason) => warnings.push(reason),
    ...changes,
    spawn,
  }
  const pool = new PagePool(options)
  const recipe = pool.open(TITLES)
  // It is ready, or has failed.
  await recipe.process(pageAt('/'), { label: 'start', depth: 0, hop: 1 })
  recipe.close()
  return { pool, threads, claims, warnings }
}
