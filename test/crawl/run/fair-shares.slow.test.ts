import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Principal } from '../../../src/kernel/http/route.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { loadAhead } from '../../support/worlds/load-ahead.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

await loadAhead()

const A: Principal = { account: 'a', user: 'u', scopes: ['*'] }
const B: Principal = { account: 'b', user: 'u', scopes: ['*'] }
const PAGE_MS = 3_000
const PLACES = 4
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const encoder = new TextEncoder()

/** A platform whose pages take three seconds each, with the time of each request. */
function createSlowWorld(processes = 1) {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const requests: { host: string; path: string; at: number }[] = []
  const open = (seed: number) =>
    createPlatform({
      store,
      clock,
      random: seededRandom(seed),
      logger: silent,
      rateLimits: false,
      worker: { concurrency: PLACES },
      fetcher: {
        capabilities: { pinsAddresses: true },
        resolve: async () => ['93.184.216.34'],
        async send({ url, signal }) {
          if (url.pathname !== '/robots.txt') {
            requests.push({ host: url.hostname, path: url.pathname, at: clock.now() })
            await clock.sleep(PAGE_MS, signal)
          }
          return {
            status: 200,
            headers: { 'content-type': 'text/html' },
            body: encoder.encode(url.pathname === '/robots.txt' ? '' : '<h1>x</h1>'),
            truncated: false,
          }
        },
        close: async () => {},
      },
    })
  const platforms = Array.from({ length: processes }, (_, i) => open(i + 1))
  const [platform] = platforms
  if (!platform) throw new Error('There is no process')
  const task = async (who: Principal, host: string, pages: number, delayMs = 0) => {
    const recipe = {
      start: { urls: Array.from({ length: pages }, (_, i) => `https://${host}/${i}`) },
      crawl: { concurrency: 1, delayMs },
      extract: { fields: { title: 'h1' } },
    }
    return (await platform.api.tasks.create(who, { name: host, recipe })).id
  }
  const start = async (who: Principal, id: string) =>
    (await platform.api.executions.start(who, id)).id
  return { clock, asked: requests, platforms, platform, task, start }
}

describe('an account with a thousand executions', () => {
  it.for([1, 2])(
    'does not delay the one page of another, on %i process(es)',
    { timeout: 120_000 },
    async (processes) => {
      const {
        clock,
        asked: requests,
        platforms,
        platform,
        task,
        start,
      } = createSlowWorld(processes)
      const many = await task(A, 'a.com', 500)
      for (let i = 0; i < 1_000; i++) await start(A, many)
      const one = await task(B, 'b.com', 1)
      const stop = new AbortController()
      const running = Promise.all(platforms.map((each) => each.worker.run({ signal: stop.signal })))
      await clock.advance(60_500)
      expect(new Set(requests.slice(-PLACES * processes).map(({ host }) => host))).toEqual(
        new Set(['a.com']),
      )
      const began = clock.now()
      const id = await start(B, one)
      await clock.advance(PAGE_MS + 1_500)
      const [first] = requests.filter(({ host }) => host === 'b.com')
      // It waits not even for the end of a current page; with another process, until its next poll of
      // the queue.
      expect((first?.at ?? Infinity) - began).toBeLessThanOrEqual(processes > 1 ? 1_100 : 100)
      // No place has visited more than its current page.
      expect(
        requests.filter(({ host, at }) => host === 'a.com' && at > began && at < (first?.at ?? 0))
          .length,
      ).toBeLessThanOrEqual(PLACES * processes)
      await clock.advance(3 * PAGE_MS)
      expect((await platform.api.executions.get(B, id)).status).toBe('succeeded')
      stop.abort()
      await clock.runUntil(running)
    },
  )

  it('loses no time while it is alone: none of its executions is interrupted for another one', async () => {
    const { clock, asked: requests, platform, task, start } = createSlowWorld()
    const many = await task(A, 'a.com', 20)
    for (let i = 0; i < 12; i++) await start(A, many)
    const began = clock.now()
    await clock.runUntil(platform.worker.tick())
    expect(requests).toHaveLength(240)
    // Three rounds of four executions without a pause.
    expect(clock.now() - began).toBe(3 * 20 * PAGE_MS)
  })
})

it('two accounts with long executions get equal shares of the places, and each page is requested once', async () => {
  const { clock, asked: requests, platform, task, start } = createSlowWorld()
  const [long, other] = [await task(A, 'a.com', 30), await task(B, 'b.com', 30)]
  for (let i = 0; i < PLACES; i++) await start(A, long)
  for (let i = 0; i < PLACES; i++) await start(B, other)
  await clock.runUntil(platform.worker.tick())
  const half = requests.slice(0, 120)
  expect(half.filter(({ host }) => host === 'a.com').length).toBeGreaterThan(50)
  expect(half.filter(({ host }) => host === 'a.com').length).toBeLessThan(70)
  expect(requests).toHaveLength(2 * PLACES * 30)
})

it('the delay between requests to a host holds over turns, and an execution that waits frees its place', async () => {
  const { clock, asked: requests, platform, task, start } = createSlowWorld()
  const slow = await task(A, 'slow.com', 4, 60_000)
  const busy = await task(B, 'b.com', 20)
  for (let i = 0; i < PLACES; i++) await start(A, slow)
  await clock.advance(10)
  const running = platform.worker.tick()
  await clock.advance(5_000)
  for (let i = 0; i < PLACES; i++) await start(B, busy)
  const began = clock.now()
  await clock.runUntil(running)
  const ends = requests.filter(({ host }) => host === 'b.com').at(-1)?.at ?? Infinity
  // The slow executions wait for a minute each; meanwhile the other account had the places nearly
  // alone.
  expect(ends - began).toBeLessThan(20 * PAGE_MS * 1.4)
  for (let page = 1; page < 4; page++) {
    const turn = (which: number) =>
      requests
        .filter(({ host, path }) => host === 'slow.com' && path === `/${which}`)
        .map(({ at }) => at)
        .toSorted((a, b) => a - b)
    expect((turn(page)[0] ?? 0) - (turn(page - 1)[0] ?? 0)).toBeGreaterThanOrEqual(60_000)
  }
  expect(requests.filter(({ host }) => host === 'slow.com')).toHaveLength(PLACES * 4)
})
