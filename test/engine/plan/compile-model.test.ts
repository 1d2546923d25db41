import { describe, expect, it } from 'vitest'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { PlatformError } from '../../../src/kernel/errors.ts'
import type { Json } from '../../../src/kernel/json.ts'
import type { Page } from '../../../src/ports/page-processor.ts'

const START = { urls: ['https://shop.example.com/'] }
const source = { model: 'What it is' }

function issuesOf(
  extract: Json,
  more: { readonly [part: string]: Json } = {},
): readonly (readonly [string, string])[] {
  try {
    compileRecipe(parseRecipe({ start: START, extract, ...more }))
    return []
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return error.issues.map(({ path, message }) => [path, message])
  }
}

describe('fields for a model', () => {
  it.each<readonly [string, Json]>([
    ['a field', { fields: { a: source } }],
    ['at the end of a list', { fields: { a: ['.a', { xpath: './/a' }, source] } }],
    ['as a type', { fields: { a: { ...source, as: 'number', many: true } } }],
    [
      'with fields below it',
      {
        fields: {
          a: {
            ...source,
            many: true,
            fields: { b: source, c: { ...source, fields: { d: { ...source, as: 'date' } } } },
          },
        },
      },
    ],
    ['of items', { items: '.pen', fields: { name: 'b', a: source } }],
    ['of items of JSON', { items: '$.pens[*]', fields: { name: '$.name', a: source } }],
    [
      'of items that the model finds',
      { items: ':model(every pen (also (red) ones))', fields: { shop: 'h1', a: source } },
    ],
  ])('may be %s', (_, extract) => {
    expect(issuesOf(extract)).toEqual([])
  })

  it.each<readonly [string, Json, string, RegExp]>([
    [
      'before the end of a list',
      { fields: { a: [source, '.a'] } },
      'extract.fields.a.0.model',
      /must be the last/,
    ],
    [
      'twice',
      { fields: { a: ['.a', source, source] } },
      'extract.fields.a.1.model',
      /must be the last/,
    ],
    [
      'inside of what a selector finds',
      { fields: { a: { css: '.a', fields: { b: { css: 'i', fields: { c: source } } } } } },
      'extract.fields.a.fields.b.fields.c',
      /within what a selector matches/,
    ],
    [
      'above a selector',
      { fields: { a: { ...source, fields: { b: { ...source, fields: { c: '.c' } } } } } },
      'extract.fields.a.fields.b.fields.c',
      /is below a model/,
    ],
    [
      'above a list',
      { fields: { a: { ...source, fields: { b: [source] } } } },
      'extract.fields.a.fields.b',
      /is below a model/,
    ],
    [
      'as HTML',
      { fields: { a: { ...source, as: 'html' } } },
      'extract.fields.a.as',
      /needs an element/,
    ],
    [
      'as HTML, below',
      { fields: { a: { ...source, fields: { b: { ...source, as: 'markdown' } } } } },
      'extract.fields.a.fields.b.as',
      /needs an element/,
    ],
    [
      'with a pattern',
      { fields: { a: { ...source, regex: '\\d' } } },
      'extract.fields.a',
      /cannot be combined with regex/,
    ],
    [
      'with steps',
      { fields: { a: { ...source, transform: ['trim'] } } },
      'extract.fields.a',
      /cannot be combined with/,
    ],
    [
      'with another source',
      { fields: { a: { ...source, css: '.a' } } },
      'extract.fields.a',
      /exactly one of .*model/,
    ],
    ['without words', { fields: { a: { model: '  ' } } }, 'extract.fields.a.model', /./],
    [
      'of items that the first page decides',
      { items: ':auto(list)', fields: { a: source } },
      'extract.fields.a',
      /select the items/,
    ],
  ])('may not be %s', (_, extract, path, message) => {
    expect(issuesOf(extract)).toEqual([[path, expect.stringMatching(message)]])
  })

  it('are required for items that a model finds', () => {
    expect(issuesOf({ items: ':model(every pen)', fields: { a: '.a' } })).toEqual([
      ['extract.items', expect.stringMatching(/at least one field/)],
    ])
    expect(issuesOf({ items: ':model( )', fields: { a: source } })).toEqual([
      ['extract.items', expect.anything()],
    ])
  })

  it('are allowed beside links that the first page decides', () => {
    expect(issuesOf({ fields: { a: source } }, { follow: [{ next: ':auto' }] })).toEqual([])
  })
})

describe('the question about a page', () => {
  const ask = (extract: Json, page: Partial<Page> & { readonly text: string }) =>
    compileRecipe(parseRecipe({ start: START, extract })).process(
      {
        url: 'https://shop.example.com/',
        contentType: 'text/html',
        ...page,
        body: new TextEncoder().encode(page.text),
      },
      { label: 'start', depth: 0, hop: 1 },
    )

  it('has the text of a PDF', () => {
    const pdf = {
      title: 'A file',
      author: null,
      date: null,
      language: null,
      pages: 1,
      pagesRead: 1,
      text: 'It costs 3 euros',
      texts: ['It costs 3 euros'],
    }
    expect(
      ask(
        { fields: { a: source } },
        { text: '%PDF-1.7', contentType: 'application/pdf', document: pdf },
      ).question?.parts,
    ).toEqual([{ row: 0, text: expect.stringContaining('It costs 3 euros') }])
  })

  it('has the whole text if the main content is very short', () => {
    expect(
      ask({ fields: { a: source } }, { text: '<nav>Pens for 3 euros</nav><p>Hello</p>' }).question
        ?.parts[0]?.text,
    ).toContain('3 euros')
  })

  it('is absent for pages without a model, or of another label', () => {
    expect(ask({ fields: { a: 'h1' } }, { text: '<h1>Pen</h1>' })).not.toHaveProperty('question')
    const plan = compileRecipe(
      parseRecipe({
        start: START,
        follow: [{ links: 'a', as: 'pen' }],
        extract: { on: 'pen', fields: { a: source } },
      }),
    )
    expect(
      plan.process(
        {
          url: 'https://shop.example.com/',
          contentType: 'text/html',
          body: new TextEncoder().encode('<h1>Pen</h1>'),
        },
        { label: 'start', depth: 0, hop: 1 },
      ),
    ).toEqual({ rows: [], links: [], filled: {}, extracted: false })
  })
})
