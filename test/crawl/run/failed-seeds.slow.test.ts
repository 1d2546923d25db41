import { expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { FakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import type { Answer } from '../../support/fakes/fake-web.ts'
import { through } from '../../support/stores/fault-store.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

// Proves that a retry of many failed pages ends in time while it still adds them.

const SITE = 'https://shop.example.com'
const OTHER = 'https://other.example.com/'
const PAGES = 1_100
const SECONDS = 60
/** Pages of the receipt that are read, and added, at once. */
const BATCH = 500
/** A commit with more new pages than this is one of the seed. */
const MANY = 90

/**
 * A retry of pages that have all failed. `onBatch` is called before each commit that adds some of
 * them.
 */
async function createRetry(onBatch: (clock: FakeClock, number: number) => Promise<void>) {
  const clock = createFakeClock()
  const inner = createMemoryStore({ clock })
  let isRetry = false
  let batches = 0
  const store = through(inner, async (change) => {
    const added = change.set?.filter(({ key }) => key[1] === 'frontier').length ?? 0
    if (isRetry && added > MANY) await onBatch(clock, ++batches)
    return inner.commit(change)
  })
  let batchesOfOther: number | null = null
  const other = (): Answer => {
    batchesOfOther = batches
    return '<h1>Other</h1>'
  }
  const world = createWorld({ [OTHER]: other }, { clock, store, concurrency: 1 })
  const first = await world.start({
    start: { urls: [`${SITE}/{1..${PAGES}}`] },
    extract: { fields: { title: 'h1' } },
    crawl: { concurrency: 16, delayMs: 0, robots: false },
    budget: { seconds: SECONDS },
  })
  await world.work()
  expect((await world.read(first)).counters).toMatchObject({ failed: PAGES })
  isRetry = true
  const { id } = await world.platform.api.executions.retry(OWNER, first, { only: 'failed' })
  return { ...world, id, batchesOfOther: () => batchesOfOther }
}

it('a worker that is stopped adds no more pages, and the next one adds the rest', async () => {
  const stop = new AbortController()
  const { id, platform, clock, read, work } = await createRetry(async () => stop.abort())
  await clock.runUntil(platform.worker.tick({ signal: stop.signal }))
  const stopped = await read(id)
  expect(stopped.counters).toMatchObject({ discovered: BATCH, pending: BATCH })
  await work()
  expect((await read(id)).counters).toMatchObject({ discovered: PAGES, failed: PAGES })
})

it('the seconds of its budget end a retry while it adds pages', async () => {
  const { id, read, work } = await createRetry((clock) => clock.advance(SECONDS * 1_000))
  await work()
  const ended = await read(id)
  expect(ended).toMatchObject({ status: 'timed_out', reason: { code: 'time_limit' } })
  expect(ended.counters).toMatchObject({ discovered: BATCH, skipped_limit: BATCH, failed: 0 })
})

it('a retry leaves the only place to another account, and goes on where it stopped', async () => {
  const stranger = { ...OWNER, account: 'other' }
  const retry = await createRetry(async (clock, number) => {
    if (number === 1)
      await retry.platform.api.executions.run(stranger, {
        recipe: { start: { urls: [OTHER] }, formats: ['text'] },
      })
    await clock.advance(5_000)
  })
  await retry.work()
  expect(retry.batchesOfOther()).toBeLessThan(Math.ceil(PAGES / BATCH))
  expect((await retry.read(retry.id)).counters).toMatchObject({ discovered: PAGES, failed: PAGES })
})
