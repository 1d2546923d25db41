import { describe, expect, it } from 'vitest'
import { FaultStore, playEach } from '../../support/stores/fault-store.ts'
import { LEASE_MS, OWNER, createWorld } from '../../support/worlds/world.ts'

const first = 'https://shop.example.com/pens'
const second = 'https://shop.example.com/pens?page=2'
const card = (name: string, price: string) =>
  `<article class="card"><a href="/p/${name.toLowerCase()}"><h3>${name} for everyday ` +
  `writing</h3></a><span class="price">€ ${price}</span></article>`
const shop = (cards: string, next: string) =>
  `<!doctype html><title>Pens</title><main><section class="grid">${cards}</section>${next}</main>`
const pages = {
  [first]: shop(
    card('Ada', '4.50') + card('Bea', '7.25') + card('Cyd', '9.00'),
    '<nav class="pagination"><a class="next" href="/pens?page=2">Next</a></nav>',
  ),
  // Taken alone, this page would be read as the table.
  [second]: shop(
    card('Dot', '3.10'),
    '<table><thead><tr><th>Size</th><th>Width</th></tr></thead><tbody><tr><td>M</td><td>1' +
      '</td></tr><tr><td>L</td><td>2</td></tr><tr><td>XL</td><td>3</td></tr></tbody></table>',
  ),
}
const recipe = {
  start: { urls: [first] },
  follow: [{ next: ':auto', maxPages: 5 }],
  extract: 'auto',
}
const titles = ['Ada', 'Bea', 'Cyd', 'Dot'].map((name) => `${name} for everyday writing`)

describe('an execution whose recipe leaves everything to its first page', () => {
  it('gives all pages the columns of the first page, and fetches the first page once', async () => {
    const world = createWorld(pages)
    const id = await world.start(recipe)
    await world.work()
    expect(await world.read(id)).toMatchObject({
      status: 'succeeded',
      counters: { fetched: 2, rows: 4 },
      cost: { credits: 2 },
    })
    const rows = await world.rows(id)
    expect(rows.map(({ title }) => title)).toEqual(titles)
    expect(new Set(rows.map((row) => Object.keys(row).join())).size).toBe(1)
    expect([world.web.requests.get(first), world.web.requests.get(second)]).toEqual([1, 1])
    const { columns } = await world.platform.api.results.list(OWNER, id)
    expect(columns).toEqual(Object.keys(rows[0] ?? {}))
  })

  it('takes the columns of the first start page that can be fetched', async () => {
    const world = createWorld(pages)
    const id = await world.start({
      ...recipe,
      start: { urls: ['https://shop.example.com/gone', first] },
    })
    await world.work()
    expect((await world.rows(id)).map(({ title }) => title)).toEqual(titles)
  })

  it('fails like any other execution if no page can be fetched', async () => {
    const world = createWorld({})
    const id = await world.start(recipe)
    await world.work()
    expect(await world.read(id)).toMatchObject({
      status: 'failed',
      reason: { code: 'no_page_fetched' },
    })
  })

  it('detects its columns once: a worker that continues after a crash uses the stored columns', async () => {
    const columns: string[][] = []
    // A crash at each of the first commits, one of which stores the detected columns.
    const crashAt = async (k: number) => {
      const world = createWorld(pages)
      const id = await world.start(recipe)
      const faulty = new FaultStore(world.store, k, k % 2 === 0 ? 'crash-before' : 'crash-after')
      await world.work(world.join(faulty)).catch(() => undefined)
      await world.clock.advance(2 * LEASE_MS)
      await world.work()
      const rows = await world.rows(id)
      expect([k, rows.map(({ title }) => title)]).toEqual([k, titles])
      columns.push(Object.keys(rows[0] ?? {}))
      return { fired: faulty.fired, broken: [] }
    }
    expect((await playEach('crash', crashAt, { last: 12 })).scenarios).toBeGreaterThan(4)
    expect(new Set(columns.map(String)).size).toBe(1)
  })
})
