import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createWorld } from '../../support/worlds/world.ts'

const HUB = 'https://hub.example.com/'
const links = (count: number): string =>
  Array.from({ length: count }, (_, index) => `<a href="/p${index}">p</a>`).join('')

test('a page with very many links is settled in commits of bounded size, each link once', async () => {
  const clock = createFakeClock()
  const memory = createMemoryStore({ clock })
  const sizes: number[] = []
  const store: Store = {
    get: (keys) => memory.get(keys),
    list: (range) => memory.list(range),
    close: () => memory.close(),
    commit: (change) => {
      sizes.push(change.set?.length ?? 0)
      return memory.commit(change)
    },
  }
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
