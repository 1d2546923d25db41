import { describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../src/defaults/memory-blobs.ts'
import { createRecords } from '../../src/records/records.ts'
import { OWNER, createWorld } from '../support/world.ts'

const SITE = 'https://shop.example.com'
const PAGES = {
  [`${SITE}/`]: '<h1>All pens</h1><a class="p" href="/p/1">1</a><a class="p" href="/p/2">2</a><a class="p" href="/old">3</a><a class="p" href="/none">4</a>',
  [`${SITE}/p/1`]: '<h1>Biro</h1><b class="price">2.50</b><i class="stock">7</i>',
  [`${SITE}/p/2`]: '<h1>Nib</h1><b class="price">9</b><i class="stock">0</i>',
  [`${SITE}/old`]: { status: 301, headers: { location: '/p/3' } },
  [`${SITE}/p/3`]: '<h1>Quill</h1><b class="price">4</b><i class="stock">12</i>',
}
const RECIPE = {
  start: { urls: [`${SITE}/`] },
  follow: [{ links: 'a.p', as: 'detail' }],
  page: { keep: true, headers: { 'X-Own': 'secret' } },
  crawl: { concurrency: 1, delayMs: 1_000 },
  extract: { on: 'detail', fields: { title: 'h1' } },
}
const STOCK = { extract: { on: 'detail', fields: { title: 'h1', stock: { css: '.stock', as: 'integer' }, from: { page: 'foundOn' } } } }

async function keptRun(recipe: object = RECIPE, given: Parameters<typeof createWorld>[1] = {}) {
  const world = createWorld(PAGES, given)
  const id = await world.start(JSON.parse(JSON.stringify(recipe)))
  await world.work()
  return { world, id, records: createRecords(world.store) }
}

describe('keeping pages', () => {
  it('keeps what was fetched, and counts it', async () => {
    const { world, id } = await keptRun()
    const execution = await world.read(id)
    expect(execution).toMatchObject({ status: 'succeeded', extractOf: null, kept: { pages: 4, omitted: 0 }, counters: { fetched: 4, failed: 1 } })
    expect(execution.kept?.bytes).toBeGreaterThan(100)
  })

  it('keeps nothing where the recipe does not ask for it', async () => {
    const blobs = createMemoryBlobs()
    const { world, id, records } = await keptRun({ ...RECIPE, page: {} }, { blobs })
    expect((await world.read(id)).kept).toBeNull()
    expect(await records.keptPages.list(OWNER.account, { limit: 10 })).toEqual([])
    expect((await blobs.list('')).filter((name) => name.includes('/pages/'))).toEqual([])
  })
})

describe('extracting from kept pages', () => {
  it('gives rows of the changed recipe, and asks nobody', async () => {
    const { world, id } = await keptRun()
    const asked = [...world.web.requests]
    const before = await world.platform.api.billing.balance(OWNER)
    const begun = await world.platform.api.executions.extract(OWNER, id, { recipe: STOCK })
    expect(begun).toMatchObject({ status: 'queued', extractOf: id, retryOf: null, cost: { credits: 0, reserved: 0 } })
    const started = world.clock.now()
    await world.work()
    expect(await world.rows(begun.id)).toEqual([
      { title: 'Biro', stock: 7, from: `${SITE}/` },
      { title: 'Nib', stock: 0, from: `${SITE}/` },
      { title: 'Quill', stock: 12, from: `${SITE}/` },
    ])
    expect([...world.web.requests]).toEqual(asked)
    expect(world.clock.now() - started).toBeLessThan(1_000)
    expect(await world.read(begun.id)).toMatchObject({ status: 'succeeded', counters: { discovered: 4, unchanged: 4, fetched: 0, rows: 3, bytes: 0 }, kept: null })
    expect(await world.receipt(begun.id)).toEqual(['/', '/p/1', '/p/2', '/old'].map((path) => ({ url: SITE + path, outcome: 'unchanged', code: 'kept_page' })))
    expect(await world.platform.api.billing.balance(OWNER)).toEqual(before)
  })
})
