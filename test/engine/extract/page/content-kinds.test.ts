import { describe, expect, test } from 'vitest'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'
import type { PageResult } from '../../../../src/ports/page-processor.ts'
import type { Recipe } from '../../../../src/engine/recipe/schema.ts'
import { contentKind } from '../../../../src/engine/extract/page/content-type.ts'

function run(recipe: Omit<Recipe, 'start'>, contentType: string, body: string): PageResult {
  return compileRecipe({ start: { urls: ['https://a.example/'] }, ...recipe }).process(
    { url: 'https://a.example/dir/page', contentType, body: new TextEncoder().encode(body) },
    { label: 'start', depth: 0, hop: 1 },
  )
}

test.each([
  ['text/html', '', 'html'],
  ['application/xhtml+xml; charset=x', '', 'html'],
  ['TEXT/HTML', '', 'html'],
  ['application/rss+xml', '', 'xml'],
  ['text/xml', '', 'xml'],
  ['application/ld+json', '', 'json'],
  ['application/json', '', 'json'],
  ['text/csv', '', 'csv'],
  ['image/svg+xml', '<svg/>', 'other'],
  ['application/pdf', '%PDF', 'pdf'],
  ['application/x-pdf; a=b', '', 'pdf'],
  ['application/octet-stream', '%PDF-1.7', 'pdf'],
  ['', '%PDF-', 'pdf'],
  ['application/octet-stream', '%PD', 'text'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', '', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet; a=b', '', 'xlsx'],
  ['application/vnd.ms-excel.sheet.macroEnabled.12', '', 'xlsx'],
  ['application/octet-stream', 'PK\u0003\u0004 word/document.xml', 'docx'],
  ['application/zip', 'PK\u0003\u0004 xl/workbook.xml', 'xlsx'],
  ['application/vnd.ms-excel', 'PK\u0003\u0004 xl/workbook.xml', 'xlsx'],
  ['application/vnd.ms-excel', 'a,b', 'csv'],
  ['application/zip', 'PK\u0003\u0004 a.txt', 'other'],
  ['application/zip', 'word/document.xml', 'other'],
  ['text/plain', 'PK\u0003\u0004 word/document.xml', 'text'],
  ['text/plain', '%PDF-1.7', 'text'],
  ['text/html', '%PDF-1.7', 'html'],
  ['image/png', '', 'other'],
  ['', '<!doctype html>', 'html'],
  ['', '<?xml version="1.0"?><rss/>', 'xml'],
  ['application/octet-stream', ' [1]', 'json'],
  ['', 'words', 'text'],
  ['', '\u0000\u0001', 'other'],
  ['', '', 'other'],
])('a body of %s with the type %j is read as %s', (type, body, kind) =>
  expect(contentKind(type, new TextEncoder().encode(body))).toBe(kind),
)

describe('on pages that are not HTML', () => {
  const feed =
    '<?xml version="1.0"?><rss><channel><title>F</title><item><title>One &amp; <![CDATA[' +
    '<b>two</b>]]></title><link>/1</link><pubDate>Mon, 05 Jan 2026 14:30:15 GMT</pubDate>' +
    '<media:thumbnail url="i.png"/></item><item><title>Three</title>' +
    '<link>https://a.example/2#x</link></item></channel></rss>'

  test('a feed has items and links', () => {
    const result = run(
      {
        follow: [{ links: 'item > link', as: 'entry' }],
        extract: {
          items: 'item',
          fields: {
            title: 'title',
            date: { css: 'pubDate', as: 'date' },
            link: { css: 'link', as: 'url' },
            image: { css: 'media|thumbnail', attr: 'url', as: 'url' },
          },
        },
      },
      'application/rss+xml',
      feed,
    )
    expect(result.rows).toEqual([
      {
        title: 'One & two',
        date: '2026-01-05T14:30:15Z',
        link: 'https://a.example/1',
        image: 'https://a.example/dir/i.png',
      },
      { title: 'Three', date: null, link: 'https://a.example/2', image: null },
    ])
    expect(result.links.map((link) => link.url)).toEqual([
      'https://a.example/1',
      'https://a.example/2',
    ])
  })

  test('JSON is read by path; selectors find nothing', () => {
    const fields = {
      ids: { jsonld: '$.items[*].id', many: true },
      first: { jsonld: '$.items[0].price', as: 'number' },
      none: 'h1',
    } as const
    expect(
      run({ extract: { fields } }, 'application/json', '{"items":[{"id":1,"price":"$5"},{"id":2}]}')
        .rows,
    ).toEqual([{ ids: [1, 2], first: 5, none: null }])
    expect(run({ extract: { fields } }, 'application/json', '{broken').rows).toEqual([])
    expect(
      run(
        { extract: { fields } },
        'application/json',
        `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      ).rows,
    ).toEqual([])
  })

  test('text is its own Markdown; other types give nothing', () => {
    expect(run({ formats: ['text', 'markdown'] }, 'text/plain', ' some\nwords ').rows).toEqual([
      { url: 'https://a.example/dir/page', text: 'some\nwords', markdown: 'some\nwords' },
    ])
    expect(run({ crawl: { scope: 'any' } }, 'application/pdf', '%PDF <a href=/x>')).toMatchObject({
      rows: [],
      links: [],
    })
  })
})
