import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { detect } from '../../../src/engine/extract/auto.ts'
import { preparePage } from '../../../src/engine/extract/document/prepare-page.ts'
import { parseTree } from '../../../src/engine/extract/tree/parse-tree.ts'
import { loadRegexEngine } from '../../../src/engine/extract/value/linear-regex.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import type { PageResult } from '../../../src/ports/page-processor.ts'
import { cpuMs } from '../../support/cpu-ms.ts'

await loadRegexEngine()
await preparePage({ url: 'https://a.example/', contentType: 'text/csv', body: new Uint8Array() })
const everything = compileRecipe({
  start: { urls: ['https://a.example/'] },
  crawl: { scope: 'any' },
  extract: {
    fields: {
      text: 'body',
      all: { css: '*', many: true, as: 'html' },
      md: { css: 'div', as: 'markdown' },
      ld: { jsonld: '$..*', many: true },
      first: 'div div div p',
      has: 'div:has(> p)',
      path: { xpath: '//*[p or @href]/descendant::text()', many: true },
      last: { xpath: '(//*)[last()]', as: 'html' },
      md2: { microdata: 'a.b', many: true },
      json: { css: 'script', json: '$..*', many: true },
      words: { regex: '(?i)[a-z]+', many: true },
      steps: {
        css: '*',
        many: true,
        transform: ['collapse', { split: ' ' }, 'upper', { slice: [0, 3] }],
      },
      facts: { page: 'bytes' },
    },
  },
  formats: ['markdown', 'html', 'links', 'metadata', 'article', 'structured', 'comments'],
} as never)

function run(html: string, contentType = 'text/html'): PageResult {
  const page = { url: 'https://a.example/', contentType, body: new TextEncoder().encode(html) }
  expect(detect(page).confidence).toBeLessThanOrEqual(1)
  return everything.process(page, { label: 'start', depth: 0, hop: 1 })
}

describe('no page throws or hangs', () => {
  test.each<[string, string]>([
    ['10,000 nested elements', '<div>'.repeat(10_000) + 'deep'],
    ['nested and closed', `${'<div>'.repeat(5_000)}x${'</div>'.repeat(5_000)}<p>after</p>`],
    ['nested formatting', '<b>'.repeat(5_000) + '<p>x'],
    [
      'formatting of growing lists',
      Array.from({ length: 1_500 }, (_, index) => `<p><b id=${index}>`).join(''),
    ],
    ['tables in tables', '<table><tr><td>'.repeat(2_000)],
    ['text in tables', '<table>x'.repeat(1_000)],
    ['links in links', '<a href=/>'.repeat(3_000)],
    ['stray end tags', '</div></p></table></b>'.repeat(5_000)],
    [
      'many attributes',
      `<p ${Array.from({ length: 5_000 }, (_, index) => `a${index}=1`).join(' ')}>x`,
    ],
    [
      'names of members that every object has',
      '<p __proto__=1 constructor=2 toString=3 class=x>x</p><constructor>y</constructor>',
    ],
    ['an open comment', '<!--'.repeat(1_000)],
    ['an open tag', '<p '.repeat(10_000)],
    ['deep JSON-LD', `<script type="application/ld+json">${'[{"a":'.repeat(20_000)}</script>`],
    ['broken entities', '&#xFFFFFFFF;&#0;&nosuch;&'.repeat(500)],
    ['lone surrogates', '\ud800<p>\udfff'],
    ['NUL', 'a\0b<p\0>c'],
    ['frames', '<frameset><frame src=x></frameset>'],
    ['plaintext', '<plaintext></body>x'],
    ['nothing', ''],
    ['a template', '<template><div>'.repeat(3_000)],
    ['SVG', '<svg><foreignObject><div><svg>'.repeat(500)],
  ])('%s', (_, html) => {
    const begin = cpuMs()
    run(html)
    expect(cpuMs() - begin).toBeLessThan(4_000)
  })

  test('whatever its bytes and type are', () => {
    const tags = fc.constantFrom(
      '<table>',
      '<td>',
      '</table>',
      '<b>',
      '</b>',
      '<p>',
      '<a href="x">',
      '<svg>',
      '</svg>',
      '<select>',
      '<option>',
      '<template>',
      '<script>',
      '</script>',
      '<form>',
      '</form>',
      'text',
      '<!--',
      '-->',
      '<li>',
      '<title>',
      '<body>',
      '<![CDATA[',
      ']]>',
      '<br/>',
    )
    fc.assert(
      fc.property(
        fc.array(tags, { maxLength: 60 }),
        fc.constantFrom(
          'text/html',
          'text/xml',
          'application/json',
          'text/plain',
          'text/csv',
          'application/x-ndjson',
          'application/pdf',
          'image/png',
          '',
        ),
        (parts, type) => {
          const result = run(parts.join(''), type)
          expect(() => JSON.stringify(result)).not.toThrow()
        },
      ),
      { numRuns: 500 },
    )
  })
})

test('content deeper than 500 levels loses its elements, not its text', () => {
  const tree = parseTree(
    `${'<div>'.repeat(700)}deep<p>er</p>${'</div>'.repeat(700)}<h1>after</h1>`,
    false,
    new PageBudget(),
  )
  expect(tree.elements.filter((element) => element.name === 'div').length).toBeLessThan(500)
  const [title] = compileRecipe({
    start: { urls: ['https://a.example/'] },
    extract: { fields: { after: 'h1', all: 'body' } },
  }).process(
    {
      url: 'https://a.example/',
      contentType: 'text/html',
      body: new TextEncoder().encode(
        `${'<div>'.repeat(700)}deep${'</div>'.repeat(700)}<h1>after</h1>`,
      ),
    },
    { label: 'start', depth: 0, hop: 1 },
  ).rows
  expect(title).toEqual({ after: 'after', all: 'deep after' })
})

test('a page of more than 500,000 nodes is cut there', () => {
  expect(
    parseTree('<i>x</i>'.repeat(400_000), false, new PageBudget()).elements.length,
  ).toBeLessThanOrEqual(500_000)
})
