import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../../src/defaults/memory-store.ts'
import type { Principal } from '../../../../src/kernel/http/route.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { Change } from '../../../../src/records/change.ts'
import { createRecords } from '../../../../src/features/records.ts'
import { addFindable } from '../../../../src/features/agentic/search/findable-page.ts'
import { createCrawledPages } from '../../../../src/features/agentic/search/crawled-pages.ts'
import { createPageIndex } from '../../../../src/features/agentic/search/page-index.ts'
import { createFakeClock } from '../../../support/fakes/fake-clock.ts'
import { slowPace } from '../../../support/fakes/slow-pace.ts'
import { OWNER, createWorld } from '../../../support/worlds/world.ts'
import type { World } from '../../../support/worlds/world.ts'

const DAY = 86_400_000
const page = (title: string, text: string) =>
  `<title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`
const SITE = {
  'https://pens.example.com/': page(
    'Fountain pens',
    'A fountain pen holds its ink in the barrel, and a nib leads it to the paper. <a href="/ink">Ink</a>',
  ),
  'https://pens.example.com/ink': page(
    'Ink',
    'Ink for pens is mostly water with dyes, and dries on the paper within seconds.',
  ),
}
const RECIPE = {
  start: { urls: ['https://pens.example.com/'] },
  follow: [{ links: 'a' }],
  extract: { fields: { title: 'h1', about: 'p' } },
}
const find = async ({ platform }: World, query: string, principal: Principal = OWNER) => {
  const { result } = await platform.api.agentic.call(principal, {
    tool: 'search',
    arguments: { query },
  })
  return result as {
    results: { id: string; title: string; url: string; text: string }[]
    source: string
  }
}
const read = (world: World, url: string, principal: Principal = OWNER) =>
  world.clock.runUntil(
    world.platform.api.agentic.call(principal, { tool: 'fetch', arguments: { id: url } }),
  )

describe('a page that executions have fetched', () => {
  test('is found as soon as they have ended, by the extracted values', async () => {
    const world = createWorld(SITE)
    const execution = await world.start(RECIPE)
    expect((await find(world, 'ink')).results).toEqual([])
    await world.work()
    expect(await find(world, 'ink dries')).toEqual({
      results: [
        {
          id: 'https://pens.example.com/ink',
          title: 'Ink',
          url: 'https://pens.example.com/ink',
          text: expect.stringContaining('dries on the paper'),
        },
        {
          id: 'https://pens.example.com/',
          title: 'Fountain pens',
          url: 'https://pens.example.com/',
          text: expect.stringContaining('barrel'),
        },
      ],
    })
    expect((await world.read(execution)).status).toBe('succeeded')
    // A result can be read.
    expect((await read(world, 'https://pens.example.com/ink')).result).toMatchObject({
      title: 'Ink',
    })
  })

  test('is shown only to callers who may read the run', async () => {
    const world = createWorld(SITE)
    await world.start(RECIPE)
    await world.work()
    const asking = (...scopes: string[]): Principal => ({ ...OWNER, scopes })
    const titles = async (...scopes: string[]) =>
      (await find(world, 'ink', asking(...scopes))).results.map(({ title }) => title)
    expect(await titles('mcp:search')).toEqual([])
    expect(await titles('mcp:*')).toEqual([])
    expect(await titles('mcp:search', 'executions:read')).toEqual(['Ink', 'Fountain pens'])
    // Pages that agents fetch themselves are for all agents of the account.
    await read(world, 'https://pens.example.com/ink', asking('mcp:fetch'))
    expect(await titles('mcp:search')).toEqual(['Ink'])
    // A crawl of an agent needs the scope of that tool.
    await world.platform.api.agentic.call(asking('mcp:crawl'), {
      tool: 'crawl',
      arguments: { url: 'https://pens.example.com/', scope: 'host', waitSeconds: 0 },
    })
    await world.work()
    expect(await titles('mcp:search')).toEqual(['Ink'])
    expect((await titles('mcp:search', 'mcp:crawl')).toSorted()).toEqual(['Fountain pens', 'Ink'])
  })

  test('is indexed once, also by other processes', async () => {
    const world = createWorld(SITE)
    await world.start(RECIPE)
    await world.work()
    await find(world, 'ink')
    const commits = count(world.store)
    expect((await find(world, 'ink')).results).toHaveLength(2)
    // Only the note of the call is written.
    expect(commits()).toBe(1)
    const other = world.join()
    const again = await other.api.agentic.call(OWNER, {
      tool: 'search',
      arguments: { query: 'ink' },
    })
    expect(again.result).toMatchObject({ results: [{ title: 'Ink' }, { title: 'Fountain pens' }] })
  })

  test('is indexed in steps: each row, each part of a long row, and each page', async () => {
    const long = { 'https://pens.example.com/': page('Pens', 'ink and nibs '.repeat(60_000)) }
    const steps: number[] = []
    for (const site of [SITE, long]) {
      const { store, blobs, ...world } = createWorld(site)
      await world.start(RECIPE)
      await world.work()
      const { pace, rests } = slowPace()
      await createCrawledPages({ records: createRecords(store), blobs }).takeIn('acme', pace)
      steps.push(rests())
    }
    expect(steps).toEqual([4, expect.toSatisfy((parts: number) => parts > 10)])
  })

  test('with damaged rows is found by its other rows', async () => {
    const world = createWorld(SITE)
    await world.start(RECIPE)
    await world.work()
    const [name = ''] = await world.blobs.list('')
    const rows = new TextDecoder().decode((await world.blobs.get(name)) ?? new Uint8Array())
    await world.blobs.put(name, new TextEncoder().encode(rows.replace('[0,', '[0;')))
    expect((await find(world, 'ink')).results.map(({ title }) => title)).toEqual(['Ink'])
  })

  test('leaves the index when retention deletes the execution', async () => {
    const world = createWorld(SITE, {
      billing: {
        plans: [{ id: 'short', name: 'Short', creditsPerMonth: 100_000, retentionDays: 3 }],
      },
    })
    await world.start(RECIPE)
    await world.work()
    expect((await find(world, 'ink')).results).toHaveLength(2)
    await world.clock.advance(2 * DAY)
    await world.work()
    expect((await find(world, 'ink')).results).toHaveLength(2)
    await world.clock.advance(3 * DAY)
    await world.work()
    expect((await find(world, 'ink')).results).toEqual([])
    for (const name of ['found-by', 'excerpts', 'indexed-runs'])
      expect(await world.store.list({ prefix: ['acme', name], limit: 10 })).toEqual([])
  })

  test('that retention deletes in between is not indexed', async () => {
    const world = createWorld(SITE)
    await world.start(RECIPE)
    await world.work()
    const { store } = world
    const list = store.list.bind(store)
    const racing: Store = {
      ...store,
      get: store.get.bind(store),
      commit: store.commit.bind(store),
      close: store.close.bind(store),
      async list(range) {
        const entries = await list(range)
        // Between the reading of its rows and the commit, the execution changes.
        if (range.prefix[1] === 'segments')
          for (const { key, value } of await list({ prefix: ['acme', 'executions'], limit: 1 }))
            await store.commit({ set: [{ key, value }] })
        return entries
      },
    }
    const { result } = await world
      .join(racing)
      .api.agentic.call(OWNER, { tool: 'search', arguments: { query: 'ink' } })
    expect(result).toMatchObject({ results: [] })
  })
})

test('pages that agents have read are forgotten after seven days', async () => {
  const world = createWorld(SITE)
  await read(world, 'https://pens.example.com/ink')
  await world.clock.advance(6 * DAY)
  expect((await find(world, 'ink')).results).toHaveLength(1)
  await world.clock.advance(2 * DAY)
  expect((await find(world, 'ink')).results).toEqual([])
})

test('the newest of several pages with one address is found', async () => {
  let now = 'old'
  const world = createWorld(
    Object.fromEntries(
      ['', '?utm_source=mail'].map((query) => [
        `https://pens.example.com/${query}`,
        () => page('Pens', `A fountain pen that is ${now}, and writes well.`),
      ]),
    ),
  )
  await read(world, 'https://pens.example.com/')
  await world.clock.advance(1_000)
  now = 'young'
  await read(world, 'https://pens.example.com/?utm_source=mail')
  const { results } = await find(world, 'fountain')
  expect(results.map(({ text }) => text)).toEqual([expect.stringContaining('young')])
})

test('no account finds pages of another one', async () => {
  const accounts = ['acme', 'umbra', 'acm']
  const world = createWorld(
    Object.fromEntries(
      accounts.map((name) => [
        `https://${name}.example.com/`,
        page(`Of ${name}`, `The canary of ${name} sings a song that is long enough to count.`),
      ]),
    ),
  )
  const callers = accounts.map((account) => ({
    account,
    principal: { account, user: account, scopes: ['*'] },
  }))
  for (const { account, principal } of callers) {
    await read(world, `https://${account}.example.com/`, principal)
    await world.platform.api.executions.run(principal, {
      recipe: { start: { urls: [`https://${account}.example.com/`] }, formats: ['markdown'] },
    })
  }
  await world.work()
  for (const { account, principal } of callers) {
    const { results } = await find(world, 'canary song', principal)
    expect(results.map(({ url }) => url)).toEqual([`https://${account}.example.com/`])
    expect(results.map(({ text }) => text).join()).toContain(`canary of ${account} `)
  }
})

describe('the index holds at most', () => {
  const fill = async (pages: number, keptPages: number) => {
    const clock = createFakeClock()
    const store = createMemoryStore({ clock })
    const records = createRecords(store)
    for (let position = 1; position <= pages; position++) {
      const change = new Change()
      const id = `page_${String(position).padStart(5, '0')}`
      records.readPages.put(change, 'acme', {
        id,
        url: `https://a.example.com/${position}`,
        title: id,
        at: position,
        metadata: {},
        pieces: 2,
      })
      for (const index of [0, 1])
        records.pagePieces.put(change, 'acme', { page: id, index, text: 'x' })
      addFindable(records, change, 'acme', {
        at: position,
        source: id,
        seq: 0,
        id,
        url: `https://a.example.com/${position}`,
        title: `Page ${position}`,
        text: 'A page of ink',
        kept: keptPages,
      })
      await records.commit(change)
    }
    let mostRead = 0
    const list = store.list.bind(store)
    const counted: Store = {
      get: store.get.bind(store),
      commit: store.commit.bind(store),
      close: store.close.bind(store),
      async list(range) {
        const entries = await list(range)
        if (range.prefix[1] === 'found-by') mostRead = Math.max(mostRead, entries.length)
        return entries
      },
    }
    const index = createPageIndex({
      records: createRecords(counted),
      crawled: { takeIn: async () => {} },
    })
    const left = async (name: string) =>
      (await store.list({ prefix: ['acme', name], limit: 5_000 })).length
    return { index, left, mostRead: () => mostRead }
  }

  test('a thousand pages; the oldest are dropped with their text', async () => {
    const { index, left } = await fill(1_030, 10)
    await index.trim('acme')
    expect(
      await Promise.all(['found-by', 'excerpts', 'read-pages', 'page-pieces'].map(left)),
    ).toEqual([1_000, 1_000, 1_000, 2_000])
    const [first] = await index.search('acme', 'page 1030', 10)
    expect([first?.title, (await index.search('acme', 'ink', 10)).length]).toEqual([
      'Page 1030',
      10,
    ])
    expect((await index.search('acme', 'page 30', 1))[0]?.title).not.toBe('Page 30')
  })

  test('few pages are read at once, and all of them are found', async () => {
    const { index, mostRead } = await fill(130, 10)
    expect(await index.search('acme', 'ink', 200)).toHaveLength(130)
    expect(mostRead()).toBe(25)
  })

  test('forty million characters', async () => {
    const { index, left } = await fill(50, 1_000_000)
    await index.search('acme', 'ink', 10)
    expect(await left('found-by')).toBe(39)
  })
})

function count(store: Store): () => number {
  let commits = 0
  const commit = store.commit.bind(store)
  store.commit = (change) => {
    commits++
    return commit(change)
  }
  return () => commits
}
