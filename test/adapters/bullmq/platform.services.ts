import type { RecipeInput } from 'seine'
import { expect, it } from 'vitest'
import { createBullmqQueue } from '../../../adapters/bullmq/index.ts'
import { createRedisLimiter, createRedisStore } from '../../../adapters/redis/index.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { Platform } from '../../../src/platform/options.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { openRedis } from '../../support/redis/open.ts'
import { OWNER } from '../../support/worlds/world.ts'

const redis = openRedis()
const SITE = 'https://shop.example.com'
const PRODUCTS = Array.from({ length: 24 }, (_, i) => `p${i}`)
const PAGES = {
  [`${SITE}/list`]: [...PRODUCTS, 'gone']
    .map((id) => `<a class="product" href="/p/${id}">${id}</a>`)
    .join(''),
  ...Object.fromEntries(
    PRODUCTS.map((id, i) => [`${SITE}/p/${id}`, `<h1>${id}</h1><b class="price">${i}.25</b>`]),
  ),
}
const RECIPE: RecipeInput = {
  start: { urls: [`${SITE}/list`] },
  follow: [{ links: 'a.product', as: 'detail' }],
  extract: { on: 'detail', fields: { title: 'h1', price: { css: '.price', as: 'number' } } },
  budget: { credits: 100 },
}

it('the whole platform runs on Redis and BullMQ: the API in one process, the work in two', async () => {
  const [prefix, blobs, web] = [redis.prefix(), createMemoryBlobs(), createFakeWeb(PAGES)]
  const join = (): Platform =>
    createPlatform({
      store: createRedisStore({ client: redis.connect(), prefix }),
      queue: createBullmqQueue({ server: { redis: redis.connect() }, name: prefix }),
      limiter: createRedisLimiter({ client: redis.connect(), prefix }),
      rateLimits: { tasks: { limit: 1, periodMs: 3_600_000, burst: 39 } },
      blobs: { ...blobs, close: async () => {} },
      fetcher: web,
      billing: { plans: [{ id: 'free', name: 'Free', creditsPerMonth: 1_000 }] },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    })
  const [api, ...workers] = [join(), join(), join()]
  const stop = new AbortController()
  const running = workers.map(({ worker }) => worker.run({ signal: stop.signal }))

  const dataset = await api.api.datasets.create(OWNER, { name: 'Products', keyFields: ['title'] })
  const task = await api.api.tasks.create(OWNER, {
    name: 'shop',
    recipe: RECIPE,
    datasetId: dataset.id,
  })
  const ids = await Promise.all(
    Array.from({ length: 4 }, async () => (await api.api.executions.start(OWNER, task.id)).id),
  )
  // The highest cost of an execution is held as long as it runs; a job of its own merges the
  // dataset.
  await expect
    .poll(
      async () =>
        Promise.all(ids.map(async (id) => (await api.api.executions.get(OWNER, id)).status)),
      { interval: 50 },
    )
    .toEqual(ids.map(() => 'succeeded'))
  await expect
    .poll(
      async () => (await api.api.datasets.items(OWNER, dataset.id, { limit: 100 })).items.length,
      { interval: 50 },
    )
    .toBe(24)
  for (const id of ids) {
    expect(await api.api.executions.get(OWNER, id)).toMatchObject({
      counters: { discovered: 26, fetched: 25, failed: 1, rows: 24 },
      cost: { credits: 25 },
    })
    const { items } = await api.api.results.list(OWNER, id, { limit: 100 })
    expect(items.map(({ title, price }) => [title, price]).toSorted()).toEqual(
      PRODUCTS.map((title, i) => [title, i + 0.25]).toSorted(),
    )
  }
  stop.abort()
  await Promise.all(running)
  expect((await api.verify()).differences).toEqual([])
  expect(await api.api.billing.balance(OWNER)).toMatchObject({
    credits: { wallet: 900, held: 0, revenue: 100 },
  })

  // Forty calls an hour in total, whichever process answers them.
  const { secret } = await api.api.keys.create(OWNER, { name: 'k', scopes: ['tasks:read'] })
  const call = async (platform: Platform): Promise<number> =>
    (
      await platform.fetch(
        new Request('http://localhost/api/v1/tasks', {
          headers: { authorization: `Bearer ${secret}` },
        }),
      )
    ).status
  const statuses = await Promise.all(
    Array.from({ length: 60 }, (_, i) => call([api, ...workers][i % 3] ?? api)),
  )
  expect(statuses.filter((status) => status === 200)).toHaveLength(40)
  expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  await Promise.all([api, ...workers].map((platform) => platform.close()))
})
