import { describe, expect, test } from 'vitest'
import { ranOver } from '../../../src/engine/visit/page-too-costly.ts'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import type { Page } from '../../../src/ports/page-processor.ts'
import type { PageCut } from '../../../src/ports/page-limits.ts'
import type { DocumentText } from '../../../src/ports/document-reader.ts'
import { pageOf, runOn } from '../../support/worlds/page-run.ts'

// Proves that no bound leaves out a part of a page silently: the result names the bound and the
// place, and reports nothing for a page that just fits.

type Case = (more: number) => readonly [recipe: object, page: Page, cut: PageCut]

const many = (field: object): object => ({ extract: { fields: { a: { many: true, ...field } } } })
const cut = (what: string, limit: number, where = 'extract.fields.a'): PageCut => ({
  what,
  limit,
  where,
})
const times = (count: number, unit: string): string => unit.repeat(count)
const list = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, index) => index))
const pdf = (pages: number): DocumentText => ({
  title: null,
  author: null,
  date: null,
  language: null,
  pages,
  pagesRead: 500,
  text: 'a',
  texts: ['a'],
})

/** For each bound: a page with as much as the bound allows, and `more`. */
const bounds: Readonly<Record<string, Case>> = {
  'rows of elements': (more) => [
    { extract: { items: 'i', fields: { a: ':scope' } } },
    pageOf(times(50_000 + more, '<i>x</i>')),
    cut('rows', 50_000, 'extract.items'),
  ],
  'rows of a document': (more) => [
    { extract: { items: '$[*]', fields: { a: '$' } } },
    pageOf(list(50_000 + more), 'application/json'),
    cut('rows', 50_000, 'extract.items'),
  ],
  'values of elements': (more) => [
    many({ css: 'i' }),
    pageOf(times(10_000 + more, '<i>x</i>')),
    cut('values', 10_000),
  ],
  'values of an XPath': (more) => [
    many({ xpath: '//i' }),
    pageOf(times(10_000 + more, '<i>x</i>')),
    cut('values', 10_000),
  ],
  'values of a document': (more) => [
    many({ json: '$[*]' }),
    pageOf(list(10_000 + more), 'application/json'),
    cut('values', 10_000),
  ],
  'values of JSON in an element': (more) => [
    many({ css: 'script', json: '$[*]' }),
    pageOf(`<script>${list(10_000 + more)}</script>`),
    cut('values', 10_000),
  ],
  'matches of a pattern': (more) => [
    many({ regex: 'x' }),
    pageOf(times(10_000 + more, 'x'), 'text/plain'),
    cut('matches of a pattern', 10_000),
  ],
  'text that a pattern searches': (more) => [
    many({ regex: 'y' }),
    pageOf(times(100_000 + more, 'x'), 'text/plain'),
    cut('characters to search', 100_000),
  ],
  'text in which a pattern replaces': (more) => [
    many({ css: 'p', transform: [{ replace: { regex: 'y', with: 'z' } }] }),
    pageOf(`<p>${times(100_000 + more, 'x')}`),
    cut('characters to search', 100_000),
  ],
  'parts of a text': (more) => [
    { extract: { fields: { a: { css: 'p', transform: [{ split: ' ' }, { join: '-' }] } } } },
    pageOf(`<p>${times(9_999 + more, 'x ')}x`),
    cut('parts of a text', 10_000),
  ],
  'parts of several texts': (more) => [
    {
      extract: {
        fields: { a: { css: 'p', transform: [{ split: ' ' }, { split: ',' }, { join: '-' }] } },
      },
    },
    pageOf(`<p>${times(5_000 + more, 'x,y ')}`),
    cut('parts of a text', 10_000),
  ],
  'text that steps make': (more) => [
    { extract: { fields: { a: { css: 'p', transform: [{ replace: ['x', 'ab'] }] } } } },
    pageOf(`<p>${times(500_000 + more, 'x')}`),
    cut('characters of a text', 1_000_000),
  ],
  'text that is read for a date': (more) => [
    { extract: { fields: { a: { css: 'p', as: 'date' } } } },
    pageOf(`<p>${times(1_000 + more, 'x')}`),
    cut('characters to find a date in', 1_000),
  ],
  'text that is read for a number': (more) => [
    { extract: { fields: { a: { css: 'p', as: 'number' } } } },
    pageOf(`<p>${times(10_000 + more, 'x')}`),
    cut('characters to find a number in', 10_000),
  ],
  'nodes of a tree': (more) => [
    { extract: { fields: { a: 'title' } } },
    pageOf(`<title>a</title>${times(499_994 + more, '<i></i>')}`),
    cut('nodes', 500_000, 'page'),
  ],
  'levels of a tree': (more) => [
    { extract: { fields: { a: 'div' } } },
    pageOf(times(498 + more, '<div>')),
    cut('levels', 500, 'page'),
  ],
  'levels of XML': (more) => [
    { extract: { fields: { a: 'a' } } },
    pageOf(times(500 + more, '<a>'), 'text/xml'),
    cut('levels', 500, 'page'),
  ],
  'attributes of an element': (more) => [
    { extract: { fields: { a: { css: 'p', attr: 'b1' } } } },
    pageOf(`<p ${Array.from({ length: 1_000 + more }, (_, index) => `b${index}`).join(' ')}>`),
    cut('attributes of an element', 1_000, 'page'),
  ],
  'levels of JSON': (more) => [
    { extract: { fields: { a: '$' } } },
    pageOf(times(64 + more, '[') + times(64 + more, ']'), 'application/json'),
    cut('levels of JSON', 64),
  ],
  'blocks of JSON-LD': (more) => [
    many({ jsonld: '$.a' }),
    pageOf(times(100 + more, '<script type="application/ld+json">{"a":1}</script>')),
    cut('blocks of JSON-LD', 100, 'page'),
  ],
  'items of microdata': (more) => [
    many({ microdata: 'a' }),
    pageOf(times(5_000 + more, '<p itemscope>x</p>')),
    cut('items of microdata', 5_000, 'page'),
  ],
  'levels of microdata': (more) => [
    many({ microdata: 'a' }),
    pageOf(times(20 + more, '<div itemscope>')),
    cut('levels of microdata', 20, 'page'),
  ],
  'names of a property': (more) => [
    many({ microdata: 'n1' }),
    pageOf(
      `<div itemscope><p itemprop="${Array.from({ length: 20 + more }, (_, index) => `n${index}`).join(' ')}">x`,
    ),
    cut('names of a property or type', 20, 'page'),
  ],
  'cells of a table': (more) => [
    { extract: { fields: { a: '$[0].c1' } } },
    pageOf(
      times(20_000, `${times(99, 'x,')}x\n`) + times(more, 'x,x\n'),
      'text/csv; header=absent',
    ),
    cut('cells', 2_000_000, 'page'),
  ],
  'columns of a table': (more) => [
    { extract: { fields: { a: '$[0].c1' } } },
    pageOf(`${times(999 + more, 'x,')}x`, 'text/csv; header=absent'),
    cut('columns', 1_000, 'page'),
  ],
  'lines that are no JSON': (more) => [
    { extract: { fields: { a: '$[0]' } } },
    pageOf(`{}\n${times(more === 0 ? 999 : 1_000, 'x\n')}{}\n`, 'application/x-ndjson'),
    cut('lines that are not JSON', 1_000, 'page'),
  ],
  'pages of a document': (more) => [
    { extract: { fields: { a: '$.text' } } },
    pageOf('%PDF-1.7', 'application/pdf', { document: pdf(500 + more) }),
    cut('pages of a document', 500, 'page'),
  ],
  'pages of a document as text': (more) => [
    { formats: ['text'] },
    pageOf('%PDF-1.7', 'application/pdf', { document: pdf(500 + more) }),
    cut('pages of a document', 500, 'page'),
  ],
  'characters of a document': (more) => [
    { formats: ['markdown'] },
    pageOf('%PDF-1.7', 'application/pdf', {
      document: { ...pdf(500), ...(more > 0 && { cutAt: 1_000_000 }) },
    }),
    cut('characters of a document', 1_000_000, 'page'),
  ],
  'links that are followed': (more) => [
    { follow: [{ links: 'a' }], extract: { fields: { a: 'a' } } },
    pageOf(Array.from({ length: 10_000 + more }, (_, index) => `<a href=${index}>x</a>`).join('')),
    cut('links', 10_000, 'follow'),
  ],
  'links of a page': (more) => [
    { formats: ['links'] },
    pageOf(Array.from({ length: 10_000 + more }, (_, index) => `<a href=${index}>x</a>`).join('')),
    cut('links', 10_000, 'formats.links'),
  ],
  'texts of links in links': (more) => [
    { formats: ['links'] },
    pageOf(
      Array.from({ length: more === 0 ? 2 : 8 }, (_, index) => `<a href=${index}><table><td>`).join(
        '',
      ) + times(50_000, 'x'),
    ),
    cut('readings of the page for the texts of links', 3, 'formats.links'),
  ],
  'properties of one kind': (more) => [
    { formats: ['structured'] },
    pageOf(
      Array.from(
        { length: 500 + more },
        (_, index) => `<meta property="og:a${index}" content="x">`,
      ).join(''),
    ),
    cut('properties of one kind', 500, 'formats.structured'),
  ],
  'attributes of several bodies': (more) => [
    { extract: { fields: { a: { css: 'body', attr: 'b0' } } } },
    pageOf(
      `<body b0=x>${Array.from({ length: 1_000 + more }, (_, index) => `<body c${index}>`).join('')}`,
    ),
    cut('attributes of an element', 1_000, 'page'),
  ],
  'authors in JSON-LD': (more) => [
    { formats: ['metadata'] },
    pageOf(
      `<script type="application/ld+json">[${times(9_999 + more, '{"author":"A"},')}{"author":"A"}]</script>`,
    ),
    cut('matches of a JSONPath', 10_000, 'formats.metadata'),
  ],
  'a data: URL': (more) => [
    { extract: { fields: { a: { css: 'img', as: 'media' } } } },
    pageOf(`<img src="data:,${times(8 * 1024 * 1024 - 6 + more, 'x')}">`),
    cut('characters of a data: URL', 8 * 1024 * 1024),
  ],
  'characters of a srcset': (more) => [
    { extract: { fields: { a: { css: 'img', as: 'media' } } } },
    pageOf(`<img srcset="${times(100_000 + more, 'x')}">`),
    cut('characters of a srcset', 100_000),
  ],
  'candidates of a srcset': (more) => [
    { extract: { fields: { a: { css: 'img', attr: 'srcset', as: 'media' } } } },
    pageOf(`<img srcset="${times(99 + more, 'a 1x,')}b 2x,">`),
    cut('candidates of a srcset', 100),
  ],
}

describe('the result names the bound and the place of a cut', () => {
  test.each(Object.entries(bounds))('%s', async (_, make) => {
    const [fitting, page] = make(0)
    expect((await runOn(fitting, page)).cuts).toBeUndefined()
    const [recipe, larger, expected] = make(1)
    const { cuts, overrun } = await runOn(recipe, larger)
    expect([cuts, overrun]).toEqual([[expected], undefined])
  })

  test('a field that finds its value before the bound has lost nothing', async () => {
    const page = pageOf(`y${times(200_000, 'x')}`, 'text/plain')
    expect(
      (await runOn({ extract: { fields: { a: { regex: 'y' }, b: { regex: 'x' } } } }, page)).cuts,
    ).toBeUndefined()
    const elements = pageOf(times(10_001, '<i>1</i>'))
    expect(
      (
        await runOn(
          {
            extract: { fields: { a: { css: 'i', regex: '1' }, b: { xpath: '//i', as: 'number' } } },
          },
          elements,
        )
      ).cuts,
    ).toBeUndefined()
    const document = pageOf(list(60_000), 'application/json')
    expect(
      (
        await runOn(
          { extract: { fields: { a: '$[*]', b: { json: '$[*]', as: 'number' } } } },
          document,
        )
      ).cuts,
    ).toBeUndefined()
  })
})

describe('the reason of an outcome', () => {
  test('says what was cut and where, with each place once', async () => {
    const recipe = {
      extract: { fields: { a: { css: 'i', many: true }, b: { css: 'i', many: true } } },
    }
    const result = await runOn(recipe, pageOf(times(10_001, '<i>x</i>')))
    expect(ranOver(result)).toEqual({
      code: 'page_too_costly',
      message:
        'The page has more than 10,000 values at extract.fields.a, more than 10,000 values ' +
        'at extract.fields.b; the rest of these is left out',
    })
  })

  test('says both if the budget ended as well', async () => {
    const recipe = {
      extract: { fields: { a: { css: 'i', many: true }, b: { css: 'i', many: true } } },
    }
    const result = await runOn(
      recipe,
      pageOf(times(10_001, '<i>x</i>')),
      new PageBudget({ steps: 60_000_000, bytes: 300_000 }),
    )
    expect(ranOver(result)?.message).toBe(
      'The page used up its 300,000 bytes of results at extract.fields.b; values read ' +
        'before that are kept. The page has more than 10,000 values at extract.fields.a; the ' +
        'rest of these is left out',
    )
  })

  test('is absent if nothing was lost', async () => {
    expect(ranOver(await runOn({ extract: { fields: { a: 'i' } } }, pageOf('<i>x</i>')))).toBeNull()
  })

  test('names at most twenty places', () => {
    const budget = new PageBudget()
    for (let index = 0; index < 30; index++)
      budget.cut('values', 10_000, `extract.fields.f${index}`)
    for (let index = 0; index < 30; index++) budget.cut('values', 10_000, 'extract.fields.f0')
    expect(budget.losses.cuts).toHaveLength(20)
  })
})

describe('links may use a part of the budget', () => {
  const page = pageOf(`${times(450, '<div>')}${times(20_000, '<p>x</p>')}`)

  test('so rules that cost too much do not shorten the rows', async () => {
    const recipe = {
      follow: Array.from({ length: 10 }, () => ({ links: '*' })),
      extract: { items: 'p', fields: { a: ':scope' } },
    }
    const { rows, overrun, cuts } = await runOn(recipe, page)
    expect([rows.length, overrun]).toEqual([20_000, undefined])
    expect(cuts).toEqual([{ what: 'steps of work', limit: expect.any(Number), where: 'follow' }])
  })

  test('but not more: the rest is for the rows', () => {
    const budget = new PageBudget({ steps: 1_000, bytes: 1_000 })
    expect(budget.attemptWithin(0.25, 'follow', () => budget.work(251), undefined)).toBeUndefined()
    expect(budget.losses).toEqual({
      cuts: [{ what: 'steps of work', limit: 250, where: 'follow' }],
    })
    budget.work(750)
    expect(() => budget.work(1)).toThrow('1,000 steps of work')
  })

  test('and what they do not use is for the rows', () => {
    const budget = new PageBudget({ steps: 1_000, bytes: 1_000 })
    budget.attemptWithin(0.25, 'follow', () => budget.work(100), undefined)
    budget.work(900)
    expect(budget.losses).toEqual({})
  })
})
