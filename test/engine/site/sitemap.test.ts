import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readSitemap } from '../../../src/engine/site/sitemap.ts'
import { Pace, SliceScheduler } from '../../../src/kernel/pace.ts'
import { EgressError } from '../../../src/engine/egress/types.ts'
import type { Egress } from '../../../src/engine/egress/types.ts'
import { normalUrl } from '../../support/normal-url.ts'

type Files = Readonly<Record<string, string | Uint8Array | number | EgressError>>

function setUp(files: Files) {
  const requests: string[] = []
  const egress: Egress = async ({ url, purpose }) => {
    expect(purpose).toBe('sitemap')
    requests.push(url)
    const file = files[url] ?? 404
    if (file instanceof EgressError) throw file
    const body =
      typeof file === 'number'
        ? new Uint8Array()
        : typeof file === 'string'
          ? new TextEncoder().encode(file)
          : file
    return {
      url,
      status: typeof file === 'number' ? file : 200,
      headers: {},
      body,
      truncated: false,
      redirects: [],
      durationMs: 0,
    }
  }
  const read = async (
    url = 'https://a.com/sitemap.xml',
    maxUrls = 100_000,
    signal = new AbortController().signal,
    pace = new Pace(),
  ) => {
    const batches: string[][] = []
    for await (const batch of readSitemap(normalUrl(url), {
      egress,
      robots: null,
      signal,
      maxUrls,
      pace,
    }))
      batches.push(batch)
    return batches.flat()
  }
  return { asked: requests, egress, read }
}
const one = (file: string | Uint8Array) => setUp({ 'https://a.com/sitemap.xml': file }).read()
const urlset = (...urls: readonly string[]) =>
  '<?xml version="1.0" encoding="UTF-8"?><urlset ' +
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' +
  urls.map((url) => `<url><loc>${url}</loc><lastmod>2026-01-01</lastmod></url>`).join('\n') +
  '</urlset>'
const index = (...urls: readonly string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>\n ${url} </loc></sitemap>`).join('')}</sitemapindex>`
const pages = ['https://a.com/1', 'https://a.com/2?a=b&c=%C3%A9']

// Every byte after every other byte: among them are all that split lines, begin a number or break
// an encoding.
const noise = Uint8Array.from({ length: 65_536 }, (_, i) => (i % 2 === 0 ? i >> 8 : i >> 1) & 255)

describe('formats', () => {
  const xml = urlset('https://a.com/1', 'https://a.com/2?a=b&amp;c=%C3%A9')
  test.for<readonly [string, string | Uint8Array]>([
    ['XML', xml],
    ['XML with a byte order mark and space', `\ufeff\n ${xml}`],
    ['XML in UTF-16', Buffer.from(`\ufeff${xml}`, 'utf16le')],
    ['gzip', gzipSync(xml)],
    [
      'prefixes, CDATA and other links',
      '<s:urlset><s:url><s:loc><![CDATA[https://a.com/1]]></s:loc><image:image>' +
        '<image:loc>https://a.com/i.png</image:loc></image:image>' +
        '<xhtml:link rel="alternate" href="https://a.com/de"/></s:url><s:url>' +
        '<s:loc>https://a.com/2?a=b&#38;c=%C3%A9</s:loc></s:url></s:urlset>',
    ],
    [
      'relative links, foreign schemes and twice the same',
      urlset('/1', 'javascript:x', 'mailto:a@b.c', '', '  ', '2?a=b&amp;c=é', '/1#part'),
    ],
    ['text', 'https://a.com/1\r\n\r\n  https://a.com/2?a=b&c=%C3%A9  \n'],
    [
      'RSS',
      '<rss><channel><link>https://a.com/</link><item><title>x</title><link>https://a.com/1' +
        '</link></item><item><link>https://a.com/2?a=b&amp;c=%C3%A9</link></item></channel>' +
        '</rss>',
    ],
    [
      'Atom',
      '<feed><link href="https://a.com/"/><entry><link rel="self" href="https://a.com/f"/>' +
        '<link href="https://a.com/1"/></entry><entry>' +
        '<link rel="alternate" href="https://a.com/2?a=b&amp;c=%C3%A9"/></entry></feed>',
    ],
    [
      'RSS with a guid for a link',
      '<rss><channel><item><guid>https://a.com/1</guid></item><item><guid>https://a.com/x' +
        '</guid><link>https://a.com/2?a=b&amp;c=%C3%A9</link></item><item>' +
        '<guid isPermaLink="false">https://a.com/3</guid></item><item><guid>7</guid></item>' +
        '</channel></rss>',
    ],
    [
      'addresses without their loc, and an entity',
      '<urlset><url> https://a.com/1 </url><url>/x</url><url><loc>&one;</loc></url>' +
        '<url>https://a.com/3<b/></url><url>https://a.com/2?a=b&amp;c=%C3%A9</url></urlset>',
    ],
    [
      'JSON Feed',
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        items: [
          { id: '1', url: '/1' },
          { id: 'x' },
          null,
          'y',
          { id: '2', external_url: 'https://a.com/2?a=b&c=%C3%A9', url: '' },
        ],
      }),
    ],
  ])('%s', async ([, file]) => {
    expect(await one(file)).toEqual(pages)
  })

  test.for<readonly [string, string | Uint8Array]>([
    ['nothing', ''],
    ['a page', '<!doctype html><title>x</title><p>https://a.com/1'],
    ['bytes', noise],
    ['text', 'a.html\nhttps:/one.com\nhttps://a.com/1 2\nhttps://a.com/1\ufffd'],
    ['JSON', '{"a": 1}'],
    ['JSON that ends early', '{"items":[{"url":"https://a.com/1"}'],
    ['deep JSON', '{"items":'.repeat(10_000)],
  ])('%s has no URLs', async ([, file]) => {
    expect(await one(file)).toEqual([])
  })

  test('a gzip file that ends early gives the URLs until there', async () => {
    const many = urlset(...Array.from({ length: 5_000 }, (_, i) => `https://a.com/${i * 7_919}`))
    const whole = gzipSync(many)
    const urls = await one(whole.subarray(0, whole.byteLength - 20))
    expect(urls.length).toBeGreaterThan(1_000)
    expect(urls).toEqual(Array.from(urls, (_, i) => `https://a.com/${i * 7_919}`))
  })

  test('an unknown encoding is read as UTF-8', async () => {
    expect(
      await one(
        '<?xml version="1.0" encoding="x-none"?><urlset><url><loc>https://a.com/1</loc></url></urlset>',
      ),
    ).toEqual(['https://a.com/1'])
  })
})

describe('indexes', () => {
  test('may have addresses without loc elements', async () => {
    const { read, asked: requests } = setUp({
      'https://a.com/sitemap.xml':
        '<sitemapindex><sitemap>\nhttps://a.com/s?a&amp;b\n</sitemap></sitemapindex>',
      'https://a.com/s?a&b': urlset('https://a.com/1'),
    })
    expect(await read()).toEqual(['https://a.com/1'])
    expect(requests).toEqual(['https://a.com/sitemap.xml', 'https://a.com/s?a&b'])
  })

  test('are followed to the third level, without loops and failures', async () => {
    const { asked: requests, read } = setUp({
      'https://a.com/sitemap.xml': index(
        'https://a.com/1.xml',
        'https://a.com/404.xml',
        'https://a.com/down.xml',
        'https://a.com/sitemap.xml',
        'https://a.com/1.xml',
      ),
      'https://a.com/1.xml':
        index('https://a.com/2.xml', 'https://a.com/sitemap.xml') + urlset('https://a.com/p1'),
      'https://a.com/2.xml': index('https://a.com/3.xml'),
      'https://a.com/3.xml': index('https://a.com/4.xml') + urlset('https://a.com/p3'),
      'https://a.com/4.xml': urlset('https://a.com/p4'),
      'https://a.com/down.xml': new EgressError('connection', 'x'),
    })
    expect(await read()).toEqual(['https://a.com/p1', 'https://a.com/p3'])
    expect(requests.map((url) => url.slice(14))).toEqual([
      'sitemap.xml',
      '1.xml',
      '404.xml',
      'down.xml',
      '2.xml',
      '3.xml',
    ])
  })

  test('are not read further when there are enough URLs', async () => {
    const { asked: requests, read } = setUp({
      'https://a.com/sitemap.xml': index('https://a.com/1.xml', 'https://a.com/2.xml'),
      'https://a.com/1.xml': urlset(
        'https://a.com/1',
        'https://a.com/1',
        'https://a.com/2',
        'https://a.com/3',
      ),
    })
    expect(await read(undefined, 2)).toEqual(['https://a.com/1', 'https://a.com/2'])
    expect(requests).toHaveLength(2)
  })

  test('have at most four children fetched at a time, and give URLs in the order of the index', async () => {
    let underWay = 0
    let most = 0
    const names = Array.from({ length: 20 }, (_, i) => `https://a.com/${i}.xml`)
    const egress: Egress = async ({ url }) => {
      most = Math.max(most, ++underWay)
      for (let turns = 0; turns < 60 * (url.length % 3); turns++) await Promise.resolve()
      underWay--
      const body = new TextEncoder().encode(
        url.endsWith('sitemap.xml') ? index(...names) : urlset(`${url}/p`),
      )
      return { url, status: 200, headers: {}, body, truncated: false, redirects: [], durationMs: 0 }
    }
    const urls: string[] = []
    for await (const batch of readSitemap(normalUrl('https://a.com/sitemap.xml'), {
      egress,
      robots: null,
      signal: new AbortController().signal,
      maxUrls: 1_000,
    }))
      urls.push(...batch)
    expect(urls).toEqual(names.map((name) => `${name}/p`))
    expect(most).toBe(4)
  })
})

test('a first sitemap that cannot be fetched is an error', async () => {
  await expect(setUp({}).read()).rejects.toMatchObject({
    reason: 'protocol',
    message: 'The site answered 404.',
  })
  await expect(
    setUp({ 'https://a.com/sitemap.xml': new EgressError('dns', 'x') }).read(),
  ).rejects.toMatchObject({ reason: 'dns' })
})

test('robots.txt must allow the file and each URL that it redirects to', async () => {
  const visits: string[] = []
  const read = async (forbidden: string) => {
    const urls = readSitemap(normalUrl('https://a.com/sitemap.xml'), {
      async egress({ url, onRedirect }) {
        visits.push(url)
        await onRedirect?.(new URL('https://b.com/sitemap.xml'))
        throw new Error('the redirect is followed')
      },
      robots: {
        check: async (url) =>
          String(url) === forbidden
            ? { allowed: false, reason: 'disallowed', detail: `${String(url)} is forbidden` }
            : { allowed: true, crawlDelayMs: null, sitemaps: [] },
      },
      signal: new AbortController().signal,
      maxUrls: 10,
    })
    for await (const batch of urls) throw new Error(`it gives ${batch.join(' ')}`)
  }
  await expect(read('https://a.com/sitemap.xml')).rejects.toMatchObject({
    reason: 'robots_disallowed',
  })
  expect(visits).toEqual([])
  await expect(read('https://b.com/sitemap.xml')).rejects.toMatchObject({
    reason: 'robots_disallowed',
    message: 'https://b.com/sitemap.xml is forbidden',
  })
  expect(visits).toEqual(['https://a.com/sitemap.xml'])
})

test('reading stops after its signal', async () => {
  const { read } = setUp({ 'https://a.com/sitemap.xml': urlset('https://a.com/1') })
  await expect(read(undefined, 9, AbortSignal.abort(new Error('stopped')))).rejects.toThrow(
    'stopped',
  )
  const aborted = setUp({
    'https://a.com/sitemap.xml': index('https://a.com/1.xml'),
    'https://a.com/1.xml': new EgressError('aborted', 'x'),
  })
  await expect(aborted.read()).rejects.toMatchObject({ reason: 'aborted' })
})

describe('hostile files', () => {
  const laughs =
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">' +
    '<!ENTITY c SYSTEM "file:///etc/passwd">]>'
  test('entities are not expanded', async () => {
    expect(
      await one(
        `${laughs}<urlset><url><loc>https://a.com/&b;&c;</loc></url><url><loc>https://a.com/2</loc></url></urlset>`,
      ),
    ).toEqual(['https://a.com/&b;&c;', 'https://a.com/2'])
  })

  test('a text of 2 MB does no harm', async () => {
    expect(await one(urlset(`https://a.com/${'x'.repeat(2_000_000)}`))).toEqual([])
  })

  test.for<readonly [string, string, () => string | Uint8Array]>([
    ['very many open elements', 'elements nested deeper', () => '<a>'.repeat(200_000)],
    ['one line of 2 MB', 'a line of more', () => `https://a.com/${'x'.repeat(2_000_000)}`],
    [
      'a JSON Feed of more than 1 MiB',
      'JSON of more',
      () => `{"items":[{"url":"https://a.com/1"}],"x":"${' '.repeat(1_100_000)}"}`,
    ],
    ['one attribute of 2 MB', 'markup without', () => `<urlset a="${'x'.repeat(2_000_000)}`],
    [
      'a comment of 2 MB',
      'a comment or CDATA section without',
      () => `<!--${'x'.repeat(2_000_000)}`,
    ],
    // 60 MB, in members of 1 MB.
    [
      'a bomb',
      'a line of more',
      () => Buffer.concat(Array<Buffer>(60).fill(gzipSync(new Uint8Array(1024 * 1024)))),
    ],
  ])('%s does no harm, and is the reason that it names no page', async ([, what, file]) => {
    await expect(one(file())).rejects.toMatchObject({
      reason: 'too_large',
      message: expect.stringContaining(`names no page before ${what}`),
    })
  })
})

test('a file whose rest is not read is named, also when pages came before', async () => {
  const url = 'https://a.com/sitemap.xml'
  const cut: string[][] = []
  const urls: string[] = []
  for await (const batch of readSitemap(normalUrl(url), {
    egress: setUp({ [url]: `<urlset><url><loc>https://a.com/1</loc></url>${'<x>'.repeat(100)}` })
      .egress,
    robots: null,
    signal: new AbortController().signal,
    maxUrls: 10,
    onCut: (...facts) => void cut.push(facts),
  }))
    urls.push(...batch)
  expect(urls).toEqual(['https://a.com/1'])
  expect(cut).toEqual([[url, 'elements nested deeper than 64 levels']])
})

test('a tag of more attributes or letters than any real one ends the reading', async () => {
  const withTag = (attributes: string): string =>
    `<urlset><url><loc>https://a.com/1</loc></url><url ${attributes}>` +
    '<loc>https://a.com/2</loc></url></urlset>'
  const all = ['https://a.com/1', 'https://a.com/2']
  expect(await one(withTag('a=""'.repeat(1_000)))).toEqual(all)
  expect(await one(withTag('a=""'.repeat(1_001)))).toEqual(all.slice(0, 1))
  expect(await one(withTag(`a="${'&lt;'.repeat(100_000)}"`))).toEqual(all)
  expect(await one(withTag(`a="${'&lt;'.repeat(500_000)}"`))).toEqual(all.slice(0, 1))
})

test('a file of megabytes is read in slices, also if it names no page', async () => {
  let rests = 0
  let now = 0
  const pace = new Pace({
    now: () => (now += 10),
    scheduler: new SliceScheduler(async () => void rests++),
  })
  const file = `<urlset>${'<!-- nothing -->'.repeat(200_000)}<url><loc>https://a.com/1</loc></url></urlset>`
  expect(
    await setUp({ 'https://a.com/sitemap.xml': file }).read(undefined, undefined, undefined, pace),
  ).toEqual(['https://a.com/1'])
  expect(rests).toBeGreaterThan(file.length / 100_000)
})

test('a JSON Feed of very many pages is read in slices', async () => {
  let rests = 0
  let now = 0
  const pace = new Pace({
    now: () => (now += 10),
    scheduler: new SliceScheduler(async () => void rests++),
  })
  const items = Array.from({ length: 20_000 }, (_, i) => ({ url: `https://a.com/${i}` }))
  const urls = await setUp({ 'https://a.com/sitemap.xml': JSON.stringify({ items }) }).read(
    undefined,
    undefined,
    undefined,
    pace,
  )
  expect(urls).toEqual(items.map(({ url }) => url))
  // The file has 13 pieces.
  expect(rests).toBeGreaterThan(30)
})
