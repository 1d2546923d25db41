import { describe, expect, it } from 'vitest'
import { bestCandidate } from '../../../../src/engine/extract/media.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'
import { mediaPaths } from '../../../../src/engine/recipe/columns.ts'
import type { FieldSource } from '../../../../src/engine/recipe/recipe-input.ts'

const PAGE = 'https://shop.example.com/pens/'

/** The value of a field on a page. */
function read(html: string, field: FieldSource, contentType = 'text/html') {
  const plan = compileRecipe({
    start: { urls: [PAGE] },
    extract: { fields: { x: { as: 'media', ...field } } },
  })
  return (
    plan.process(
      { url: PAGE, contentType, body: new TextEncoder().encode(html) },
      { label: 'start', depth: 0, hop: 1 },
    ).rows[0]?.['x'] ?? null
  )
}
const imageOf = (sourceUrl: string) => ({
  sourceUrl: sourceUrl.startsWith('/') ? `https://shop.example.com${sourceUrl}` : sourceUrl,
})

describe('the best candidate of a srcset', () => {
  it.each([
    ['a.png', 'a.png'],
    ['a.png 1x, b.png 2x, c.png 1.5x', 'b.png'],
    ['a.png 320w, b.png 1280w, c.png 640w', 'b.png'],
    ['a.png, b.png 2x', 'b.png'],
    ['a.png 2x, b.png 2x', 'a.png'],
    ['a,b.png 1x, c,d.png 3x', 'c,d.png'],
    ['a.png,, b.png 2x,', 'b.png'],
    ['data:image/png;base64,AA 1x, b.png 2x', 'b.png'],
    ['  ', null],
    [',,', null],
    ['', null],
    ['a.png (x, y) 5x, b.png 2x', 'a.png'],
    ['a.png 100w 50h, b.png 90w', 'a.png'],
    ['\ta.png\n2x\t,\nb.png', 'a.png'],
  ])('%j is %s', (srcset, url) => {
    expect(bestCandidate(srcset, new PageBudget())).toBe(url)
  })

  it('is found in short time, whatever the text', () => {
    for (const text of [
      'a'.repeat(1_000_000),
      'a ('.repeat(30_000),
      ', '.repeat(50_000),
      'a 1x,'.repeat(20_000),
    ])
      expect(() => bestCandidate(text, new PageBudget())).not.toThrow()
  })
})

describe('the media of an element', () => {
  it.each([
    ['img', '<img src="a.png">', imageOf('/pens/a.png')],
    ['img', '<img src="a.png" srcset="/b.png 1x, /c.png 2x">', imageOf('/c.png')],
    ['img', '<img src="data:image/gif;base64,R0lGOD" data-src="/late.png">', imageOf('/late.png')],
    [
      'img',
      '<img src="data:image/gif;base64,R0lGOD" data-srcset="/l1.png 1x, /l2.png 2x" data-src="/late.png">',
      imageOf('/l2.png'),
    ],
    ['img', '<img data-original="/late.png">', imageOf('/late.png')],
    ['img', '<img src="data:image/gif;base64,R0lGOD">', imageOf('data:image/gif;base64,R0lGOD')],
    [
      'picture',
      '<picture><source srcset="/a.webp 1x, /b.webp 2x"><img src="/c.png"></picture>',
      imageOf('/b.webp'),
    ],
    [
      'picture',
      '<picture><source srcset="/a.webp"><img src="/c.png" srcset="/d.png 2x"></picture>',
      imageOf('/d.png'),
    ],
    ['source', '<picture><source srcset="/a.webp 1x, /b.webp 2x"></picture>', imageOf('/b.webp')],
    [
      'video',
      '<video poster=/p.png><source src=/a.mp4><source src=/b.webm></video>',
      imageOf('/a.mp4'),
    ],
    ['video', '<video src=/v.mp4></video>', imageOf('/v.mp4')],
    ['audio', '<audio src=/v.mp3></audio>', imageOf('/v.mp3')],
    ['a', '<a href="/doc.pdf#page=2">x</a>', imageOf('/doc.pdf')],
    ['link', '<link rel=icon href=/f.ico>', imageOf('/f.ico')],
    ['meta', '<meta property="og:image" content="/og.png">', imageOf('/og.png')],
    ['object', '<object data=/o.svg></object>', imageOf('/o.svg')],
    ['p', '<p> https://cdn.example.com/x.png </p>', imageOf('https://cdn.example.com/x.png')],
    ['img', '<img src="">', null],
    ['img', '<img>', null],
    ['a', '<a href="javascript:alert(1)">x</a>', null],
    ['a', '<a href="blob:https://a/b">x</a>', null],
    ['a', '<a href="file:///etc/passwd">x</a>', null],
    ['a', '<a href="https://u:p@a.example.com/">x</a>', null],
  ])('%s of %s', (css, html, value) => {
    expect(read(html, { css })).toEqual(value)
  })

  it('are in the attribute that the recipe names', () => {
    expect(
      read('<video src=/v.mp4 poster=/p.png></video>', { css: 'video', attr: 'poster' }),
    ).toEqual(imageOf('/p.png'))
    expect(
      read('<img data-zoom-srcset="/a.png 1x, /b.png 3x">', {
        css: 'img',
        attr: 'data-zoom-srcset',
      }),
    ).toEqual(imageOf('/b.png'))
  })

  it('are also found in feeds, JSON and JSON-LD, and with many all of them', () => {
    expect(
      read(
        '<rss><channel><item><enclosure url="/e.mp3"/></item></channel></rss>',
        { css: 'enclosure' },
        'application/rss+xml',
      ),
    ).toEqual(imageOf('/e.mp3'))
    const ld = (image: unknown) =>
      `<script type="application/ld+json">${JSON.stringify({ '@type': 'Product', image })}</script>`
    expect(read(ld('/a.png'), { jsonld: '$..image' })).toEqual(imageOf('/a.png'))
    expect(
      read(ld({ '@type': 'ImageObject', contentUrl: '/full.png', url: '/page' }), {
        jsonld: '$..image',
      }),
    ).toEqual(imageOf('/full.png'))
    expect(
      read(ld([{ caption: 'none' }, { url: '/b.png' }, '/c.png']), { jsonld: '$..image' }),
    ).toEqual(imageOf('/b.png'))
    expect(read(ld(['/b.png', '/c.png']), { jsonld: '$..image[*]', many: true })).toEqual([
      imageOf('/b.png'),
      imageOf('/c.png'),
    ])
    for (const odd of [5, true, null, {}, [], [[['/deep.png']]], { url: { url: '/x' } }])
      expect(() => read(ld(odd), { jsonld: '$..image' })).not.toThrow()
    expect(read('<meta name="twitter:image" content="/t.png">', { meta: 'twitter:image' })).toEqual(
      imageOf('/t.png'),
    )
    expect(read('<img src=/a.png><img src=/b.png><img>', { css: 'img', many: true })).toEqual([
      imageOf('/a.png'),
      imageOf('/b.png'),
    ])
  })
})

it('a plan knows the columns with media', () => {
  expect(
    mediaPaths({
      a: 'h1',
      b: { css: 'img', as: 'media' },
      c: ['h2', { css: 'img', as: 'media' }],
      d: {
        css: '.r',
        many: true,
        fields: {
          e: { css: 'img', as: 'media', many: true },
          f: 'b',
          g: { css: 'i', fields: { h: { css: 'a', as: 'media' } } },
        },
      },
    }),
  ).toEqual([['b'], ['c'], ['d', 'e'], ['d', 'g', 'h']])
  expect(mediaPaths(undefined)).toEqual([])
  expect(compileRecipe({ start: { urls: [PAGE] } }).media).toEqual([])
})
