import { Cluster, Redis } from 'ioredis'
import { afterAll, expect, it } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { createRedisLimiter, createRedisStore } from '../../../adapters/redis/index.ts'
import type { RedisClient } from '../../../adapters/redis/index.ts'
import type { Store } from '../../../src/ports/store.ts'
import type { FakeClock } from '../../support/fakes/fake-clock.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { playShop } from '../../support/stores/play-fault.ts'
import { openRedis } from '../../support/redis/open.ts'
import { startRedis } from '../../support/redis/start.ts'
import { createRemoteStore } from '../../support/stores/remote-store.ts'

const { client, connect, prefix } = openRedis()
const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
})

/** A server for this test alone, and a client of it. */
async function server(...settings: string[]): Promise<{ client: Redis; port: number }> {
  const started = await startRedis(...settings)
  const own = new Redis({ port: started.port, host: '127.0.0.1' })
  // The tests cut connections on purpose; without a listener ioredis would log each cut.
  own.on('error', () => undefined)
  stops.push(async () => {
    own.disconnect()
    await started.stop()
  })
  return { client: own, port: started.port }
}

/**
 * A client that sends every commit twice, like a client that lost its connection before the answer
 * came, and that gets the second answer.
 */
function twice(inner: RedisClient): RedisClient {
  return {
    async call(command, values) {
      if (command.startsWith('EVAL')) await inner.call(command, values).catch(() => undefined)
      return inner.call(command, values)
    },
  }
}

it('a commit that is sent twice is done once, and its true result is answered', async () => {
  const name = prefix()
  const store = createRedisStore({ client: twice(client), prefix: name })
  for (let i = 0; i < 5; i++)
    expect(await store.commit({ add: [{ key: ['n'], amount: 1 }] })).toBe(true)
  expect(
    await store.commit({ check: [{ key: ['a'], version: null }], set: [{ key: ['a'], value: 1 }] }),
  ).toBe(true)
  expect(
    await store.commit({ check: [{ key: ['a'], version: null }], set: [{ key: ['a'], value: 2 }] }),
  ).toBe(false)
  await expect(
    store.commit({
      set: [{ key: ['x'], value: 1 }],
      add: [
        { key: ['n'], amount: Number.MAX_VALUE },
        { key: ['big'], amount: 1 },
      ],
    }),
  ).resolves.toBe(true)
  await expect(store.commit({ add: [{ key: ['n'], amount: Number.MAX_VALUE }] })).rejects.toThrow(
    TypeError,
  )
  expect((await store.get([['a'], ['x'], ['big']])).map((entry) => entry?.value)).toEqual([1, 1, 1])
  // The result of an answered commit is forgotten with the next commit.
  const [answers = ''] = await client.keys(`{${name}}:answers:*`)
  expect(await client.hlen(answers)).toBe(1)
})

it('commits that were being sent when connections were cut are done once each', async () => {
  const { client: own } = await server()
  const store = createRedisStore({ client: own })
  await store.commit({ set: [{ key: ['n'], value: 0 }] })
  const other = own.duplicate()
  const cut = () => other.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
  const again: Promise<unknown>[] = []
  for (let round = 0; round < 30; round++) {
    // Every other time it is cut once more, as soon as the connection is back and the commits are
    // sent again.
    if (round % 2) own.once('ready', () => again.push(cut()))
    const commits = Array.from({ length: 20 }, (_, i) =>
      store.commit({
        set: [{ key: ['log', round, i], value: 'x' }],
        add: [{ key: ['n'], amount: 1 }],
      }),
    )
    expect(await cut()).toBe(1)
    expect(await Promise.all(commits)).toEqual(commits.map(() => true))
    await Promise.all(again)
    // Connected, so that the next cut has something to cut.
    await own.ping()
  }
  expect(again).toHaveLength(15)
  other.disconnect()
  expect(await store.list({ prefix: ['log'], limit: 10_000 })).toHaveLength(600)
  expect((await store.get([['n']]))[0]?.value).toBe(600)
})

it('scripts are loaded again after the server has lost them', async () => {
  const { client: own } = await server()
  const [store, limiter] = [createRedisStore({ client: own }), createRedisLimiter({ client: own })]
  for (let i = 0; i < 3; i++) {
    await own.script('FLUSH')
    expect(await store.commit({ add: [{ key: ['n'], amount: 1 }] })).toBe(true)
    await own.script('FLUSH')
    expect(await store.list({ prefix: [], limit: 9 })).toMatchObject([{ value: i + 1 }])
    await own.script('FLUSH')
    expect(await limiter.take('k', { limit: 1, periodMs: 1_000, burst: 9 })).toMatchObject({
      allowed: true,
      remaining: 9 - i,
    })
  }
})

it('a server that would evict entries is refused, and nothing is written when its memory is full', async () => {
  const { client: evicting } = await server(
    '--maxmemory',
    '50mb',
    '--maxmemory-policy',
    'allkeys-lru',
  )
  await expect(createRedisStore({ client: evicting }).get([['a']])).rejects.toThrow('noeviction')
  const { client: small } = await server('--maxmemory', '4mb')
  const store = createRedisStore({ client: small })
  const outcomes: (boolean | 'full')[] = []
  for (let i = 0; i < 200; i++)
    outcomes.push(
      await store
        .commit({
          set: [{ key: ['a', i], value: 'x'.repeat(50_000) }],
          add: [{ key: ['n'], amount: 1 }],
        })
        .catch((error: unknown) => (/OOM/.test(String(error)) ? 'full' : false)),
    )
  expect(new Set(outcomes)).toEqual(new Set([true, 'full']))
  const successes = outcomes.filter((outcome) => outcome === true).length
  expect(await store.list({ prefix: ['a'], limit: 500 })).toHaveLength(successes)
  expect((await store.get([['n']]))[0]?.value).toBe(successes)
})

it('entries that expired or were deleted leave no keys behind', async () => {
  const name = prefix()
  const clock = { time: 1_000, now: () => clock.time }
  const store = createRedisStore({ client, prefix: name, clock })
  await store.commit({
    set: Array.from({ length: 100 }, (_, i) => ({
      key: ['x', i],
      value: i,
      ...(i < 60 && { expiresAt: 2_000 }),
    })),
  })
  clock.time = 2_000
  await store.commit({ delete: Array.from({ length: 40 }, (_, i) => ['x', 60 + i]) })
  for (let i = 0; i < 3; i++) await store.commit({})
  expect(
    await Promise.all([
      client.hlen(`{${name}}:entries`),
      client.zcard(`{${name}}:index`),
      client.zcard(`{${name}}:expiring`),
    ]),
  ).toEqual([0, 0, 0])
})

it('a limiter without a clock of its own has the same time in all processes', async () => {
  const limiter = createRedisLimiter({ client, prefix: prefix() })
  const [from = 0] = await client.time()
  const { resetAt } = await limiter.take('k', { limit: 1, periodMs: 60_000, burst: 0 })
  const [to = 0] = await client.time()
  expect(resetAt).toBeGreaterThanOrEqual(Number(from) * 1_000 + 60_000)
  expect(resetAt).toBeLessThanOrEqual((Number(to) + 1) * 1_000 + 60_000)
})

it('a store runs in a cluster, and all its keys are on one node', async () => {
  const { client: node, port } = await server(
    '--cluster-enabled',
    'yes',
    '--cluster-announce-ip',
    '127.0.0.1',
    // By default it is 10,000 above the other port, where another process may listen.
    '--cluster-port',
    String(await freePort()),
  )
  await node.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  await expect
    .poll(async () => String(await node.call('CLUSTER', 'INFO')), { interval: 50 })
    .toContain('cluster_state:ok')
  const cluster = new Cluster([{ host: '127.0.0.1', port }])
  stops.unshift(async () => cluster.disconnect())
  const store = createRedisStore({ client: cluster })
  expect(
    await store.commit({ set: [{ key: ['a', 1], value: 1 }], add: [{ key: ['n'], amount: 2 }] }),
  ).toBe(true)
  expect((await store.list({ prefix: [], limit: 9 })).map(({ value }) => value)).toEqual([1, 2])
  expect((await store.get([['n']]))[0]?.value).toBe(2)
  const limiter = createRedisLimiter({ client: cluster })
  for (const key of ['a', 'b', '{c}'])
    expect((await limiter.take(key, { limit: 1, periodMs: 1_000, burst: 0 })).allowed).toBe(true)
})

it('a name with harmful characters is refused', () => {
  for (const name of ['', 'a{b}', 'a b', 'a*', 'x'.repeat(49)]) {
    expect(() => createRedisStore({ client, prefix: name })).toThrow(TypeError)
    expect(() => createRedisLimiter({ client, prefix: name })).toThrow(TypeError)
  }
})

// The worker is the same on every store, and test/crawl/run/faults.slow.test.ts has every fault.
// Here are the faults where two processes meet, and the outcome of a commit is not known.
it.each<[Fault, number]>([
  ['fail-after', 2],
  ['crash-after', 4],
  ['stall-before', 6],
])(
  'no row is lost or doubled: %s at commit %i of a run, and at every sixth commit from there',
  async (fault, first) => {
    let own: ReturnType<typeof connect> | null = null
    const store = (clock: FakeClock): Store => {
      own = connect()
      return createRemoteStore(createRedisStore({ client: own, prefix: prefix(), clock }))
    }
    const close = (): void => own?.disconnect()
    const range = { first, step: 6 }
    const { scenarios, broken } = await playShop(fault, { store, closely: false, close }, range)
    expect(broken).toEqual([])
    expect(scenarios).toBeGreaterThan(1)
  },
)
