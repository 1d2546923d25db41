import { uncheckedRecipe } from '../../support/worlds/unchecked-recipe.ts'
import { describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { ExtractInput } from '../../../src/features/executions/kept-pages.ts'
import { createFakeBrowser } from '../../support/fakes/fake-browser.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const DAY = 86_400_000
const SITE = 'https://shop.example.com'
const PAGES = {
  [`${SITE}/`]:
    '<h1>All pens</h1><a class="p" href="/p/1">1</a><a class="p" href="/p/2">2</a>' +
    '<a class="p" href="/old">3</a><a class="p" href="/none">4</a>',
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
const STOCK: ExtractInput['recipe'] = {
  extract: {
    on: 'detail',
    fields: { title: 'h1', stock: { css: '.stock', as: 'integer' }, from: { page: 'foundOn' } },
  },
}

async function keptRun(recipe: object = RECIPE, options: Parameters<typeof createWorld>[1] = {}) {
  const world = createWorld(PAGES, options)
  const id = await world.start(JSON.parse(JSON.stringify(recipe)))
  await world.work()
  return { world, id, records: createRecords(world.store) }
}

describe('keeping pages', () => {
  it('keeps the fetched pages, and counts them', async () => {
    const { world, id } = await keptRun()
    const execution = await world.read(id)
    expect(execution).toMatchObject({
      status: 'succeeded',
      extractOf: null,
      kept: { pages: 4, omitted: 0 },
      counters: { fetched: 4, failed: 1 },
    })
    expect(execution.kept?.bytes).toBeGreaterThan(100)
  })

  it('keeps nothing if the recipe does not ask for it', async () => {
    const blobs = createMemoryBlobs()
    const { world, id, records } = await keptRun({ ...RECIPE, page: {} }, { blobs })
    expect((await world.read(id)).kept).toBeNull()
    expect(await records.keptPages.list(OWNER.account, { limit: 10 })).toEqual([])
    expect((await blobs.list('')).filter((name) => name.includes('/pages/'))).toEqual([])
  })
})

describe('extracting from kept pages', () => {
  it('gives rows of the changed recipe, without requests', async () => {
    const { world, id } = await keptRun()
    const requests = [...world.web.requests]
    const before = await world.platform.api.billing.balance(OWNER)
    const begun = await world.platform.api.executions.extract(OWNER, id, { recipe: STOCK })
    expect(begun).toMatchObject({
      status: 'queued',
      extractOf: id,
      retryOf: null,
      cost: { credits: 0, reserved: 0 },
    })
    await world.work()
    expect(await world.rows(begun.id)).toEqual([
      { title: 'Biro', stock: 7, from: `${SITE}/` },
      { title: 'Nib', stock: 0, from: `${SITE}/` },
      { title: 'Quill', stock: 12, from: `${SITE}/` },
    ])
    expect([...world.web.requests]).toEqual(requests)
    expect(await world.read(begun.id)).toMatchObject({
      status: 'succeeded',
      counters: { discovered: 4, unchanged: 4, fetched: 0, rows: 3, bytes: 0 },
      kept: null,
    })
    expect(await world.receipt(begun.id)).toEqual(
      ['/', '/p/1', '/p/2', '/old'].map((path) => ({
        url: SITE + path,
        outcome: 'unchanged',
        code: 'kept_page',
      })),
    )
    const { items } = await world.platform.api.executions.pages(OWNER, begun.id)
    expect(items.map(({ visit }) => visit)).toEqual(items.map(() => null))
    expect(await world.platform.api.billing.balance(OWNER)).toEqual(before)
  })

  it('detects on the first kept page what the recipe leaves open', async () => {
    const cards =
      '<ul>' +
      ['Biro', 'Nib', 'Quill', 'Reed']
        .map(
          (name, index) =>
            `<li class="card"><h2>${name}</h2><a href="/p/${index}">see</a><b class="price">${index}.50</b></li>`,
        )
        .join('') +
      '</ul>'
    const world = createWorld({ [`${SITE}/list`]: cards })
    const id = await world.start({
      start: { urls: [`${SITE}/list`] },
      page: { keep: true },
      formats: ['text'],
    })
    await world.work()
    const { id: second } = await world.platform.api.executions.extract(OWNER, id, {
      recipe: { extract: 'auto', formats: null },
    })
    await world.work()
    expect((await world.rows(second)).map((row) => Object.values(row).includes('Nib'))).toEqual([
      false,
      true,
      false,
      false,
    ])
    expect(world.web.requests.get(`${SITE}/list`)).toBe(1)
  })

  it('works again on an execution that was itself extracted again, and is retried, from the same pages', async () => {
    const { world, id } = await keptRun()
    const { extract, retry } = world.platform.api.executions
    const second = (await extract(OWNER, id, { recipe: STOCK })).id
    await world.work()
    const third = await extract(OWNER, second, { recipe: { output: { unique: ['title'] } } })
    await world.work()
    const fourth = await retry(OWNER, second)
    await world.work()
    expect([third.extractOf, fourth.extractOf, fourth.retryOf]).toEqual([id, id, second])
    expect(await world.rows(third.id)).toEqual(await world.rows(second))
    expect(await world.rows(fourth.id)).toEqual(await world.rows(second))
    expect(world.web.requests.get(`${SITE}/p/1`)).toBe(1)
  })

  it('costs nothing although unchanged pages have a price, and needs no credits', async () => {
    const plan = { id: 'small', name: 'Small', creditsPerMonth: 1_000, overdraft: 0 }
    const world = createWorld(PAGES, {
      billing: { plans: [plan], prices: { fetched: 100, unchanged: 100 } },
    })
    const id = await world.start({ ...RECIPE, budget: { pages: 10 } })
    await world.work()
    const { credits: spent } = (await world.read(id)).cost
    const { id: second } = await world.platform.api.executions.extract(OWNER, id, { recipe: STOCK })
    await world.work()
    expect([spent, (await world.read(second)).cost.credits]).toEqual([400, 0])
    expect(await world.rows(second)).toHaveLength(3)
    expect((await world.platform.verify()).differences).toEqual([])
  })

  it('says that it does not fetch media', async () => {
    const world = createWorld({
      [`${SITE}/`]: '<h1>Pen</h1><img src="/a.png">',
      [`${SITE}/a.png`]: { headers: { 'content-type': 'image/png' }, body: 'x' },
    })
    const id = await world.start({
      start: { urls: [`${SITE}/`] },
      page: { keep: true },
      extract: { fields: { title: 'h1' } },
    })
    await world.work()
    const { id: second } = await world.platform.api.executions.extract(OWNER, id, {
      recipe: { extract: { fields: { title: 'h1', image: { css: 'img', as: 'media' } } } },
    })
    await world.work()
    expect(await world.rows(second)).toEqual([
      {
        title: 'Pen',
        image: {
          sourceUrl: `${SITE}/a.png`,
          error: { code: 'refused', message: 'A run over kept pages sends no requests' },
        },
      },
    ])
    expect(world.web.requests.has(`${SITE}/a.png`)).toBe(false)
  })

  it('reads a rendered page without a browser', async () => {
    const browser = createFakeBrowser(() => ({
      html: '<h1>Rendered</h1><i class="stock">3</i>',
      screenshot: new Uint8Array([1]),
    }))
    const world = createWorld({ [`${SITE}/`]: '<div id="app"></div>' }, { browser })
    const id = await world.start({
      start: { urls: [`${SITE}/`] },
      page: { keep: true, render: 'browser' },
      extract: { fields: { title: 'h1' } },
      formats: ['screenshot'],
    })
    await world.work()
    const { id: second } = await world.platform.api.executions.extract(OWNER, id, {
      recipe: { extract: { fields: { stock: '.stock' } } },
    })
    await world.work()
    expect(await world.rows(second)).toEqual([{ stock: '3' }])
    expect(browser.requests).toHaveLength(1)
  })

  it('changes nothing of the task: not its dataset, its usual figures, nor what agents find', async () => {
    const world = createWorld(PAGES)
    const dataset = (
      await world.platform.api.datasets.create(OWNER, { name: 'pens', keyFields: ['title'] })
    ).id
    const task = (
      await world.platform.api.tasks.create(OWNER, {
        name: 'pens',
        recipe: RECIPE,
        datasetId: dataset,
      })
    ).id
    const { id } = await world.platform.api.executions.start(OWNER, task)
    await world.work()
    const records = createRecords(world.store)
    const health = (await records.health.get(OWNER.account, task))?.value
    const begun = await world.platform.api.executions.extract(OWNER, id, {
      recipe: { extract: { fields: { nothing: '.nothing', title: 'h1' } } },
    })
    await world.work()
    expect(begun).toMatchObject({ taskId: task, datasetId: null })
    expect((await records.health.get(OWNER.account, task))?.value).toEqual(health)
    expect((await world.platform.api.datasets.get(OWNER, dataset)).counters.items).toBe(3)
    expect(
      (await world.platform.api.planSteps.list(OWNER, begun.id)).steps.map(
        ({ title, state, counts }) => [title, state, counts],
      ),
    ).toEqual([
      [`Take the pages kept by ${id}`, 'done', { urls: 4 }],
      ['Extract nothing, title', 'done', { pages: 4, rows: 4 }],
    ])
  })
})

describe('the limit of kept bytes', () => {
  it('makes pages above it count as omitted', async () => {
    const { world, id, records } = await keptRun(RECIPE, {
      keptPages: { maxBytesPerExecution: 200 },
    })
    const { kept } = await world.read(id)
    const stored = (await records.keptPages.list(OWNER.account, { within: [id], limit: 10 })).map(
      ({ value }) => value,
    )
    expect(kept).toMatchObject({
      pages: stored.length,
      omitted: 4 - stored.length,
      bytes: stored.reduce((sum, { length }) => sum + length, 0),
    })
    expect(stored.length).toBeGreaterThan(0)
    expect(kept?.omitted).toBeGreaterThan(0)
    const { id: second } = await world.platform.api.executions.extract(OWNER, id, {
      recipe: { extract: { fields: { title: 'h1' } } },
    })
    await world.work()
    expect(await world.rows(second)).toHaveLength(stored.length)
  })
})

describe('extraction from kept pages is refused for', () => {
  const extract = async (
    recipe: object,
    changes: ExtractInput['recipe'],
    before: (world: World, id: string) => Promise<void> = async () => {},
  ) => {
    const { world, id } = await keptRun(recipe)
    await before(world, id)
    return world.platform.api.executions.extract(OWNER, id, { recipe: changes }).then(
      () => null,
      (error: unknown) => error,
    )
  }

  it('an execution that has kept nothing, with advice how to keep pages', async () => {
    expect(await extract({ ...RECIPE, page: {} }, STOCK)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('"page": { "keep": true }'),
    })
  })

  it('an unfinished one', async () => {
    const world = createWorld(PAGES)
    const id = await world.start(RECIPE)
    await expect(
      world.platform.api.executions.extract(OWNER, id, { recipe: STOCK }),
    ).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('queued') })
  })

  it("another account's", async () => {
    const { world, id } = await keptRun()
    await expect(
      world.platform.api.executions.extract({ ...OWNER, account: 'globex' }, id, { recipe: STOCK }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('an execution whose task is archived', async () => {
    expect(
      await extract(RECIPE, STOCK, async ({ platform }, id) => {
        const { taskId } = await platform.api.executions.get(OWNER, id)
        await platform.api.tasks.update(OWNER, String(taskId), { status: 'archived' })
      }),
    ).toMatchObject({ code: 'CONFLICT' })
  })

  it.each([
    ['recipe.start', { start: { urls: [`${SITE}/x`] } }],
    ['recipe.follow', { follow: [] }],
    ['recipe.page', { page: { render: 'browser' } }],
    ['recipe.crawl', { crawl: { maxPages: 1 } }],
    ['recipe.budget', { budget: {} }],
    ['recipe.nonsense', { nonsense: 1 }],
    ['recipe.formats.1', { formats: ['text', 'screenshot'] }],
    ['recipe.extract.on', { extract: { on: 'nowhere', fields: { title: 'h1' } } }],
    ['recipe.extract.fields.title', { extract: { fields: { title: '!!' } } }],
    ['recipe.output.unique.0', { output: { unique: ['missing'] } }],
  ] as const)('%s', async (path, changes) => {
    expect(await extract(RECIPE, uncheckedRecipe(changes))).toMatchObject({
      code: 'BAD_REQUEST',
      issues: [expect.objectContaining({ path })],
    })
  })
})

describe('retention', () => {
  const WEEK = { id: 'week', name: 'Week', creditsPerMonth: 0, overdraft: null, retentionDays: 7 }

  it('deletes kept pages with their execution, and the execution shows it', async () => {
    const { world, id, records } = await keptRun(RECIPE, { billing: { plans: [WEEK] } })
    for (let day = 0; day < 6; day++) await world.clock.advance(DAY)
    const second = (await world.platform.api.executions.extract(OWNER, id, { recipe: STOCK })).id
    await world.work()
    for (let day = 0; day < 3; day++) {
      await world.clock.advance(DAY)
      await world.work()
    }
    expect(await records.executions.get(OWNER.account, id)).toBeNull()
    expect(await records.keptPages.list(OWNER.account, { limit: 10 })).toEqual([])
    expect(await world.blobs.list(`rows/${id}/`)).toEqual([])
    expect(await world.rows(second)).toHaveLength(3)
    for (const again of [
      () => world.platform.api.executions.extract(OWNER, second, { recipe: STOCK }),
      () => world.platform.api.executions.retry(OWNER, second),
    ]) {
      await expect(again()).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining('no longer kept'),
      })
    }
  })

  it('makes a run fail whose pages are deleted before it begins', async () => {
    const { world, id } = await keptRun(RECIPE, { billing: { plans: [WEEK] } })
    const second = (await world.platform.api.executions.extract(OWNER, id, { recipe: STOCK })).id
    await world.platform.api.executions.pause(OWNER, second)
    for (let day = 0; day < 9; day++) {
      await world.clock.advance(DAY)
      await world.work()
    }
    await world.platform.api.executions.resume(OWNER, second)
    await world.work()
    expect(await world.read(second)).toMatchObject({
      status: 'failed',
      reason: { code: 'pages_not_kept' },
      counters: { rows: 0 },
    })
  })
})
