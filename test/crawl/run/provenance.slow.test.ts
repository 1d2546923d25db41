import { describe, expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { bodyDigest } from '../../../src/features/common/provenance.ts'
import { createRecords } from '../../../src/features/records.ts'
import { Change } from '../../../src/records/change.ts'
import type { RecipeInput } from '../../../src/engine/recipe/recipe-input.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const ONE = '<h1>Biro</h1><b class="price">2.50</b>'
const TWO = '<h1>Nib</h1><b class="cost">9</b>'
const PAGES = {
  [`${SITE}/1`]: ONE,
  [`${SITE}/2`]: { status: 301, headers: { location: '/3' } },
  [`${SITE}/3`]: TWO,
}
const RECIPE: RecipeInput = {
  start: { urls: [`${SITE}/1`, `${SITE}/2`] },
  crawl: { concurrency: 1, delayMs: 1_000 },
  extract: { fields: { title: 'h1', price: ['.price', { css: '.cost', as: 'number' }] } },
}

async function ran(world: World, recipe: Json | object = RECIPE): Promise<string> {
  const id = await world.start(JSON.parse(JSON.stringify(recipe)))
  await world.work()
  return id
}

async function origins(world: World, id: string): Promise<readonly Row[]> {
  const { items } = await world.platform.api.results.list(OWNER, id, {
    limit: 100,
    provenance: true,
    fields: [],
  })
  return items
}

async function file(world: World, id: string, format: string): Promise<string> {
  const { body } = await world.platform.api.results.export(OWNER, id, { format, provenance: true })
  return new Response(body).text()
}

const digestOf = (body: string) => bodyDigest(new TextEncoder().encode(body))

describe('the provenance of a row', () => {
  it('has the page, its time, its digest, and the source of each value', async () => {
    const world = createWorld(PAGES)
    const began = world.clock.now()
    const id = await ran(world)
    const page = await world.platform.api.results.list(OWNER, id, { provenance: true })
    expect(page.columns).toEqual(['title', 'price', '_page', '_fetchedAt', '_digest', '_sources'])
    const [first, second] = page.items
    expect(first).toEqual({
      title: 'Biro',
      price: '2.50',
      _page: `${SITE}/1`,
      _fetchedAt: new Date(began).toISOString(),
      _digest: await digestOf(ONE),
      _sources: {
        title: { alternative: 0, source: 'css: h1' },
        price: { alternative: 0, source: 'css: .price' },
      },
    })
    expect(second).toEqual({
      title: 'Nib',
      price: 9,
      _page: `${SITE}/3`,
      _fetchedAt: new Date(began + 1_000).toISOString(),
      _digest: await digestOf(TWO),
      _sources: {
        title: { alternative: 0, source: 'css: h1' },
        price: { alternative: 1, source: 'css: .cost' },
      },
    })
    const plain = await world.platform.api.results.list(OWNER, id)
    expect(plain.items).toEqual([
      { title: 'Biro', price: '2.50' },
      { title: 'Nib', price: 9 },
    ])
  })

  it('is in files of every format, and only if it is asked for', async () => {
    const world = createWorld(PAGES)
    const id = await ran(world)
    const rows = (await world.platform.api.results.list(OWNER, id, { provenance: true })).items
    expect(JSON.parse(await file(world, id, 'json'))).toEqual(rows)
    const lines = (await file(world, id, 'jsonl')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows)
    const [head, first] = (await file(world, id, 'csv')).split('\r\n')
    expect(head).toBe('title,price,_page,_fetchedAt,_digest,_sources')
    expect(first).toContain(`Biro,2.50,${SITE}/1,`)
    expect(first).toContain('""css: .price""')
    for (const format of ['xml', 'html'])
      expect(await file(world, id, format)).toContain('css: .cost')
    for (const format of ['xlsx', 'parquet'])
      expect((await file(world, id, format)).length).toBeGreaterThan(500)
    const { body } = await world.platform.api.results.export(OWNER, id, { format: 'jsonl' })
    expect(await new Response(body).text()).not.toContain('_page')
  })

  it('is not known for rows that were stored without it', async () => {
    const world = createWorld(PAGES)
    const id = await ran(world)
    const records = createRecords(world.store)
    const segments = await records.segments.list(OWNER.account, { within: [id], limit: 10 })
    const change = new Change()
    for (const { value } of segments) {
      const { provenance = 0, ...old } = value
      const blob = (await world.blobs.get(value.blob)) ?? new Uint8Array()
      await world.blobs.put(value.blob, blob.slice(0, blob.length - provenance))
      records.segments.put(change, OWNER.account, old)
    }
    await records.commit(change)
    const unknown = { _page: null, _fetchedAt: null, _digest: null, _sources: null }
    expect(await origins(world, id)).toEqual([unknown, unknown])
    const [line = ''] = (await file(world, id, 'jsonl')).split('\n')
    expect(JSON.parse(line)).toEqual({ title: 'Biro', price: '2.50', ...unknown })
    expect((await world.platform.verify()).differences).toEqual([])
  })

  it('is refused if the rows have a column of that name themselves', async () => {
    const world = createWorld(PAGES)
    const id = await ran(world, { ...RECIPE, extract: { fields: { title: 'h1', _page: 'b' } } })
    await expect(
      world.platform.api.results.list(OWNER, id, { provenance: true }),
    ).rejects.toMatchObject({ code: 'BAD_REQUEST', issues: [{ path: 'provenance' }] })
    expect(await world.rows(id)).toHaveLength(2)
  })

  it('is unchanged when another row is left out as a duplicate', async () => {
    const items = (...all: string[]) => all.map((one) => `<i>${one}</i>`).join('')
    const world = createWorld({
      [`${SITE}/1`]: items('<b>a</b>', '<s>b</s>', '<b>c</b>'),
      [`${SITE}/2`]: items('<b>a</b>', '<s>d</s>', '<b>c</b>', '<b>e</b>'),
    })
    const id = await ran(world, {
      ...RECIPE,
      extract: { items: 'i', fields: { name: ['b', 's'] } },
      output: { unique: ['name'] },
    })
    const { items: rows } = await world.platform.api.results.list(OWNER, id, { provenance: true })
    expect(rows.map((row) => [row['name'], row['_page'], JSON.stringify(row['_sources'])])).toEqual(
      [
        ['a', '1', 0, 'b'],
        ['b', '1', 1, 's'],
        ['c', '1', 0, 'b'],
        ['d', '2', 1, 's'],
        ['e', '2', 0, 'b'],
      ].map(([name, page, alternative, css]) => [
        name,
        `${SITE}/${page}`,
        JSON.stringify({ name: { alternative, source: `css: ${css}` } }),
      ]),
    )
  })

  it('has no digest if the page failed', async () => {
    const world = createWorld({ [`${SITE}/1`]: { status: 404 } })
    const id = await ran(world, {
      start: { urls: [`${SITE}/1`] },
      extract: { failed: true, fields: { at: { url: true }, status: { page: 'status' }, t: 'h1' } },
    })
    expect(await origins(world, id)).toEqual([
      {
        _page: `${SITE}/1`,
        _fetchedAt: expect.any(String),
        _digest: null,
        _sources: {
          at: { alternative: 0, source: 'url' },
          status: { alternative: 0, source: 'page: status' },
          t: null,
        },
      },
    ])
  })

  it('names the model as the source of a value that a model gave', async () => {
    const world = createWorld(
      { [`${SITE}/1`]: '<h1>Biro</h1><p>A pen that costs two and a half, sold in tens.</p>' },
      { model: { ask: async () => ({ json: { price: '2.5' }, inputTokens: 1, outputTokens: 1 }) } },
    )
    const id = await ran(world, {
      start: { urls: [`${SITE}/1`] },
      extract: { fields: { title: 'h1', price: ['.price', { model: 'the price' }], no: '.no' } },
    })
    const [origin] = await origins(world, id)
    expect(origin?.['_sources']).toEqual({
      title: { alternative: 0, source: 'css: h1' },
      price: { alternative: 1, source: 'model: the price' },
      no: null,
    })
  })
})

describe('rows of pages that are read again', () => {
  it('have the time at which the kept page was fetched, and its digest', async () => {
    const world = createWorld(PAGES)
    const id = await ran(world, { ...RECIPE, page: { keep: true } })
    const before = await origins(world, id)
    await world.clock.advance(3_600_000)
    const again = await world.platform.api.executions.extract(OWNER, id, {
      recipe: { extract: { fields: { cost: ['.cost', '.price'] } } },
    })
    await world.work()
    const after = await origins(world, again.id)
    expect(after).toHaveLength(2)
    for (const name of ['_page', '_fetchedAt', '_digest'])
      expect(after.map((row) => row[name])).toEqual(before.map((row) => row[name]))
    expect(after.map((row) => row['_sources'])).toEqual([
      { cost: { alternative: 1, source: 'css: .price' } },
      { cost: { alternative: 0, source: 'css: .cost' } },
    ])
  })

  it('have the time at which the cached page was fetched, also if it is kept then', async () => {
    const world = createWorld(PAGES)
    const cached = { ...RECIPE, page: { maxAgeSeconds: 86_400 } }
    const before = await origins(world, await ran(world, cached))
    await world.clock.advance(3_600_000)
    const id = await ran(world, { ...cached, page: { ...cached.page, keep: true } })
    expect(await origins(world, id)).toEqual(before)
    await world.clock.advance(3_600_000)
    const again = await world.platform.api.executions.extract(OWNER, id, { recipe: {} })
    await world.work()
    expect(await origins(world, again.id)).toEqual(before)
  })
})

it('the provenance of a dataset item is the page whose row changed it last', async () => {
  const answers: Record<string, string | { status: number; headers: { location: string } }> = {
    ...PAGES,
  }
  const world = createWorld(answers)
  const { tasks, executions, datasets } = world.platform.api
  const dataset = await datasets.create(OWNER, { name: 'pens', keyFields: ['title'] })
  const task = await tasks.create(OWNER, { name: 't', recipe: RECIPE, datasetId: dataset.id })
  const run = async (name = task.id): Promise<string> => {
    const { id } = await executions.start(OWNER, name)
    await world.work()
    return id
  }
  const read = async () =>
    (await datasets.items(OWNER, dataset.id, { provenance: true })).items.map(
      ({ values, origin }) => [values['title'], origin],
    )
  const first = await run()
  const before = [
    ['Biro', { executionId: first, page: `${SITE}/1` }],
    ['Nib', { executionId: first, page: `${SITE}/3` }],
  ]
  expect(await read()).toEqual(before)
  await run()
  expect(await read()).toEqual(before)
  // Another task sees the same values on another page: it has changed nothing.
  answers[`${SITE}/9`] = ONE
  const recipe = { ...RECIPE, start: { urls: [`${SITE}/9`] } }
  const other = await tasks.create(OWNER, { name: 'o', recipe, datasetId: dataset.id })
  await run(other.id)
  expect(await read()).toEqual(before)
  answers[`${SITE}/1`] = TWO.replace('9', '10')
  answers[`${SITE}/3`] = ONE
  const third = await run()
  expect(await read()).toEqual([
    ['Biro', { executionId: first, page: `${SITE}/1` }],
    ['Nib', { executionId: third, page: `${SITE}/1` }],
  ])
  const [plain] = (await datasets.items(OWNER, dataset.id)).items
  expect(plain).not.toHaveProperty('origin')
})

it('verify reports rows without provenance, or with that of another page', async () => {
  const [store, blobs] = [createMemoryStore(), createMemoryBlobs()]
  const world = createWorld(PAGES, { store, blobs })
  const id = await ran(world)
  expect((await world.platform.verify()).differences).toEqual([])
  const records = createRecords(store)
  const [segment] = await records.segments.list(OWNER.account, { within: [id], limit: 1 })
  if (!segment) throw new Error('There are no rows')
  const change = new Change()
  records.segments.put(change, OWNER.account, { ...segment.value, provenance: 0 })
  await records.commit(change)
  const { differences } = await world.platform.verify()
  expect(differences.map(({ subject, message }) => [subject, message])).toContainEqual([
    id,
    expect.stringContaining('provenance'),
  ])
})
