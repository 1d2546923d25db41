import { describe, expect, it } from 'vitest'
import { atOnce } from '../../../src/engine/extract/page/in-turns.ts'
import { PageContent } from '../../../src/engine/extract/page/page-content.ts'
import { compileExplain } from '../../../src/engine/plan/explain.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Page } from '../../../src/ports/page-processor.ts'

const FIRST = { label: 'start', depth: 0, hop: 1 }
const start = { urls: ['https://shop.example.com/'] }
const pageOf = (text: string, contentType = 'text/html'): Page => ({
  url: 'https://shop.example.com/',
  contentType,
  body: new TextEncoder().encode(text),
})
const explain = (extract: unknown, page: Page) =>
  atOnce(
    compileExplain(parseRecipe({ start, extract }).recipe)(new PageContent(page, FIRST), FIRST),
  )

describe('an explanation', () => {
  const page = pageOf(`
    <meta name="author" content="Ann"><script type="application/ld+json">[{"@type":"Product","sku":"A1","offers":[{"price":"3.5"},{"price":"on request"}]}]</script>
    <h1>Pens</h1><p class="size">12 mm</p><p class="size">wide</p><a href="/a">a</a><a>b</a>
    <div class="review"><b>Ben</b></div><div class="review"><b>Cat</b></div><s></s>`)

  it.each([
    ['a selector', 'h1', { source: 'css h1', matches: 1, values: 1, sample: 'Pens', failed: null }],
    [
      'the first of its matches',
      { css: '.size', as: 'number' },
      { source: 'css .size', matches: 2, values: 1, sample: 12, failed: null },
    ],
    [
      'all of its matches',
      { css: '.size', as: 'number', many: true },
      { matches: 2, values: 1, sample: [12], failed: { text: 'wide', as: 'number' } },
    ],
    [
      'an attribute that some have',
      { css: 'a', attr: 'href', many: true },
      {
        source: 'css a @href',
        matches: 2,
        sample: ['/a'],
        failed: { text: '', as: 'text of href' },
      },
    ],
    [
      'nested fields',
      { css: '.review', many: true, fields: { by: 'b' } },
      { matches: 2, values: 1, sample: [{ by: 'Ben' }, { by: 'Cat' }], failed: null },
    ],
    [
      'JSON-LD',
      { jsonld: '$..offers[*].price', as: 'number' },
      { source: 'jsonld $..offers[*].price', matches: 2, values: 1, sample: 3.5, failed: null },
    ],
    [
      'JSON-LD of another type',
      { jsonld: '$..sku', as: 'date' },
      { matches: 1, values: 0, sample: null, failed: { text: 'A1', as: 'date' } },
    ],
    [
      'a meta element',
      { meta: 'author' },
      { source: 'meta author', matches: 1, values: 1, sample: 'Ann', failed: null },
    ],
    [
      'the URL',
      { url: true },
      { source: 'url', matches: 1, values: 1, sample: 'https://shop.example.com/', failed: null },
    ],
    [
      'a constant',
      { const: 7 },
      { source: 'const 7', matches: 1, values: 1, sample: 7, failed: null },
    ],
    ['nothing', '.none', { matches: 0, values: 0, used: 0, sample: null, failed: null }],
  ])('has the matches of %s', (_, field, expected) => {
    const { sources } = explain({ fields: { it: field, title: 'h1' } }, page)
    expect(sources[0]).toMatchObject({ field: 'it', path: 'extract.fields.it', ...expected })
  })

  it.each([
    ['.none', 'matches nothing', []],
    [
      { css: 'a', attr: 'data-price' },
      '2 matches, none with a value in the attribute data-price',
      [{ before: null, after: null }],
    ],
    [
      { css: 'h1', as: 'number' },
      '1 match; "Pens" cannot be read as number',
      [{ before: 'Pens', after: null }],
    ],
    [
      { css: 'h1', transform: [{ slice: [9] }] },
      '1 match; "Pens" gives no text after its pattern and steps',
      [{ before: 'Pens', after: null }],
    ],
    [{ css: 's' }, '1 match, none with text', [{ before: null, after: null }]],
    [
      { jsonld: '$..sku', as: 'date' },
      '1 match; "A1" cannot be read as date',
      [{ before: 'A1', after: null }],
    ],
    [
      { css: '.size', as: 'number', many: true },
      null,
      [
        { before: '12 mm', after: 12 },
        { before: 'wide', after: null },
      ],
    ],
  ])(
    'says why %j gave no value, with its matches before and after conversion',
    (field, reason, examples) => {
      const { sources } = explain({ fields: { it: field, title: 'h1' } }, page)
      expect(sources[0]).toMatchObject({ reason, examples })
    },
  )

  it('says if there is no item, and if the only row would be empty', () => {
    const none = explain({ items: '.none', fields: { it: 'h1' } }, page)
    expect(none.sources[0]?.reason).toBe(
      'there is no item to look in: extract.items matches nothing',
    )
    const empty = explain({ fields: { it: '.none' } }, page)
    expect(empty.sources[0]?.reason).toBe('matches nothing')
  })

  it('shows which of several fallbacks gave the value', () => {
    const { items, sources } = explain(
      { items: '.review', fields: { by: ['i', 'b', { const: '?' }] } },
      page,
    )
    expect(items).toBe(2)
    expect(sources.map(({ path, matches, values, used }) => [path, matches, values, used])).toEqual(
      [
        ['extract.fields.by.0', 0, 0, 0],
        ['extract.fields.by.1', 2, 2, 2],
        ['extract.fields.by.2', 2, 2, 0],
      ],
    )
  })

  it('is possible for JSON pages', () => {
    const { items, sources } = explain(
      { items: '$.pens[*]', fields: { name: '$.name', price: { json: '$.price', as: 'number' } } },
      pageOf('{"pens":[{"name":"A","price":1},{"name":"B","price":"?"}]}', 'application/json'),
    )
    expect(items).toBe(2)
    expect(sources).toMatchObject([
      { source: 'json $.name', matches: 2, values: 2, sample: 'A', failed: null },
      { matches: 2, values: 1, failed: { text: '?', as: 'number' } },
    ])
  })

  it('has only rules for a page of another label', () => {
    const recipe = parseRecipe({
      start,
      follow: [{ links: 'a', as: 'detail' }],
      extract: { on: 'detail', fields: { title: 'h1' } },
    })
    expect(atOnce(compileExplain(recipe.recipe)(new PageContent(page, FIRST), FIRST))).toEqual({
      items: null,
      sources: [],
      rules: [
        {
          path: 'follow.0.links',
          selector: 'a',
          label: 'detail',
          urls: ['https://shop.example.com/a'],
        },
      ],
    })
  })
})
