import { describe, expect, it } from 'vitest'
import { detect } from '../../../../src/engine/extract/auto.ts'
import { readablePage } from '../../../../src/engine/extract/document/prepare-page.ts'
import { loadRegexEngine } from '../../../../src/engine/extract/value/linear-regex.ts'
import { readPdf } from '../../../../src/engine/pdf/read-pdf.ts'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../../src/engine/recipe/parse-recipe.ts'
import type { Page } from '../../../../src/ports/page-processor.ts'
import { makePdf } from '../../../support/fakes/make-pdf.ts'

await loadRegexEngine()
const URL_OF_IT = 'https://a.example/report.pdf'
const START = { label: 'start', depth: 0, hop: 1 }
const BYTES = makePdf(
  [[['On ink', 24], 'Sales in 2025: 1,200 bottles.'], [], ['Sales in 2026: 1,450 bottles.']],
  { info: { Title: 'Ink report', Author: 'Ann Inkwell', CreationDate: 'D:20260203040506Z' } },
)
const asFetched: Page = { url: URL_OF_IT, contentType: 'application/pdf', body: BYTES }
const page = await readablePage(
  asFetched,
  (body, _, signal) => readPdf(body, signal),
  new AbortController().signal,
)
const compile = (parts: object) =>
  compileRecipe(parseRecipe({ start: { urls: [URL_OF_IT] }, ...parts }))
const rows = (parts: object, of: Page = page) => compile(parts).process(of, START).rows

describe('a PDF', () => {
  it('has its text page by page, and its metadata', () => {
    expect(
      rows({ formats: ['markdown', 'text', 'metadata', 'links', 'html', 'structured'] }),
    ).toEqual([
      {
        url: URL_OF_IT,
        markdown:
          '## On ink\n\nSales in 2025: 1,200 bottles.\n\n[page 3]\n\nSales in 2026: 1,450 bottles.',
        text: 'On ink\n\nSales in 2025: 1,200 bottles.\n\f\n\fSales in 2026: 1,450 bottles.',
        metadata: {
          title: 'Ink report',
          description: null,
          author: 'Ann Inkwell',
          date: '2026-02-03T04:05:06.000Z',
          site: null,
          language: 'en',
          canonical: null,
          image: null,
          type: null,
          pages: 3,
        },
        links: [],
        html: null,
        structured: null,
      },
    ])
    expect(rows({ formats: ['article'] })).toMatchObject([
      { article: { title: 'Ink report', byline: 'Ann Inkwell', wordCount: 14 } },
    ])
    expect(rows({})).toMatchObject([
      { metadata: { pages: 3 }, markdown: expect.stringContaining('On ink') },
    ])
  })

  it('can be read by JSONPath, by facts and by patterns', () => {
    expect(
      rows({
        extract: {
          items: '$.pages[*]',
          fields: {
            number: '$.number',
            text: '$.text',
            sales: { json: '$.text', regex: '([\\d,]+) bottles', as: 'integer' },
          },
        },
      }),
    ).toEqual([
      { number: 1, text: '## On ink\n\nSales in 2025: 1,200 bottles.', sales: 1200 },
      { number: 2, text: '', sales: null },
      { number: 3, text: 'Sales in 2026: 1,450 bottles.', sales: 1450 },
    ])
    expect(
      rows({
        extract: {
          fields: {
            title: '$.title',
            pages: '$.pageCount',
            sales: { regex: '([\\d,]+) bottles', as: 'integer', many: true },
            type: { page: 'contentType' },
            bytes: { page: 'bytes' },
          },
        },
      }),
    ).toEqual([
      {
        title: 'Ink report',
        pages: 3,
        sales: [1200, 1450],
        type: 'application/pdf',
        bytes: BYTES.length,
      },
    ])
  })

  it('has no elements and no links', () => {
    expect(
      rows({
        extract: {
          fields: { title: 'h1', all: '//*', ld: { jsonld: '$..name' }, meta: { meta: 'title' } },
        },
      }),
    ).toEqual([])
    expect(compile({ crawl: { scope: 'any' } }).process(page, START).links).toEqual([])
  })

  it('is proposed as an article', () => {
    expect(detect(page)).toMatchObject({ kind: 'article', confidence: 0.5 })
    expect(rows({ extract: 'auto' })).toMatchObject([
      {
        title: 'Ink report',
        author: 'Ann Inkwell',
        date: '2026-02-03T04:05:06Z',
        pages: 3,
        url: URL_OF_IT,
        text: expect.stringContaining('bottles'),
      },
    ])
  })

  it('has no values if it was not read', async () => {
    expect(await readablePage(asFetched, null, AbortSignal.abort())).toBe(asFetched)
    for (const parts of [
      {},
      { formats: ['text', 'links', 'article'] },
      { extract: { fields: { title: '$.title', any: { regex: '.' } } } },
      { extract: { items: '$.pages[*]', fields: { number: '$.number' } } },
    ]) {
      expect(
        rows(parts, asFetched).flatMap((row) =>
          Object.entries(row).filter(
            ([name, value]) => !['url', 'links'].includes(name) && value !== null,
          ),
        ),
      ).toEqual([])
    }
    expect(detect(asFetched)).toMatchObject({ kind: 'page', confidence: 0 })
  })
})

describe('a PDF is read', () => {
  const start = { start: { urls: [URL_OF_IT] } }
  it.each<[string, object, boolean]>([
    ['for the formats of text', { formats: ['html', 'text'] }, true],
    ['for a recipe without formats and fields', {}, true],
    ['for automatic extraction', { extract: 'auto' }, true],
    ['for paths', { extract: { fields: { a: 'h1', b: ['h2', '$.title'] } } }, true],
    ['for items by path', { extract: { items: '$.pages[*]', fields: { n: '$.number' } } }, true],
    ['for a model', { extract: { fields: { a: { model: 'the sum' } } } }, true],
    [
      'for items of a model',
      { extract: { items: ':model(each sale)', fields: { year: { model: 'its year' } } } },
      true,
    ],
    ['for patterns over its text', { extract: { fields: { a: { regex: 'x' } } } }, true],
    [
      'for a format beside fields',
      { formats: ['metadata'], extract: { fields: { a: 'h1' } } },
      true,
    ],
    [
      'not for selectors',
      {
        extract: {
          fields: {
            a: 'h1',
            b: { css: 'p', regex: 'x' },
            c: { css: 'script', json: '$.a' },
            d: '//a',
            e: { jsonld: '$..name', regex: 'x' },
            f: { url: true },
          },
        },
      },
      false,
    ],
    [
      'not for items by selector',
      { extract: { items: 'li', fields: { a: { regex: 'x' } } } },
      false,
    ],
    ['not for formats of markup', { formats: ['html', 'links', 'structured'] }, false],
    ['not for an automatic list', { extract: { items: ':auto' } }, false],
  ])('%s', (_, parts, expected) =>
    expect(compile({ ...start, ...parts }).readsDocument(START, 'pdf')).toBe(expected),
  )

  it('only on pages that give rows', () => {
    const plan = compile({
      follow: [{ links: 'a', as: 'file' }],
      extract: { on: 'file', fields: { title: '$.title' } },
    })
    expect([
      plan.readsDocument(START, 'pdf'),
      plan.readsDocument({ ...START, label: 'file' }, 'pdf'),
    ]).toEqual([false, true])
  })
})
