import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mendJson, mendParts } from '../../../../src/engine/extract/page/lenient-json.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../../src/engine/extract/page/page-content.ts'

test.each([
  ['{"a": "one\ntwo\tthree"}', { a: 'one\ntwo\tthree' }],
  ['// a comment {\n{"a": "// none"}', { a: '// none' }],
  ['/* {"b": 1} */ {"a": /* here */ 1}', { a: 1 }],
  ['<!-- said before -->\n{"a": "<!-- none -->"}', { a: '<!-- none -->' }],
  ['<!-- {"a": 1} -->', { a: 1 }],
  ['//<![CDATA[\n{"a": 1}\n//]]>', { a: 1 }],
  ['/*<![CDATA[*/ {"a": 1} /*]]>*/', { a: 1 }],
  ['<![CDATA[{"a": 1}]]>', { a: 1 }],
  ['{"a": [1, 2, ], "b": 3,\n}', { a: [1, 2], b: 3 }],
  ['{"a": 1};', { a: 1 }],
  ['{"a": 1}\n{"b": 2}', [{ a: 1 }, { b: 2 }]],
  ['{"a": 1}, {"b": 2},', [{ a: 1 }, { b: 2 }]],
  [String.raw`{"a": "it\'s 5\% off", "b": "C:\dir"}`, { a: "it's 5\\% off", b: 'C:\\dir' }],
  ['{&quot;a&quot;: &quot;R&amp;D&quot;}', { a: 'R&D' }],
  ['{"url": "https://a.example/x", "b": "\u0001"}', { url: 'https://a.example/x', b: '' }],
])('%s is read', (text, expected) => expect(JSON.parse(mendJson(text))).toEqual(expected))

test('valid JSON is read unchanged', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(mendJson(text))).toEqual(JSON.parse(text))
    }),
  )
})

test('a page has the blocks that can be read', () => {
  const block = (text: string): string => `<script type="application/ld+json">${text}</script>`
  const body = new TextEncoder().encode(
    [block('null'), block('{"name": "Pen\nand ink",}'), block('{"name": oops}')].join(''),
  )
  const page = new PageContent({
    url: 'https://a.example/',
    contentType: 'text/html; charset=utf-8',
    body,
  })
  expect(page.data).toEqual([{ name: 'Pen\nand ink' }])
})

test('escaped quotes are decoded in parts', () => {
  const pens = Array.from({ length: 30_000 }, (_, index) => ({ name: `Pen & ink ${index}` }))
  const text = JSON.stringify(pens)
  const escaped = text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  expect(JSON.parse(mendJson(escaped))).toEqual(pens)
  const partsOf = (json: string): number => [...mendParts(json, () => {})].length
  expect(partsOf(escaped) - partsOf(text)).toBeGreaterThan(escaped.length / 250_000)
})

test('a turn counts what characters outside of texts cost', () => {
  const stepsOf = (json: string): number => {
    const body = new TextEncoder().encode(`<script type="application/ld+json">${json}</script>`)
    const budget = new PageBudget()
    const content = new PageContent(
      { url: 'https://a.example/', contentType: 'text/html', body },
      START,
      budget,
    )
    content.beginTurns()
    for (const _ of content.readData());
    expect(content.data).toEqual([])
    return budget.stepsDone
  }
  const wild = "{'a':1},".repeat(10_000)
  expect(stepsOf(`[${wild}`) - stepsOf(`["${wild}`)).toBeGreaterThan(5 * wild.length)
})
