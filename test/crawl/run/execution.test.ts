import { describe, expect, it } from 'vitest'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const list = (products: string[], next?: string) =>
  '<html><body><ul>' +
  products.map((id) => `<li><a class="product" href="/p/${id}">${id}</a></li>`).join('') +
  `</ul>${next ? `<a class="next" href="${next}">Next</a>` : ''}</body></html>`
const product = (id: string, price: string) =>
  `<html><body><h1>${id}</h1><p class="price">${price}</p><a class="product" href="/p/a">again</a></body></html>`
const RECIPE = {
  start: { urls: [`${SITE}/list`] },
  follow: [{ links: 'a.product', as: 'detail' }, { next: 'a.next' }],
  extract: { on: 'detail', fields: { title: 'h1', price: { css: '.price', as: 'number' } } },
}
const PAGES = {
  [`${SITE}/list`]: list(['a', 'b'], '/list?page=2'),
  [`${SITE}/list?page=2`]: list(['c', 'a']),
  [`${SITE}/p/a`]: product('a', '$1.50'),
  [`${SITE}/p/b`]: product('b', '$2'),
  [`${SITE}/p/c`]: product('c', '$3'),
}

describe('an execution', () => {
  it('follows, paginates, extracts and settles every page once', async () => {
    const world = createWorld(PAGES)
    const id = await world.start(RECIPE)
    await world.work()
    const execution = await world.read(id)
    expect(execution).toMatchObject({ status: 'succeeded', reason: null, cost: { credits: 5 } })
    expect(execution.counters).toMatchObject({
      discovered: 5,
      pending: 0,
      visited: 5,
      fetched: 5,
      rows: 3,
    })
    expect(
      (await world.rows(id)).toSorted((a, b) => String(a.title).localeCompare(String(b.title))),
    ).toEqual([
      { title: 'a', price: 1.5 },
      { title: 'b', price: 2 },
      { title: 'c', price: 3 },
    ])
    expect(world.web.requests.get(`${SITE}/p/a`)).toBe(1)
    expect(await world.receipt(id)).toEqual(
      [`${SITE}/list`, `${SITE}/p/a`, `${SITE}/p/b`, `${SITE}/list?page=2`, `${SITE}/p/c`].map(
        (url) => ({ url, outcome: 'fetched', code: null }),
      ),
    )
  })

  it('turns every kind of failure of a page into an outcome with a reason, and goes on', async () => {
    const world = createWorld({
      ...PAGES,
      [`${SITE}/list`]: list([
        'a',
        'gone',
        'private',
        'locked',
        'broken',
        'flaky',
        'moved',
        'slow',
      ]),
      [`${SITE}/robots.txt`]: {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nDisallow: /p/private',
      },
      [`${SITE}/p/locked`]: { status: 403 },
      [`${SITE}/p/broken`]: { status: 500 },
      [`${SITE}/p/flaky`]: (nth) => (nth < 3 ? 'down' : product('flaky', '9')),
      [`${SITE}/p/moved`]: { status: 302, headers: { location: '/p/a' } },
      [`${SITE}/p/slow`]: (nth) =>
        nth === 1 ? { status: 429, headers: { 'retry-after': '5' } } : product('slow', '8'),
    })
    const id = await world.start(RECIPE)
    await world.work()
    expect((await world.read(id)).status).toBe('succeeded')
    expect(await world.receipt(id)).toEqual([
      { url: `${SITE}/list`, outcome: 'fetched', code: null },
      { url: `${SITE}/p/a`, outcome: 'fetched', code: null },
      { url: `${SITE}/p/gone`, outcome: 'failed', code: 'http_404' },
      { url: `${SITE}/p/private`, outcome: 'skipped_robots', code: 'robots_disallowed' },
      { url: `${SITE}/p/locked`, outcome: 'blocked', code: 'http_403' },
      { url: `${SITE}/p/broken`, outcome: 'failed', code: 'http_500' },
      { url: `${SITE}/p/flaky`, outcome: 'fetched', code: null },
      { url: `${SITE}/p/moved`, outcome: 'duplicate', code: 'redirected_to_known' },
      { url: `${SITE}/p/slow`, outcome: 'fetched', code: null },
    ])
    expect((await world.read(id)).cost.credits).toBe(4)
    expect(world.web.requests.get(`${SITE}/p/broken`)).toBe(3)
    expect(world.web.requests.get(`${SITE}/p/private`)).toBeUndefined()
  })

  it('leaves no records behind that only a running execution needs', async () => {
    const world = createWorld(PAGES)
    const id = await world.start({ ...RECIPE, output: { unique: ['title'] } })
    await world.work()
    const records = createRecords(world.store)
    const left = await Promise.all(
      [records.seenUrls, records.seenRows, records.frontier].map((kind) =>
        kind.list(OWNER.account, { within: [id], limit: 10 }),
      ),
    )
    expect(left).toEqual([[], [], []])
    expect(await records.outbox.list(SYSTEM, { limit: 10 })).toEqual([])
    expect((await world.receipt(id)).length).toBe(5)
  })

  it('fails with the reason when the site is down, and still exports', async () => {
    const world = createWorld({ [`${SITE}/robots.txt`]: 'down', [`${SITE}/list`]: 'down' })
    const id = await world.start(RECIPE)
    await world.work()
    const { status, reason, cost } = await world.read(id)
    expect({ status, code: reason?.code, cost }).toEqual({
      status: 'failed',
      code: 'no_page_fetched',
      cost: { credits: 0, reserved: 10_000 },
    })
    expect(reason?.message).toContain('connection')
    const file = await world.platform.api.results.export(OWNER, id, { format: 'csv' })
    expect(await new Response(file.body).text()).toBe('title,price\r\n')
  })

  it('fails and names the fields when the recipe matches nothing', async () => {
    const world = createWorld(PAGES)
    const id = await world.start({
      ...RECIPE,
      extract: { on: 'detail', fields: { name: '.absent', size: '.missing' } },
    })
    await world.work()
    const { status, reason } = await world.read(id)
    expect(status).toBe('failed')
    expect(reason?.message).toMatch(/name, size/)
  })

  it('stops at the exact page of its budget, and the receipt has the rest', async () => {
    const world = createWorld(PAGES)
    const id = await world.start({ ...RECIPE, budget: { pages: 3 } })
    await world.work()
    const { status, counters, cost } = await world.read(id)
    expect({ status, cost }).toEqual({ status: 'succeeded', cost: { credits: 3, reserved: 3 } })
    expect(counters).toMatchObject({ fetched: 3, pending: 0 })
    expect(counters.discovered).toBe(counters.fetched + counters.skipped_limit)
  })

  it('stops at the exact page of its budget if pages cost nothing', async () => {
    const world = createWorld(PAGES, { billing: { prices: { fetched: 0 } } })
    const id = await world.start({ ...RECIPE, budget: { pages: 3 }, crawl: { concurrency: 3 } })
    await world.work()
    expect((await world.read(id)).counters).toMatchObject({ fetched: 3, pending: 0 })
    const skipped = (await world.receipt(id)).flatMap(({ code }) => code ?? [])
    expect(new Set(skipped)).toEqual(new Set(['page_limit']))
  })

  it('keeps to the credits of its budget', async () => {
    const world = createWorld({ ...PAGES, [`${SITE}/p/a`]: { status: 404 } })
    const id = await world.start({ ...RECIPE, budget: { credits: 2 }, crawl: { concurrency: 1 } })
    await world.work()
    expect((await world.read(id)).cost.credits).toBe(2)
    expect(
      (await world.receipt(id)).filter(({ code }) => code === 'credit_limit').length,
    ).toBeGreaterThan(0)
  })

  it('times out by its budget of seconds', async () => {
    const world = createWorld({
      ...PAGES,
      [`${SITE}/p/b`]: { status: 503, headers: { 'retry-after': '20' } },
    })
    const id = await world.start({ ...RECIPE, budget: { seconds: 5 } })
    await world.work()
    expect(await world.read(id)).toMatchObject({
      status: 'timed_out',
      reason: { code: 'time_limit' },
      counters: { pending: 0 },
    })
  })

  it('keeps rows unique by the columns that the recipe names', async () => {
    const world = createWorld({ ...PAGES, [`${SITE}/p/b`]: product('a', '7') })
    const id = await world.start({ ...RECIPE, output: { unique: ['title'] } })
    await world.work()
    expect((await world.rows(id)).map(({ title }) => title).toSorted()).toEqual(['a', 'c'])
    expect((await world.read(id)).counters.rows).toBe(2)
  })

  it('crawls a scope to a depth, and the receipt has what it left out', async () => {
    const world = createWorld({
      [`${SITE}/`]: '<a href="/one">1</a><a href="https://other.example.com/">x</a>',
      [`${SITE}/one`]: '<a href="/two">2</a>',
      [`${SITE}/two`]: '<a href="/three">3</a>',
    })
    const id = await world.start({
      start: { urls: [`${SITE}/`] },
      crawl: { scope: 'host', maxDepth: 2 },
      extract: { fields: { text: 'a' } },
    })
    await world.work()
    expect(await world.receipt(id)).toEqual([
      { url: `${SITE}/`, outcome: 'fetched', code: null },
      { url: `${SITE}/one`, outcome: 'fetched', code: null },
      { url: 'https://other.example.com/', outcome: 'skipped_scope', code: 'out_of_scope' },
      { url: `${SITE}/two`, outcome: 'fetched', code: null },
      { url: `${SITE}/three`, outcome: 'skipped_depth', code: 'too_deep' },
    ])
  })

  it('starts from a sitemap', async () => {
    const urls = Object.keys(PAGES).filter((url) => url.includes('/p/'))
    const world = createWorld({
      ...PAGES,
      [`${SITE}/sitemap.xml`]: {
        headers: { 'content-type': 'application/xml' },
        body: `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`,
      },
    })
    const id = await world.start({
      start: { sitemap: `${SITE}/sitemap.xml` },
      extract: { fields: { title: 'h1' } },
    })
    await world.work()
    expect((await world.rows(id)).map(({ title }) => title).toSorted()).toEqual(['a', 'b', 'c'])
  })

  it('starts from the entries of a feed', async () => {
    const urls = Object.keys(PAGES).filter((url) => url.includes('/p/'))
    const feed = {
      headers: { 'content-type': 'application/rss+xml' },
      body: `<rss><channel>${urls.map((url) => `<item><link>${url}</link></item>`).join('')}</channel></rss>`,
    }
    const world = createWorld({ ...PAGES, [`${SITE}/feed`]: feed })
    const id = await world.start({
      start: { feed: `${SITE}/feed` },
      extract: { on: 'start', fields: { title: 'h1' } },
    })
    await world.work()
    expect((await world.rows(id)).map(({ title }) => title).toSorted()).toEqual(['a', 'b', 'c'])
    const lost = await world.start({ start: { feed: `${SITE}/nowhere` } })
    await world.work()
    expect(await world.read(lost)).toMatchObject({
      status: 'failed',
      reason: {
        code: 'feed_protocol',
        message: 'The feed could not be read: The site answered 404.',
      },
    })
  })

  it('waits between requests for the delay that the recipe asks for', async () => {
    const world = createWorld(PAGES)
    const before = world.clock.now()
    const id = await world.start({ ...RECIPE, crawl: { delayMs: 1_000 } })
    await world.work()
    expect((await world.read(id)).counters.fetched).toBe(5)
    expect(world.clock.now() - before).toBeGreaterThanOrEqual(4_000)
  })
})

describe('politeness', () => {
  it('obeys the Crawl-delay of robots.txt from the first page on', async () => {
    const urls = [1, 2, 3, 4].map((n) => `${SITE}/p/${n}`)
    const times: number[] = []
    const page = (): string => {
      times.push(world.clock.now())
      return product('x', '1')
    }
    const world = createWorld({
      [`${SITE}/robots.txt`]: {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nCrawl-delay: 2',
      },
      ...Object.fromEntries(urls.map((url) => [url, page])),
    })
    await world.start({ start: { urls }, extract: { fields: { title: 'h1' } } })
    await world.work()
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 2_000, 4_000, 6_000])
  })
})

describe('control of an execution', () => {
  const held = (onFirst: () => void) => ({
    ...PAGES,
    [`${SITE}/list?page=2`]: (nth: number) => {
      if (nth === 1) onFirst()
      return list(['c', 'a'])
    },
  })

  it('cancel is final at once, and nothing is written after it', async () => {
    let cancelled: Promise<unknown> = Promise.resolve()
    const world = createWorld(
      held(() => (cancelled = world.platform.api.executions.cancel(OWNER, id))),
    )
    const id = await world.start(RECIPE)
    await world.work()
    await cancelled
    const execution = await world.read(id)
    expect(execution).toMatchObject({ status: 'cancelled' })
    await world.work()
    expect(await world.read(id)).toEqual(execution)
    await expect(world.platform.api.executions.resume(OWNER, id)).rejects.toMatchObject({
      code: 'CONFLICT',
    })
  })

  it('pause keeps the results so far, and resume does the rest without repeating a page', async () => {
    let paused: Promise<unknown> = Promise.resolve()
    const world = createWorld(held(() => (paused = world.platform.api.executions.pause(OWNER, id))))
    const id = await world.start({ ...RECIPE, crawl: { concurrency: 1 } })
    await world.work()
    await paused
    expect((await world.read(id)).status).toBe('paused')
    await world.platform.api.executions.resume(OWNER, id)
    await world.work()
    expect(await world.read(id)).toMatchObject({
      status: 'succeeded',
      counters: { fetched: 5, rows: 3 },
    })
    expect((await world.rows(id)).map(({ title }) => title).toSorted()).toEqual(['a', 'b', 'c'])
  })

  it('retry runs the recipe again as an execution of its own', async () => {
    const world = createWorld({
      ...PAGES,
      [`${SITE}/list`]: (nth) => (nth <= 3 ? 'down' : list(['a'])),
    })
    const first = await world.start(RECIPE)
    await world.work()
    expect((await world.read(first)).status).toBe('failed')
    const second = await world.platform.api.executions.retry(OWNER, first)
    await world.work()
    expect(await world.read(second.id)).toMatchObject({ status: 'succeeded', retryOf: first })
  })

  it('an execution continues where a stopped worker left off', async () => {
    const stop = new AbortController()
    const world = createWorld(held(() => stop.abort()))
    const id = await world.start({ ...RECIPE, crawl: { concurrency: 1 } })
    await world.clock.runUntil(world.platform.worker.tick({ signal: stop.signal }))
    expect((await world.read(id)).status).toBe('running')
    await world.work(world.join())
    expect(await world.read(id)).toMatchObject({
      status: 'succeeded',
      counters: { fetched: 5, rows: 3 },
    })
  })
})
