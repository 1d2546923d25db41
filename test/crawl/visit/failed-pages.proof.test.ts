import { describe, expect, it } from 'vitest'
import { createPageThreads } from '../../../adapters/node/page-threads.ts'
import { createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://docs.example.com'
const padding = `<p>${'word '.repeat(600)}</p>`
const PAGES = {
  [`${SITE}/`]:
    '<h1>Home</h1><a href="/ok">ok</a><a href="/gone">gone</a><a href="/moved">moved</a>' +
    `<a href="/private">private</a><a href="https://nowhere.example.com/x">x</a>${padding}`,
  [`${SITE}/ok`]: `<h1>Ok</h1><a href="/gone">again</a>${padding}`,
  [`${SITE}/moved`]: { status: 301, headers: { location: '/new' } },
  [`${SITE}/new`]: padding,
  [`${SITE}/private`]: {
    status: 403,
    headers: { 'content-type': 'text/html' },
    body: '<h1>No</h1>',
  },
}
const CHECK = {
  start: { urls: [`${SITE}/`] },
  follow: [{ links: 'a', as: 'link' }],
  crawl: { robots: false },
  extract: {
    failed: true,
    fields: {
      url: { page: 'url' },
      status: { page: 'status' },
      error: { page: 'error' },
      foundOn: { page: 'foundOn' },
      outcome: { page: 'outcome' },
      final: { page: 'finalUrl' },
      title: 'h1',
      kind: { const: 'link' },
    },
  },
}
const byUrl = (a: Record<string, unknown>, b: Record<string, unknown>): number =>
  String(a['url']) < String(b['url']) ? -1 : 1

describe('a check of links', () => {
  it.each([
    ['here', undefined],
    ['in threads', () => createPageThreads({ threads: 1 })],
  ])('has a row for each page, fetched or not, %s', async (_, processor) => {
    const pool = processor?.()
    const world = createWorld(PAGES, pool ? { processor: pool } : {})
    const id = await world.start(CHECK)
    await world.work()
    expect(await world.read(id)).toMatchObject({
      status: 'succeeded',
      counters: { fetched: 3, failed: 2, blocked: 1, rows: 6 },
    })
    const provenance = { foundOn: `${SITE}/`, kind: 'link' }
    const rows = (await world.rows(id)).toSorted(byUrl)
    expect(rows).toEqual([
      {
        url: `${SITE}/`,
        status: 200,
        error: null,
        outcome: 'fetched',
        final: `${SITE}/`,
        title: 'Home',
        kind: 'link',
        foundOn: null,
      },
      {
        url: `${SITE}/gone`,
        status: 404,
        error: 'The site answered 404',
        outcome: 'failed',
        final: `${SITE}/gone`,
        title: null,
        ...provenance,
      },
      {
        url: `${SITE}/moved`,
        status: 200,
        error: null,
        outcome: 'fetched',
        final: `${SITE}/new`,
        title: null,
        ...provenance,
      },
      {
        url: `${SITE}/ok`,
        status: 200,
        error: null,
        outcome: 'fetched',
        final: `${SITE}/ok`,
        title: 'Ok',
        ...provenance,
      },
      {
        url: `${SITE}/private`,
        status: 403,
        error: 'The site answered 403',
        outcome: 'blocked',
        final: `${SITE}/private`,
        title: null,
        ...provenance,
      },
      {
        url: 'https://nowhere.example.com/x',
        status: rows[5]?.['status'],
        error: rows[5]?.['error'],
        outcome: 'failed',
        final: rows[5]?.['final'],
        title: null,
        ...provenance,
      },
    ])
    await pool?.close()
  })

  it('succeeds with rows although no page could be fetched, and those pages cost nothing', async () => {
    const world = createWorld({})
    const id = await world.start({
      start: { urls: [`${SITE}/a`, `${SITE}/b`] },
      crawl: { robots: false },
      extract: {
        failed: true,
        fields: { url: { page: 'url' }, status: { page: 'status' }, place: { page: 'depth' } },
      },
    })
    await world.work()
    expect(await world.read(id)).toMatchObject({
      status: 'succeeded',
      counters: { fetched: 0, failed: 2, rows: 2 },
    })
    expect((await world.rows(id)).toSorted(byUrl)).toEqual([
      { url: `${SITE}/a`, status: 404, place: 0 },
      { url: `${SITE}/b`, status: 404, place: 0 },
    ])
  })

  it('has rows only for the pages of its label, and none unless the recipe says failed', async () => {
    const world = createWorld({ [`${SITE}/`]: '<a href="/gone">x</a><h1>Home</h1>' })
    const recipe = {
      ...CHECK,
      extract: { fields: { url: { page: 'url' }, label: { page: 'label' } } },
    }
    const [all, linked, plain] = [
      await world.start({ ...recipe, extract: { ...recipe.extract, failed: true } }),
      await world.start({ ...recipe, extract: { ...recipe.extract, failed: true, on: 'link' } }),
      await world.start(recipe),
    ]
    await world.work()
    expect(await world.rows(all)).toHaveLength(2)
    expect(await world.rows(linked)).toEqual([{ url: `${SITE}/gone`, label: 'link' }])
    expect(await world.rows(plain)).toEqual([{ url: `${SITE}/`, label: 'start' }])
  })

  it('gives one row for a failed page of items, and the page of a link does not leak into other runs', async () => {
    const world = createWorld({ [`${SITE}/`]: '<a href="/gone">x</a><li>1<li>2' })
    const id = await world.start({
      start: { urls: [`${SITE}/`] },
      follow: [{ links: 'a' }],
      extract: { failed: true, items: 'li', fields: { n: ':scope', status: { page: 'status' } } },
    })
    await world.work()
    expect(await world.rows(id)).toEqual([
      { n: '1', status: 200 },
      { n: '2', status: 200 },
      { n: null, status: 404 },
    ])
  })
})
