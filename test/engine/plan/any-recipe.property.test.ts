import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe, readFacts } from '../../../src/engine/recipe/parse-recipe.ts'
import { loadRegexEngine } from '../../../src/engine/extract/value/linear-regex.ts'
import { PlatformError } from '../../../src/kernel/errors.ts'

const ANY = fc.constantFrom
const texts = ANY(
  'a',
  'h1',
  ':scope',
  'li > a',
  'dc\\:creator',
  '$',
  '$.a[*]',
  '$..b',
  '//a',
  './/li[1]',
  '(//*)[2]',
  '//@href',
  '/',
  '.',
  '',
  '$[',
  '//[',
  'p:has(a)',
)
const paths = ANY('$', '$.a', '$..*', '$.a[*].b', '$[?(@.a>1)]', '$..[')
const types = ANY(
  'text',
  'html',
  'markdown',
  'number',
  'integer',
  'boolean',
  'date',
  'url',
  'media',
  'json',
)
const steps = ANY<unknown>(
  'trim',
  'collapse',
  'lower',
  'upper',
  'name',
  'shout',
  { split: ' ' },
  { join: ',' },
  { item: 0 },
  { item: -9 },
  { slice: [1] },
  { slice: [5, -5] },
  { prefix: 'x' },
  { suffix: 'y' },
  { replace: ['a', 'b'] },
  { replace: { regex: '(\\w)\\W', with: '$1$2$<x>' } },
  { replace: { regex: '', with: '' } },
  { map: { a: 1, b: true } },
  { default: 0 },
  { default: 'x' },
)
const optional = { requiredKeys: [] as [] }
const some = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 1 })
const how = {
  as: some(types),
  many: some(fc.boolean()),
  regex: some(ANY('\\w+', '(a)|b', '(?<n>\\d+)', '', '(', '$', '(?=a)')),
  group: some(ANY<unknown>(0, 1, 9, 'n')),
  transform: some(fc.array(steps, { maxLength: 3 })),
}
const source = fc.oneof(
  texts,
  fc.record(
    { css: texts, attr: some(ANY('href', 'class', 'id')), ...how },
    { requiredKeys: ['css'] },
  ),
  fc.record(
    { xpath: texts, attr: some(ANY('href')), json: some(paths), ...how },
    { requiredKeys: ['xpath'] },
  ),
  fc.record({ json: paths, ...how }, { requiredKeys: ['json'] }),
  fc.record({ jsonld: paths, ...how }, { requiredKeys: ['jsonld'] }),
  fc.record({ state: paths, ...how }, { requiredKeys: ['state'] }),
  fc.record({ product: ANY('price', 'reasons', 'x'), ...how }, { requiredKeys: ['product'] }),
  fc.record({ meta: ANY('og:title', 'x'), ...how }, { requiredKeys: ['meta'] }),
  fc.record({ cell: ANY<string | number>('Name', 1, 3), ...how }, { requiredKeys: ['cell'] }),
  fc.record(
    { microdata: ANY('Product.name', 'name', 'a.b.c'), ...how },
    { requiredKeys: ['microdata'] },
  ),
  fc.record({ const: fc.jsonValue({ maxDepth: 2 }), ...how }, { requiredKeys: ['const'] }),
  fc.record({ page: ANY('status', 'url', 'foundOn', 'bytes'), ...how }, { requiredKeys: ['page'] }),
  fc.record(how, optional),
  fc.record({
    css: texts,
    many: some(fc.boolean()),
    fields: fc.dictionary(ANY('x', 'y'), texts, { minKeys: 1 }),
  }),
  fc.record({
    json: paths,
    many: some(fc.boolean()),
    fields: fc.dictionary(ANY('x', 'y'), texts, { minKeys: 1 }),
  }),
)
const recipes = fc.record({
  start: fc.constant({ urls: ['https://a.example/'] }),
  extract: fc.record({
    items: some(texts),
    failed: some(fc.boolean()),
    fields: fc.dictionary(
      ANY('a', 'b', 'c'),
      fc.oneof(source, fc.array(source, { minLength: 1, maxLength: 2 })),
      { minKeys: 1 },
    ),
  }),
  follow: some(
    fc.array(
      fc.oneof(
        fc.record({ links: texts, as: some(ANY('x')) }),
        fc.record({ next: texts, param: some(ANY('p')) }),
      ),
      { maxLength: 2 },
    ),
  ),
  formats: some(
    fc.uniqueArray(ANY('markdown', 'article', 'structured', 'links'), { maxLength: 2 }),
  ),
})
const pieces = ANY(
  '<a href="/x">',
  '</a>',
  '<li class=c>',
  '<h1>T</h1>',
  'a b 12',
  '<div itemscope itemtype="https://schema.org/Product">',
  '<b itemprop="name">N</b>',
  '<meta property="og:title" content="O">',
  '<script type="application/ld+json">{"a":[{"b":1}]}</script>',
  '<?xml version="1.0"?><rss>',
  '<item>',
  '<dc:creator><![CDATA[<p>C]]>',
  '</item>',
  '{"a":[{"b":"<i>x"},2]}',
  '[1,',
  '"',
  '\ud800',
  '<!--',
)
const pages = fc.record({
  text: fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
  contentType: ANY(
    'text/html',
    'text/xml',
    'application/rss+xml',
    'application/json',
    'text/plain',
    'image/png',
    '',
  ),
})

beforeAll(loadRegexEngine)

test('no recipe throws an error on any page, and everything that is wrong with a recipe is reported', () => {
  let compiled = 0
  fc.assert(
    fc.property(recipes, pages, (recipeSource, { text, contentType }) => {
      const recipe: unknown = JSON.parse(JSON.stringify(recipeSource))
      try {
        const plan = compileRecipe(parseRecipe(recipe))
        compiled++
        expect(readFacts(recipe)?.columns).toEqual(plan.columns)
        const visit = { label: 'start', depth: 0, hop: 1 }
        const result = plan.process(
          { url: 'https://a.example/', contentType, body: new TextEncoder().encode(text) },
          visit,
        )
        for (const row of result.rows) expect(Object.keys(row)).toEqual(plan.columns)
        expect(() => JSON.stringify(result)).not.toThrow()
        plan.failed(
          {
            url: 'https://a.example/',
            finalUrl: null,
            status: null,
            outcome: 'failed',
            error: 'x',
            contentType: null,
            bytes: 0,
          },
          visit,
        )
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        expect(error.issues.length).toBeGreaterThan(0)
      }
    }),
    { numRuns: 3_000 },
  )
  expect(compiled).toBeGreaterThan(300)
})
