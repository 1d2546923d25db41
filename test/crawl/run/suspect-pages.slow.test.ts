import { expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { loadAhead } from '../../support/worlds/load-ahead.ts'
import { loseWorkers } from '../../support/stores/lose-workers.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'
import { OWNER } from '../../support/worlds/world.ts'

await loadAhead()

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const PAGES = 100
const CONCURRENCY = 8

/**
 * The number of current pages at the request for each page, in an execution that has lost so many
 * workers.
 */
async function crowds(lost: readonly string[]): Promise<readonly number[]> {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const seen: number[] = []
  let underWay = 0
  const { api, worker } = createPlatform({
    store,
    clock,
    random: seededRandom(1),
    logger: silent,
    rateLimits: false,
    fetcher: {
      capabilities: { pinsAddresses: true },
      resolve: async () => ['93.184.216.34'],
      async send({ url, signal }) {
        const isPage = url.pathname !== '/robots.txt'
        if (isPage) {
          seen.push(++underWay)
          await clock.sleep(100, signal)
          underWay--
        }
        return {
          status: 200,
          headers: { 'content-type': 'text/html' },
          body: new TextEncoder().encode(isPage ? '<h1>x</h1>' : ''),
          truncated: false,
        }
      },
      close: async () => {},
    },
  })
  const urls = Array.from({ length: PAGES }, (_, i) => `https://a.com/${i}`)
  const recipe = {
    start: { urls },
    crawl: { concurrency: CONCURRENCY, delayMs: 0 },
    extract: { fields: { title: 'h1' } },
  }
  const task = await api.tasks.create(OWNER, { name: 't', recipe })
  const { id } = await api.executions.start(OWNER, task.id)
  if (lost.length > 0) await loseWorkers(store, 'execution', lost, clock.now())
  await clock.runUntil(worker.tick())
  expect(await api.executions.get(OWNER, id)).toMatchObject({
    status: 'succeeded',
    counters: { fetched: PAGES },
  })
  return seen
}

it('an execution that lost a worker visits one page at a time until the suspect pages are done', async () => {
  const seen = await crowds(['one'])
  expect(Math.max(...seen.slice(0, CONCURRENCY + 50))).toBe(1)
  expect(Math.max(...seen)).toBe(CONCURRENCY)
  expect(Math.max(...(await crowds([])).slice(0, CONCURRENCY))).toBe(CONCURRENCY)
})
