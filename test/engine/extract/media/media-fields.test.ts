import { describe, expect, it } from 'vitest'
import { bestCandidate } from '../../../../src/engine/extract/media.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'
import { mediaPaths } from '../../../../src/engine/recipe/columns.ts'
import type { FieldSource } from '../../../../src/engine/recipe/recipe-input.ts'

const PAGE = 'https://shop.example.com/pens/'

/** What a field gives of a page. */
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
const at = (sourceUrl: string) => ({
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

  it('is found in time whatever the text', () => {
    for (const text of [
      'a'.repeat(1_000_000),
      'a ('.repeat(30_000),
      ', '.repeat(50_000),
      'a 1x,'.repeat(20_000),
    ])
      expect(() => bestCandidate(text, new PageBudget())).not.toThrow()
  })
})

describe('what an element stands for', () => {
  it.each([
    ['img', '<img src="a.png">', at('/pens/a.png')],
    ['img', '<img src="a.png" srcset="/b.png 1x, /c.png 2x">', at('/c.png')],
    ['img', '<img src="data:image/gif;base64,R0lGOD" data-src="/late.png">', at('/late.png')],
    [
      'img',
      '<img src="data:image/gif;base64,R0lGOD" data-srcset="/l1.png 1x, /l2.png 2x" data-src="/late.png">',
      at('/l2.png'),
    ],
    ['img', '<img data-original="/late.png">', at('/late.png')],
    ['img', '<img src="data:image/gif;base64,R0lGOD">', at('data:image/gif;base64,R0lGOD')],
    [
      'picture',
      '<picture><source srcset="/a.webp 1x, /b.webp 2x"><img src="/c.png"></picture>',
      at('/b.webp'),
    ],
    [
      'picture',
      '<picture><source srcset="/a.webp"><img src="/c.png" srcset="/d.png 2x"></picture>',
      at('/d.png'),
    ],
    ['source', '<picture><source srcset="/a.webp 1x, /b.webp 2x"></picture>', at('/b.webp')],
    ['video', '<video poster=/p.png><source src=/a.mp4><source src=/b.webm></video>', at('/a.mp4')],
    ['video', '<video src=/v.mp4></video>', at('/v.mp4')],
    ['audio', '<audio src=/v.mp3></audio>', at('/v.mp3')],
    ['a', '<a href="/doc.pdf#page=2">x</a>', at('/doc.pdf')],
    ['link', '<link rel=icon href=/f.ico>', at('/f.ico')],
    ['meta', '<meta property="og:image" content="/og.png">', at('/og.png')],
    ['object', '<object data=/o.svg></object>', at('/o.svg')],
    ['p', '<p> https://cdn.example.com/x.png </p>', at('https://cdn.example.com/x.png')],
    ['img', '<img src="">', null],
    ['img', '<img>', null],
    ['a', '<a href="javascript:alert(1)">x</a>', null],
    ['a', '<a href="blob:https://a/b">x</a>', null],
    ['a', '<a href="file:///etc/passwd">x</a>', null],
    ['a', '<a href="https://u:p@a.example.com/">x</a>', null],
  ])('%s of %s', (css, html, value) => {
    expect(read(html, { css })).toEqual(value)
  })

  it('is the attribute that is asked for', () => {
    expect(
      read('<video src=/v.mp4 poster=/p.png></video>', { css: 'video', attr: 'poster' }),
    ).toEqual(at('/p.png'))
    expect(
      read('<img data-zoom-srcset="/a.png 1x, /b.png 3x">', {
        css: 'img',
        attr: 'data-zoom-srcset',
      }),
    ).toEqual(at('/b.png'))
  })

  it('is found in feeds, JSON and JSON-LD too, and all of them with many', () => {
    expect(
      read(
        '<rss><channel><item><enclosure url="/e.mp3"/></item></channel></rss>',
        { css: 'enclosure' },
        'application/rss+xml',
      ),
    ).toEqual(at('/e.mp3'))
    const ld = (image: unknown) =>
      `<script type="application/ld+json">${JSON.stringify({ '@type': 'Product', image })}</script>`
    expect(read(ld('/a.png'), { jsonld: '$..image' })).toEqual(at('/a.png'))
    expect(
      read(ld({ '@type': 'ImageObject', contentUrl: '/full.png', url: '/page' }), {
        jsonld: '$..image',
      }),
    ).toEqual(at('/full.png'))
    expect(
      read(ld([{ caption: 'none' }, { url: '/b.png' }, '/c.png']), { jsonld: '$..image' }),
    ).toEqual(at('/b.png'))
    expect(read(ld(['/b.png', '/c.png']), { jsonld: '$..image[*]', many: true })).toEqual([
      at('/b.png'),
      at('/c.png'),
    ])
    for (const odd of [5, true, null, {}, [], [[['/deep.png']]], { url: { url: '/x' } }])
      expect(() => read(ld(odd), { jsonld: '$..image' })).not.toThrow()
    expect(read('<meta name="twitter:image" content="/t.png">', { meta: 'twitter:image' })).toEqual(
      at('/t.png'),
    )
    expect(read('<img src=/a.png><img src=/b.png><img>', { css: 'img', many: true })).toEqual([
      at('/a.png'),
      at('/b.png'),
    ])
  })
})

it('a plan knows where its rows have media', () => {
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
