import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SitemapParser } from '../../../src/engine/site/sitemap-parser.ts'

const page = (number: number) => `<url><loc>https://a.com/${number}</loc></url>`

/** Writes a text in pieces, and returns what the parser found. */
function parsed(text: string, piece: number) {
  const parser = new SitemapParser('https://a.com/')
  const urls: string[] = []
  for (let position = 0; position < text.length; position += piece) {
    parser.write(text.slice(position, position + piece))
    urls.push(...parser.take())
  }
  urls.push(...[...parser.end()].flat())
  return { urls, broken: parser.broken }
}

test('a tag or declaration that has no end is not held: what is before it is read', () => {
  for (const opening of ['<?x ', '<!x ', '</x', '<x', '<<!--', '<x <!--', '<x a="', '<x a=""']) {
    const parser = new SitemapParser('https://a.com/')
    const urls: string[] = []
    parser.write(`<urlset>${page(1)}<x><!--${'y'.repeat(1_000_000)}--></x>${page(2)}${opening}`)
    for (let piece = 0; piece < 20; piece++) {
      urls.push(...parser.take())
      expect(parser.broken, opening).toBeNull()
      parser.write('z'.repeat(50_000))
    }
    for (let piece = 0; piece < 3; piece++) parser.write('z'.repeat(50_000))
    expect(parser.broken, opening).toBe('markup without an end in 1,048,576 characters')
    expect(urls).toEqual(['https://a.com/1', 'https://a.com/2'])
  }
})

test.each([
  ['<![CDATA[', ']]>'],
  ['<!--', '-->'],
])('a long section from %s to %s is passed over, wherever the text is cut', (opening, closing) => {
  const all = ['https://a.com/1', 'https://a.com/2', 'https://a.com/3']
  const long = `<x>${opening}${'y'.repeat(150_000)}${page(9)}${'y'.repeat(150_000)}]]--${closing}</x>`
  const text = `<urlset>${page(1)}${long}${page(2)}${long.repeat(5)}${page(3)}</urlset>`
  const end = text.indexOf(closing, text.indexOf(opening) + opening.length)
  for (const piece of [1_000, 65_536, 65_537, end, end + 1, end + 2, text.length])
    expect(parsed(text, piece), `${piece}`).toEqual({ urls: all, broken: null })
})

test('the same characters in an attribute begin no section', () => {
  const text = `<urlset>${page(1)}<x a="<!--" b="${'y'.repeat(500_000)}"/>${page(2)}</urlset>`
  expect(parsed(text, 1_000).urls).toEqual(['https://a.com/1', 'https://a.com/2'])
})

test('a feed with pictures of any size in its articles is read to its end', () => {
  const item = (number: number, body: string) =>
    `<item><link>https://a.com/${number}</link><content:encoded><![CDATA[${body}]]></content:encoded></item>`
  const picture = `<img src="data:image/png;base64,${'A'.repeat(3_000_000)}">`
  const feed = `<rss><channel>${item(1, 'x')}${item(2, picture)}${item(3, 'x')}</channel></rss>`
  expect(parsed(feed, 65_536)).toEqual({
    urls: ['https://a.com/1', 'https://a.com/2', 'https://a.com/3'],
    broken: null,
  })
})

test('the result does not depend on where the text is cut', () => {
  const whole =
    '<?xml version="1.0" encoding="UTF-8"?><urlset ' +
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' +
    ['https://a.com/1', 'https://a.com/2?a=b&amp;c=1']
      .map((url) => `<url><loc>${url}</loc><lastmod>2026-01-01</lastmod></url>`)
      .join('\n') +
    '</urlset>'
  const read = (pieces: readonly string[]) => {
    const parser = new SitemapParser('https://a.com/')
    for (const piece of pieces) parser.write(piece)
    return [...parser.end()].flat()
  }
  for (const text of [whole, 'https://a.com/1\nhttps://a.com/2?a=b&c=1']) {
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), text.length]
        expect(read(edges.slice(1).map((end, i) => text.slice(edges[i], end)))).toEqual([
          'https://a.com/1',
          'https://a.com/2?a=b&c=1',
        ])
      }),
    )
  }
})
