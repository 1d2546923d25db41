import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { storedBytes } from '../../../src/features/limits/stored-bytes.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { pngOf } from '../../support/fakes/image-bytes.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'
import { through } from '../../support/stores/fault-store.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const PAGES = 12

/** A picture that is much longer than its row. */
function longPng(index: number): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(5_000)
  body.set(pngOf(64 + index, 48))
  return body
}

/** Text that cannot be packed well: what a page stores is about what its kept body has. */
const noise = (seed: number): string => Buffer.from(seededRandom(seed + 1)(2_000)).toString('hex')

/**
 * One page at a time, and each is committed alone, because a host is asked once a second. So the
 * number of pages does not depend on how fast the machine is.
 */
const recipe = (count: number, first = 0, host = SITE) => ({
  start: { urls: Array.from({ length: count }, (_, i) => `${host}/p/${first + i}`) },
  crawl: { concurrency: 1, delayMs: 1_000 },
  extract: { fields: { title: 'h1' } },
  page: { keep: true },
})

function openWorld(bytes: number | null, spoil: (store: Store) => Store = (store) => store) {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  const pages = [SITE, 'https://other.example.com'].flatMap((host) =>
    Array.from({ length: PAGES }, (_, i): [string, string] => [
      `${host}/p/${i}`,
      `<h1>Page ${i}</h1><p>${noise(i)}</p><img src="/${i}.png">`,
    ]),
  )
  const pictures = Array.from({ length: PAGES }, (_, i) => [
    `${SITE}/${i}.png`,
    { headers: { 'content-type': 'image/png' }, body: longPng(i) },
  ])
  const plan = { id: 'small', name: 'Small', creditsPerMonth: 0, overdraft: null, caps: { bytes } }
  const world = createWorld(
    { ...Object.fromEntries(pages), ...Object.fromEntries(pictures) },
    { clock, store: spoil(base), billing: { plans: [plan] } },
  )
  const records = createRecords(base)
  return {
    world,
    held: () => storedBytes(records, OWNER.account),
    unsound: async () => (await world.platform.verify()).differences,
  }
}

/** A cap that `count` pages reach, and fewer do not. All pages come to about the same. */
async function capOf(count: number, more: object = {}): Promise<number> {
  const { world, held } = openWorld(null)
  await world.start({ ...recipe(1), ...more })
  await world.work()
  return Math.floor((count - 0.5) * (await held()))
}

describe('the cap of bytes of an account', () => {
  it.each([1, 3, 7])(
    'stops a run with the page that reaches it, here page %i, and the run keeps what it has',
    async (pages) => {
      const most = await capOf(pages)
      const { world, held, unsound } = openWorld(most)
      const id = await world.start(recipe(PAGES))
      await world.work()
      expect(await world.read(id)).toMatchObject({
        status: 'succeeded',
        reason: { code: 'bytes_limit', message: 'The account has stored as many bytes as it may' },
        counters: { fetched: pages, skipped_limit: PAGES - pages, pending: 0 },
        cost: { credits: pages },
      })
      expect(await world.rows(id)).toHaveLength(pages)
      expect((await world.receipt(id)).map(({ code }) => code).slice(pages - 1)).toEqual([
        null,
        ...Array.from({ length: PAGES - pages }, () => 'bytes_limit'),
      ])
      expect(await held()).toBeGreaterThanOrEqual(most)
      expect(await unsound()).toEqual([])
      await expect(world.start(recipe(1))).rejects.toMatchObject({ code: 'CONFLICT' })
    },
  )

  it('counts media that the run is the first to store', async () => {
    const media = { page: {}, extract: { fields: { image: { css: 'img', as: 'media' } } } }
    const { world } = openWorld(await capOf(3, media))
    const id = await world.start({ ...recipe(PAGES), ...media })
    await world.work()
    expect(await world.read(id)).toMatchObject({
      reason: { code: 'bytes_limit' },
      counters: { fetched: 3 },
    })
  })

  it('is exceeded by no more than the pages under way, however fast they are', async () => {
    const { world } = openWorld(await capOf(2))
    const id = await world.start({ ...recipe(PAGES), crawl: { concurrency: 4, delayMs: 0 } })
    await world.work()
    const { reason, counters } = await world.read(id)
    expect(reason).toMatchObject({ code: 'bytes_limit' })
    expect(counters.fetched).toBeLessThanOrEqual(4)
  })

  it('counts the media that are expected of pages under way', async () => {
    const media = { page: {}, extract: { fields: { image: { css: 'img', as: 'media' } } } }
    const { world } = openWorld(await capOf(6, media))
    const crawl = { concurrency: 4, delayMs: 0 }
    const id = await world.start({ ...recipe(PAGES), ...media, crawl })
    await world.work()
    const { reason, counters } = await world.read(id)
    expect(reason).toMatchObject({ code: 'bytes_limit' })
    expect(counters.fetched).toBe(6)
  })

  it('is no reason if the run has visited everything', async () => {
    const { world } = openWorld(await capOf(3))
    const id = await world.start(recipe(3))
    await world.work()
    expect(await world.read(id)).toMatchObject({ status: 'succeeded', reason: null })
  })

  it('makes a run fail that was started before, and could not visit a page', async () => {
    const { world } = openWorld(await capOf(3))
    const { executions } = world.platform.api
    const [first, second] = [await world.start(recipe(3)), await world.start(recipe(2, 4))]
    await executions.pause(OWNER, second)
    await world.work()
    await executions.resume(OWNER, second)
    await world.work()
    expect(await world.read(first)).toMatchObject({ status: 'succeeded' })
    expect(await world.read(second)).toMatchObject({
      status: 'failed',
      reason: { code: 'bytes_limit' },
      counters: { skipped_limit: 2 },
      cost: { credits: 0 },
    })
  })

  it('counts a page once if the answer of its commit was lost', async () => {
    let isRunning = false
    let commits = 0
    const { world, unsound } = openWorld(await capOf(5), (store) =>
      through(store, async (change) => {
        const isWritten = await store.commit(change)
        if (isRunning && commits++ === 3) throw new Error('The answer of the store was lost')
        return isWritten
      }),
    )
    const id = await world.start(recipe(PAGES))
    isRunning = true
    await world.work()
    isRunning = false
    // Its worker may have given it up, and another takes it once the lease is over.
    await world.clock.advance(120_000)
    await world.work()
    expect(commits).toBeGreaterThan(5)
    const { status, reason, counters } = await world.read(id)
    expect({ status, reason }).toMatchObject({
      status: 'succeeded',
      reason: { code: 'bytes_limit' },
    })
    // One more may be under way while a commit is tried again.
    expect([5, 6]).toContain(counters.fetched)
    expect(await unsound()).toEqual([])
  })

  it('is asked again before a run stops: bytes that were deleted may be used', async () => {
    const { world } = openWorld(await capOf(6))
    const old = await world.start(recipe(4))
    await world.work()
    const id = await world.start(recipe(4, 5))
    const working = world.platform.worker.tick()
    await world.clock.advance(500)
    await world.platform.api.executions.delete(OWNER, old)
    await world.clock.runUntil(working)
    expect(await world.read(id)).toMatchObject({ reason: null, counters: { fetched: 4 } })
  })

  it('costs a run no read a commit', async () => {
    let reads = 0
    const { world } = openWorld(1_000_000_000, (store) => ({
      ...through(store, (change) => store.commit(change)),
      get: (keys) => {
        if (keys.some((key) => key.includes('stored-bytes'))) reads++
        return store.get(keys)
      },
    }))
    const id = await world.start(recipe(PAGES))
    reads = 0
    const startedAt = world.clock.now()
    await world.work()
    expect(await world.read(id)).toMatchObject({ reason: null, counters: { fetched: PAGES } })
    // Once at the start of the run, and then after ten seconds each.
    expect(reads).toBeGreaterThan(0)
    expect(reads).toBeLessThanOrEqual(1 + (world.clock.now() - startedAt) / 10_000)
  })
})
