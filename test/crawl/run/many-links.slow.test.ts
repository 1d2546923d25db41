import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { through } from '../../support/stores/fault-store.ts'
import { createWorld } from '../../support/worlds/world.ts'

const HUB = 'https://hub.example.com/'
const links = (count: number): string =>
  Array.from({ length: count }, (_, index) => `<a href="/p${index}">p</a>`).join('')

test('a page with very many links is settled in commits of bounded size, each link once', async () => {
  const clock = createFakeClock()
  const memory = createMemoryStore({ clock })
  const sizes: number[] = []
  const store = through(memory, (change) => {
    sizes.push(change.set?.length ?? 0)
    return memory.commit(change)
  })
  const world = createWorld({ [HUB]: { body: links(9_000) } }, { clock, store })
  const id = await world.start({
    start: { urls: [HUB] },
    crawl: { scope: 'host', maxPages: 1, robots: false },
  })
  await world.work()
  expect(await world.rows(id)).toHaveLength(1)
  // A link is an entry of the frontier and an entry of the known URLs, and later a line of the receipt.
  expect(Math.max(...sizes)).toBeGreaterThan(1_000)
  expect(Math.max(...sizes)).toBeLessThan(1_100)
  const all = sizes.reduce((sum, size) => sum + size, 0)
  expect(all).toBeGreaterThan(27_000)
  expect(all).toBeLessThan(27_500)
})

test('links that were found are not written once the budget of seconds is over', async () => {
  const clock = createFakeClock()
  const memory = createMemoryStore({ clock })
  const store = through(memory, async (change) => {
    if (deadline !== null) {
      if (clock.now() >= deadline) late++
      await clock.sleep(20)
    }
    return memory.commit(change)
  })
  let deadline: number | null = null
  let late = 0
  const hubs = Array.from({ length: 60 }, (_, hub) => `${HUB}hub${hub}`)
  const pages = hubs.map((url, hub) => [url, { body: links(10_000).replaceAll('/p', `/${hub}/p`) }])
  const world = createWorld(Object.fromEntries(pages), { clock, store })
  const id = await world.start({
    start: { urls: hubs },
    crawl: { scope: 'host', maxPages: 1_000, robots: false, concurrency: 16 },
    budget: { seconds: 2 },
  })
  deadline = clock.now() + 2_000
  await world.work()
  const ended = await world.read(id)
  expect(ended).toMatchObject({ status: 'timed_out', reason: { code: 'time_limit' } })
  // Those of the pages themselves. Their links would take 1,200 more.
  expect(late).toBeLessThan(200)
  expect(ended.counters.skipped_limit).toBeGreaterThan(0)
  expect(ended.counters.pending).toBeGreaterThan(0)
})

test('a worker that stops leaves the links of a limit to the next one', async () => {
  const clock = createFakeClock()
  const memory = createMemoryStore({ clock })
  const stop = new AbortController()
  let isFirst = true
  const store = through(memory, async (change) => {
    const skips = JSON.stringify(change.set ?? []).includes('page_limit')
    if (skips && isFirst) stop.abort()
    if (skips) isFirst = false
    return memory.commit(change)
  })
  const world = createWorld({ [HUB]: { body: links(5_000) } }, { clock, store })
  const id = await world.start({
    start: { urls: [HUB] },
    crawl: { scope: 'host', maxPages: 1, robots: false },
  })
  await clock.runUntil(world.platform.worker.tick({ signal: stop.signal }))
  expect((await world.read(id)).counters.pending).toBeGreaterThan(3_000)
  await world.work()
  expect((await world.read(id)).counters).toMatchObject({ pending: 0, skipped_limit: 5_000 })
})
