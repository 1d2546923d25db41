import { describe, expect, it } from 'vitest'
import type { Preview } from '../../../src/features/previews/preview.ts'
import type { PreviewInput } from '../../../src/features/previews/service.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { Answer } from '../../support/fakes/fake-web.ts'

const SHOP = 'https://shop.example.com'
const pen = (name: string, price: string): string =>
  `<title>${name}</title><h1>${name}</h1><p class="price">${price}</p><ul><li>ink</li><li>steel</li></ul>`
const list = (page: number): string =>
  `<a class="product" href="/pens/${page}1">One</a> <a class="product" href="/pens/${page}` +
  `2">Two</a> <a class="next" href="/list?page=${page + 1}">more</a>`
const shop: Record<string, Answer> = {
  [`${SHOP}/list?page=1`]: list(1),
  [`${SHOP}/list?page=2`]: list(2),
  [`${SHOP}/list?page=3`]: list(3),
  [`${SHOP}/pens/11`]: pen('Fountain', '12.50 EUR'),
  [`${SHOP}/pens/12`]: pen('Ball', 'on request'),
  [`${SHOP}/pens/21`]: pen('Gel', '3 EUR'),
}
const recipe = {
  start: { urls: [`${SHOP}/list?page=1`] },
  follow: [
    { links: 'a.product', as: 'detail', on: 'start' },
    { next: 'a.next', on: 'start' },
  ],
  extract: {
    on: 'detail',
    fields: {
      title: 'h1',
      price: [
        { css: '.offer', as: 'number' },
        { css: '.price', as: 'number' },
      ],
      colour: '.colour',
      parts: { css: 'li', many: true },
    },
  },
} as const

type Found = Preview & { readonly requests: readonly string[]; readonly took: number }

async function preview(
  pages: Record<string, Answer>,
  input: Omit<PreviewInput, 'scope'>,
): Promise<Found> {
  const world = createWorld(pages)
  const began = world.clock.now()
  const report = await world.clock.runUntil(
    world.platform.api.previews.run(OWNER, { ...input, scope: 'recipe' }),
  )
  expect(
    await world.store
      .list({ prefix: ['acme'], limit: 100 })
      .then((entries) =>
        entries.flatMap(({ key }) => (String(key[1]).startsWith('usage') ? [] : [key[1]])),
      ),
  ).toEqual(['preview-counts', 'preview-counts'])
  return {
    ...report,
    requests: [...world.web.requests.keys()].filter((url) => !url.endsWith('/robots.txt')),
    took: world.clock.now() - began,
  }
}

const codes = ({ warnings }: Preview): string[] => warnings.map(({ code }) => code)
const outcomes = ({ pages }: Preview) =>
  pages.map(({ url, outcome, reason }) => [url.slice(SHOP.length), outcome, reason?.code ?? null])

describe('a preview', () => {
  it('shows rows, and the matches of each part of the recipe', async () => {
    const report = await preview(shop, { recipe })
    expect(report.columns).toEqual(['title', 'price', 'colour', 'parts'])
    expect(report.rows).toEqual([
      { title: 'Fountain', price: 12.5, colour: null, parts: ['ink', 'steel'] },
      { title: 'Ball', price: null, colour: null, parts: ['ink', 'steel'] },
      { title: 'Gel', price: 3, colour: null, parts: ['ink', 'steel'] },
    ])
    expect(report.totals).toMatchObject({ pages: 5, rows: 3 })
    expect(report.fields.map(({ field, filled, rate }) => [field, filled, rate])).toEqual([
      ['title', 3, 1],
      ['price', 2, 2 / 3],
      ['colour', 0, 0],
      ['parts', 3, 1],
    ])
    const [offer, price] = report.fields[1]?.sources ?? []
    expect(offer).toMatchObject({
      path: 'extract.fields.price.0',
      source: 'css .offer',
      matches: 0,
      values: 0,
      used: 0,
      sample: null,
      failed: null,
      unclear: null,
      examples: [],
      reason: 'matches nothing',
    })
    expect(price).toEqual({
      path: 'extract.fields.price.1',
      source: 'css .price',
      matches: 3,
      values: 2,
      used: 2,
      sample: 12.5,
      failed: { url: `${SHOP}/pens/12`, text: 'on request', as: 'number' },
      unclear: null,
      examples: [
        { url: `${SHOP}/pens/11`, before: '12.50 EUR', after: 12.5 },
        { url: `${SHOP}/pens/12`, before: 'on request', after: null },
        { url: `${SHOP}/pens/21`, before: '3 EUR', after: 3 },
      ],
      reason: null,
      pages: [
        { url: `${SHOP}/pens/11`, matches: 1, values: 1 },
        { url: `${SHOP}/pens/12`, matches: 1, values: 0 },
        { url: `${SHOP}/pens/21`, matches: 1, values: 1 },
      ],
    })
    expect(report.links).toEqual([
      {
        path: 'follow.0.links',
        selector: 'a.product',
        label: 'detail',
        found: 4,
        samples: ['11', '12', '21', '22'].map((id) => `${SHOP}/pens/${id}`),
      },
      {
        path: 'follow.1.next',
        selector: 'a.next',
        label: 'start',
        found: 2,
        samples: [`${SHOP}/list?page=2`, `${SHOP}/list?page=3`],
      },
    ])
    expect(report.warnings.slice(0, 2)).toEqual([
      {
        code: 'values_unreadable',
        path: 'extract.fields.price.1',
        message:
          'Field price: some matches of css .price could not be read as number, such as "on request"',
      },
      {
        code: 'field_empty',
        path: 'extract.fields.colour',
        message: 'Field colour matched nothing: css .colour',
      },
    ])
    expect(report.proposal).toBeNull()
  })

  it('visits pages of every label, five at most, each once', async () => {
    const report = await preview(shop, {
      recipe: { ...recipe, start: { urls: [`${SHOP}/list?page={1..3}`] } },
    })
    expect(report.pages.map(({ label }) => label)).toEqual([
      'start',
      'detail',
      'detail',
      'start',
      'detail',
    ])
    expect(report.requests.length).toBe(5)
    expect(codes(report)).toContain('urls_cut')
    expect(report.warnings.at(-1)?.message).toMatch(
      /^A preview visits 5 pages; \d more were found$/,
    )
  })

  it('accepts other start URLs, but not more than it visits', async () => {
    const report = await preview(shop, {
      recipe: { start: recipe.start, extract: { fields: { title: 'h1' } } },
      urls: [`${SHOP}/pens/21`],
    })
    expect(report.rows).toEqual([{ title: 'Gel' }])
    const { platform } = createWorld(shop)
    const ask = (urls: string[]) =>
      platform.api.previews.run(OWNER, { recipe, scope: 'recipe', urls })
    await expect(
      ask(Array.from({ length: 6 }, (_, index) => `${SHOP}/${index}`)),
    ).rejects.toMatchObject({
      status: 400,
      issues: [{ path: 'urls', message: 'a preview visits 5 URLs at most' }],
    })
    await expect(ask([`${SHOP}/{1..6}`])).rejects.toMatchObject({ issues: [{ path: 'urls' }] })
    await expect(ask([`${SHOP}/`, 'ftp://x'])).rejects.toMatchObject({
      issues: [{ path: 'urls.1' }],
    })
    await expect(ask(['http://127.0.0.1/'])).rejects.toMatchObject({ issues: [{ path: 'urls.0' }] })
  })

  it('reports items without a match, failed conversions and empty matches', async () => {
    const page =
      '<div class="card"><b>One</b><i></i></div><div class="card"><b>Two</b><i></i></div>'
    const start = { urls: [`${SHOP}/`] }
    const none = await preview(
      { [`${SHOP}/`]: page },
      { recipe: { start, extract: { items: '.tile', fields: { name: 'b' } } } },
    )
    expect(none.warnings).toEqual([
      {
        code: 'items_empty',
        path: 'extract.items',
        message: 'extract.items matched nothing on the page',
      },
    ])
    const report = await preview(
      { [`${SHOP}/`]: page },
      {
        recipe: {
          start,
          extract: {
            items: '.card',
            fields: {
              name: 'b',
              size: { css: 'b', as: 'integer' },
              link: { css: 'b', attr: 'href' },
              mark: 'i',
            },
          },
        },
      },
    )
    expect(
      report.fields.map(({ field, sources: [source] }) => [
        field,
        source?.matches,
        source?.values,
        source?.failed?.text,
        source?.failed?.as,
      ]),
    ).toEqual([
      ['name', 2, 2, undefined, undefined],
      ['size', 2, 0, 'One', 'integer'],
      ['link', 2, 0, '', 'text of href'],
      ['mark', 2, 0, '', 'text'],
    ])
    expect(report.warnings.map(({ message }) => message)).toEqual([
      'Field size: css b matched 2 times, but no match could be read as integer; it found "One"',
      'Field link: css b @href matched 2 times, but no match could be read as text of href; it found nothing there',
      'Field mark: css i matched 2 times, but no match could be read as text; it found nothing there',
    ])
  })

  it('reports labels without a page and rules without a link', async () => {
    const report = await preview(
      {
        [`${SHOP}/list?page=1`]:
          '<a class="next" href="?page=2">2</a><a class="next" href="?page=3">3</a>',
      },
      { recipe },
    )
    expect(report.warnings.slice(0, 3)).toEqual([
      {
        code: 'label_not_reached',
        path: 'extract.on',
        message:
          'The rows come from pages with the label detail, and none was reached: no rule found a link to one',
      },
      { code: 'rule_empty', path: 'follow.0.links', message: 'The rule a.product matched no link' },
      {
        code: 'next_ambiguous',
        path: 'follow.1.next',
        message: 'The next rule a.next matched 2 links of one page; the first is followed',
      },
    ])
  })

  it('counts unique rows once, and shows at most a hundred rows', async () => {
    const rows = Array.from({ length: 250 }, (_, index) => `<li>${index % 200}</li>`).join('')
    const report = await preview(
      { [`${SHOP}/`]: `<ul>${rows}</ul>` },
      {
        recipe: {
          start: { urls: [`${SHOP}/`] },
          extract: { items: 'li', fields: { n: { css: ':scope', as: 'number' } } },
          output: { unique: ['n'] },
        },
      },
    )
    expect([report.totals.rows, report.rows.length, report.fields[0]?.filled]).toEqual([
      200, 100, 200,
    ])
    expect(report.warnings).toEqual([
      { code: 'rows_cut', path: null, message: '200 rows were found; these are the first 100' },
    ])
  })

  it('cuts long values', async () => {
    const report = await preview(
      { [`${SHOP}/`]: `<p>${'x'.repeat(20_000)}</p>${'<li>a</li>'.repeat(300)}` },
      {
        recipe: {
          start: { urls: [`${SHOP}/`] },
          extract: { fields: { text: 'p', list: { css: 'li', many: true } } },
        },
      },
    )
    const [row] = report.rows
    expect([
      String(row?.['text']).length,
      Array.isArray(row?.['list']) && row['list'].length,
    ]).toEqual([5_001, 50])
    expect(JSON.stringify(report.fields).length).toBeLessThan(2_000)
  })
})

describe('a preview of pages that do not answer', () => {
  const start = { urls: ['/a', '/b', '/c', '/d'].map((path) => SHOP + path) }

  it('succeeds with their outcomes', async () => {
    const pages = {
      [`${SHOP}/robots.txt`]: {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nDisallow: /a',
      },
      [`${SHOP}/b`]: { status: 404 },
      [`${SHOP}/c`]: { status: 403 },
      [`${SHOP}/d`]: 'down' as const,
    }
    const report = await preview(pages, { recipe: { start, extract: { fields: { title: 'h1' } } } })
    expect(outcomes(report)).toEqual([
      ['/a', 'skipped_robots', 'robots_disallowed'],
      ['/b', 'failed', 'http_404'],
      ['/c', 'blocked', 'http_403'],
      ['/d', 'failed', 'connection'],
    ])
    expect(report.pages.map(({ httpStatus }) => httpStatus)).toEqual([null, 404, 403, null])
    expect(report.rows).toEqual([])
    expect(codes(report)).toEqual(['no_page_fetched'])
  })

  it('shows redirects like a run', async () => {
    const to = (location: string): Answer => ({ status: 302, headers: { location } })
    const pages = {
      [`${SHOP}/a`]: '<h1>A</h1>',
      [`${SHOP}/b`]: to('/a'),
      [`${SHOP}/c`]: to('/e'),
      [`${SHOP}/e`]: '<h1>E</h1>',
    }
    const report = await preview(pages, {
      recipe: { start: { urls: start.urls.slice(0, 3) }, extract: { fields: { title: 'h1' } } },
    })
    expect(outcomes(report)).toEqual([
      ['/a', 'fetched', null],
      ['/b', 'duplicate', 'redirected_to_known'],
      ['/c', 'fetched', null],
    ])
    expect([report.pages[2]?.finalUrl, report.rows]).toEqual([
      `${SHOP}/e`,
      [{ title: 'A' }, { title: 'E' }],
    ])
  })

  it('names a sitemap that cannot be read, and visits pages of one that can', async () => {
    const broken = await preview(
      { [`${SHOP}/s.xml`]: 'down' },
      { recipe: { start: { sitemap: `${SHOP}/s.xml` }, extract: { fields: { title: 'h1' } } } },
    )
    expect(broken.warnings).toMatchObject([{ code: 'sitemap_unreadable', path: 'start.sitemap' }])
    const cut = await preview(
      {
        [`${SHOP}/s.xml`]: `<urlset><url><loc>${SHOP}/a</loc></url>${'<x>'.repeat(100)}`,
        [`${SHOP}/a`]: '<h1>A</h1>',
      },
      { recipe: { start: { sitemap: `${SHOP}/s.xml` }, extract: { fields: { title: 'h1' } } } },
    )
    expect(cut.rows).toEqual([{ title: 'A' }])
    expect(cut.warnings).toMatchObject([
      { code: 'sitemap_unreadable', message: expect.stringContaining('nested deeper than 64') },
    ])
    const urls = Array.from(
      { length: 200 },
      (_, index) => `<url><loc>${SHOP}/${index}</loc></url>`,
    ).join('')
    const report = await preview(
      {
        [`${SHOP}/s.xml`]: {
          headers: { 'content-type': 'application/xml' },
          body: `<urlset>${urls}</urlset>`,
        },
        [`${SHOP}/0`]: '<h1>0</h1>',
      },
      { recipe: { start: { sitemap: `${SHOP}/s.xml` }, extract: { fields: { title: 'h1' } } } },
    )
    expect([report.rows, report.pages.length]).toEqual([[{ title: '0' }], 5])
  })
})

describe('a preview ends', () => {
  it('after twenty seconds, with its results so far', async () => {
    const pages = {
      [`${SHOP}/robots.txt`]: {
        headers: { 'content-type': 'text/plain' },
        body: 'User-agent: *\nCrawl-delay: 8',
      },
      [`${SHOP}/1`]: '<h1>1</h1>',
      [`${SHOP}/2`]: '<h1>2</h1>',
      [`${SHOP}/3`]: '<h1>3</h1>',
      [`${SHOP}/4`]: '<h1>4</h1>',
    }
    const report = await preview(pages, {
      recipe: { start: { urls: [`${SHOP}/{1..4}`] }, extract: { fields: { n: 'h1' } } },
    })
    expect(report.rows).toEqual([{ n: '1' }, { n: '2' }, { n: '3' }])
    expect(report.took).toBeLessThanOrEqual(20_000)
    expect(report.warnings).toEqual([
      {
        code: 'time_limit',
        path: null,
        message: 'The preview ran out of time; 1 more pages were found',
      },
    ])
  })

  it('also while a page is tried again', async () => {
    const busy: Answer = { status: 503, headers: { 'retry-after': '25' } }
    const report = await preview(
      { [`${SHOP}/1`]: '<h1>1</h1>', [`${SHOP}/2`]: busy },
      { recipe: { start: { urls: [`${SHOP}/{1..2}`] }, extract: { fields: { n: 'h1' } } } },
    )
    expect([report.rows, report.took]).toEqual([[{ n: '1' }], 20_000])
    expect(report.pages[1]).toMatchObject({
      url: `${SHOP}/2`,
      outcome: 'skipped_limit',
      reason: { code: 'time_limit' },
    })
    expect(codes(report)).toEqual(['time_limit'])
  })

  it('when its caller has gone', async () => {
    const hangUp = new AbortController()
    const pages = {
      [`${SHOP}/1`]: '<h1>1</h1>',
      [`${SHOP}/2`]: () => (hangUp.abort(), '<h1>2</h1>'),
      [`${SHOP}/3`]: '<h1>3</h1>',
    }
    const report = await preview(pages, {
      recipe: { start: { urls: [`${SHOP}/{1..3}`] }, extract: { fields: { n: 'h1' } } },
      signal: hangUp.signal,
    })
    expect(report.requests).not.toContain(`${SHOP}/3`)
    expect(report.took).toBe(0)
  })
})
