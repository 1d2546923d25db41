import { expect, it } from 'vitest'
import { withHealth } from '../../../adapters/command/health.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

// Proves the answers for a load balancer: whether the process answers, and whether it can work.

function setUp() {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  const lines: string[] = []
  const log = (text: string) => void lines.push(text)
  let mode: 'well' | 'away' | 'mute' = 'well'
  let reads = 0
  const store: Store = {
    list: (range) => base.list(range),
    commit: (change) => base.commit(change),
    close: () => base.close(),
    async get(keys) {
      reads++
      if (mode === 'away') throw new Error('connect ECONNREFUSED 10.1.2.3')
      if (mode === 'mute') await clock.sleep(600_000)
      return base.get(keys)
    },
  }
  const platform = createPlatform({
    store,
    blobs: createMemoryBlobs(),
    clock,
    random: seededRandom(1),
    logger: { debug() {}, info: log, warn: log, error: log },
    rateLimits: false,
  })
  const fetch = withHealth(platform)
  const ask = async (path: string, method = 'GET') => {
    const response = await clock.runUntil(fetch(new Request(`http://host.test${path}`, { method })))
    const text = await response.text()
    const body: unknown = text === '' ? null : JSON.parse(text)
    return { status: response.status, body, headers: response.headers }
  }
  return {
    clock,
    platform,
    ask,
    lines,
    reads: () => reads,
    be: (next: typeof mode) => void (mode = next),
  }
}

it('the process is alive, whatever its parts do', async () => {
  const { ask, be } = setUp()
  be('away')
  expect(await ask('/healthz')).toMatchObject({ status: 200, body: { ok: true } })
  expect(await ask('/healthz', 'HEAD')).toMatchObject({ status: 200, body: null })
  expect((await ask('/healthz', 'POST')).status).toBe(405)
})

it('the process is ready while store and blobs answer; the times of their answers are shown', async () => {
  const { ask } = setUp()
  expect(await ask('/readyz')).toMatchObject({
    status: 200,
    body: { ok: true, store: { ok: true, ms: 0 }, blobs: { ok: true }, worker: { running: false } },
  })
})

it.each(['away', 'mute'] as const)(
  'the process is not ready while its store is %s',
  async (mode) => {
    const { ask, be, clock, lines } = setUp()
    be(mode)
    const { status, body, headers } = await ask('/readyz')
    expect(status).toBe(503)
    expect(headers.get('retry-after')).toBe('5')
    expect(body).toMatchObject({ ok: false, store: { ok: false }, blobs: { ok: true } })
    expect(JSON.stringify(body)).not.toContain('10.1.2.3')
    be('well')
    await clock.advance(1_000)
    expect((await ask('/readyz')).status).toBe(200)
    expect(lines).toEqual([
      'The records do not answer; trying again',
      expect.stringMatching(/^The records answer again/),
    ])
  },
)

it('the store is asked once a second, however many checks come', async () => {
  const { ask, clock, reads } = setUp()
  for (let i = 0; i < 20; i++) await ask('/readyz')
  expect(reads()).toBe(1)
  await clock.advance(1_000)
  await ask('/readyz')
  expect(reads()).toBe(2)
})

it('the answer says whether the worker runs', async () => {
  const { platform, ask, clock } = setUp()
  const stop = new AbortController()
  const run = platform.worker.run({ signal: stop.signal })
  expect((await ask('/readyz')).body).toMatchObject({ worker: { running: true } })
  const began = clock.now()
  await clock.advance(5_000)
  const { worker } = await platform.health()
  expect(worker.aliveAt).toBeGreaterThanOrEqual(began + 4_000)
  stop.abort()
  await clock.runUntil(run)
  await clock.advance(1_000)
  expect((await ask('/readyz')).body).toMatchObject({ worker: { running: false } })
})

it('the answer says how many jobs wait in the queue and how long; the process stays ready', async () => {
  const { platform, ask, clock } = setUp()
  const caller = { account: 'acme', user: 'ann', scopes: ['*'] }
  const recipe = { start: { urls: ['https://shop.example.com/'] } }
  await platform.api.executions.run(caller, { recipe })
  await clock.advance(3_000)
  expect(await ask('/readyz')).toMatchObject({
    status: 200,
    body: {
      queue: [
        { lane: 'short', depth: 0, ageMs: 0 },
        { lane: 'remote', depth: 0, ageMs: 0 },
        { lane: 'long', depth: 1, ageMs: 3_000 },
      ],
    },
  })
})

it('the answer leaves out a queue that has no figures, or that fails', async () => {
  for (const backlog of [undefined, () => Promise.reject(new Error('away'))]) {
    const clock = createFakeClock()
    const platform = createPlatform({
      store: createMemoryStore({ clock }),
      clock,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      queue: {
        push: async () => undefined,
        consume: async () => undefined,
        close: async () => undefined,
        ...(backlog && { backlog }),
      },
    })
    expect(await platform.health()).toMatchObject({ ok: true, queue: null })
    await platform.close()
  }
})

it('requests of all other paths go to the platform', async () => {
  const { ask } = setUp()
  expect((await ask('/api/v1/tasks/healthz')).status).toBe(401)
  expect((await ask('/api/v1/healthz')).status).toBe(404)
})
