import { describe, expect, test } from 'vitest'
import { detect } from '../../../../src/engine.ts'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../../src/engine/recipe/parse-recipe.ts'
import { guessLanguage } from '../../../../src/engine/extract/value/guess-language.ts'
import type { PageResult } from '../../../../src/ports/page-processor.ts'

const ENGLISH =
  'The lamps of this shop are made for you by hand. They come with a cord, and not from a factory. ' +
  'Have you seen the lamp that was made for the house of the queen? We have it on this page.'
const GERMAN =
  'Die Lampen von diesem Laden sind für Sie von Hand gemacht. Der Versand ist für Sie nicht teuer, und ' +
  'wir sind auch für das Glas auf dem Land da. Die Kabel und der Sockel werden mit einem Knoten gemacht.'
const ITALIAN =
  'Le lampade di questo negozio sono per la casa e non per il giardino. Il cavo della lampada è con ' +
  'il nodo e non con una vite. Per la spedizione nel paese, il prezzo della lampada non è più alto.'

const pageOf = (html: string, lang = '') => ({
  url: 'https://shop.example.com/',
  contentType: 'text/html; charset=utf-8',
  body: new TextEncoder().encode(`<!doctype html><html${lang && ` lang="${lang}"`}>${html}`),
})

/** The rows of a recipe on a list with two columns. */
function read(rows: readonly (readonly [string, string])[], rest = '', lang = ''): PageResult {
  const plan = compileRecipe(
    parseRecipe({
      start: { urls: ['https://shop.example.com/'] },
      extract: {
        items: 'li',
        fields: { name: 'u', a: { css: 'b', as: 'number' }, b: { css: 'i', as: 'number' } },
      },
    }),
  )
  const items = rows.map(([a, b]) => `<li><u>x</u><b>${a}</b><i>${b}</i>`).join('')
  return plan.process(pageOf(`<ul>${items}</ul><p>${rest}</p>`, lang), {
    label: 'start',
    depth: 0,
    hop: 1,
  })
}

const columnA = ({ rows }: PageResult) => rows.map(({ a }) => a)

describe('a number with two possible readings', () => {
  test('is null if nothing on the page decides, and the page reports that', () => {
    const result = read([
      ['12.345', '1'],
      ['1,234', '2'],
      ['7', '3'],
    ])
    expect(columnA(result)).toEqual([null, null, 7])
    expect(result.unclear).toEqual([{ where: 'extract.fields.a', text: '12.345' }])
  })

  test.for<readonly [string, string, number]>([
    ['1.234,50', '12.345', 12345],
    ['12,5', '12.345', 12345],
    ['2.345.678', '12.345', 12345],
    ['€ 2.400', '12.345', 12345],
    ['12.5', '12.345', 12.345],
    ['1,234.50', '12.345', 12.345],
    ['12.5', '12,345', 12345],
    ['12,5', '12,345', 12.345],
    ["1'234.5", '12,345', 12345],
  ])(
    'is read as %s of its column says: %s is %d, also in an earlier row',
    ([beside, text, value]) => {
      for (const rows of [
        [beside, text],
        [text, beside],
      ])
        expect(columnA(read(rows.map((a) => [a, '1'])))).toContain(value)
    },
  )

  test('is null if its column shows both decimal signs', () => {
    const result = read([
      ['12.5', '1'],
      ['12,5', '1'],
      ['12.345', '1.5'],
    ])
    expect(columnA(result)).toEqual([12.5, 12.5, null])
  })

  test('is read by its column rather than by a wrong language of the page', () => {
    const rows = [
      ['12.345', '1'],
      ['1.234,50', '1'],
    ] as const
    expect(columnA(read(rows, '', 'en'))).toEqual([12345, 1234.5])
  })

  test('is read by the language rather than by other columns', () => {
    const rows = [
      ['12.345', '4.5'],
      ['1', '4.7'],
    ] as const
    expect(columnA(read(rows, '', 'de'))).toEqual([12345, 1])
    expect(columnA(read(rows))).toEqual([12.345, 1])
  })

  test.for<readonly [string, number | null, string?]>([
    ['A kilo costs 1.234,50', 12345],
    ['It costs € 12,50 each', 12345],
    ['It is 12.5 kg', 12.345],
    ['Version 1.25 of 12.05.2024 from 10.1.2.3', null],
    ['It costs € 12,50 or $ 12.50', null],
    ['English', 12.345, ENGLISH],
    ['German', 12345, GERMAN],
    ['Italian', 12345, ITALIAN],
    ['The lamp of the shop', null],
    ['English and German', null, `${ENGLISH} ${GERMAN}`],
  ])('is read by the rest of the page: %s', ([name, value, rest = name]) =>
    expect(columnA(read([['12.345', '1']], rest))).toEqual([value]),
  )

  test('is not guessed in a language with several ways to write numbers', () => {
    const spanish =
      'Las lámparas de la tienda se hacen a mano en el taller y no en una fábrica. El cable es de un ' +
      'color para la casa y los hilos son para el jardín. Con la compra de una lámpara se da un libro.'
    expect(guessLanguage(spanish)).toBeNull()
    expect(columnA(read([['12.345', '1']], spanish))).toEqual([null])
  })

  test('is certain in a script with signs of its own', () => {
    expect(columnA(read([['١٢٬٣٤٥', '1']]))).toEqual([12345])
    expect(columnA(read([['１２，３４５', '1']]))).toEqual([12345])
  })
})

test('a number in data for machines has a point before its fraction', () => {
  const plan = compileRecipe(
    parseRecipe({
      start: { urls: ['https://shop.example.com/'] },
      extract: {
        fields: {
          point: { css: 'b', attr: 'data-x', as: 'number' },
          comma: { css: 'i', attr: 'data-x', as: 'number' },
        },
      },
    }),
  )
  const rowOf = (lang: string) =>
    plan.process(pageOf('<b data-x="2.400"></b><i data-x="2,400"></i>', lang), {
      label: 'start',
      depth: 0,
      hop: 1,
    }).rows[0]
  expect(rowOf('')).toEqual({ point: 2.4, comma: null })
  expect(rowOf('en')).toEqual({ point: 2.4, comma: 2400 })
  expect(rowOf('de')).toEqual({ point: 2.4, comma: 2.4 })
})

describe('detection', () => {
  const table = (cells: readonly (readonly string[])[]): string =>
    `<table><tr><th>Line</th><th>Riders</th><th>Share</th></tr>${cells
      .map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
      .join('')}</table>`
  const fieldsOf = (cells: readonly (readonly string[])[], lang = '') =>
    detect(pageOf(table(cells), lang)).extract.fields

  test('writes the decimal sign of a table into the recipe, for pages that do not show it', () => {
    const cells = [
      ['North', '412,300', '1.2'],
      ['South', '288,950', '4.5'],
    ]
    expect(fieldsOf(cells)).toMatchObject({
      riders: { cell: 'Riders', as: { number: { decimal: '.' } } },
      share: { cell: 'Share', as: 'number' },
    })
    expect(fieldsOf(cells, 'en')).toMatchObject({ riders: { as: 'number' } })
  })

  test('leaves a column as text if its numbers can be read in two ways', () => {
    expect(
      fieldsOf([
        ['North', '412,300', '1'],
        ['South', '288,950', '4'],
      ]),
    ).toMatchObject({ riders: { cell: 'Riders' }, share: { as: 'number' } })
    expect(
      fieldsOf([
        ['North', '412,300', '1'],
        ['South', '288,950', '4'],
      ])['riders'],
    ).not.toHaveProperty('as')
  })

  test('reads grouped numbers in a column of counts, and leaves grades as they are', () => {
    const of = (heading: string) =>
      detect(
        pageOf(
          table([
            ['North', '3.875', '1'],
            ['South', '4', '4'],
            ['West', '2.750', '7'],
          ]).replace('Riders', heading),
        ),
      ).extract.fields
    for (const heading of ['Views', 'Number of downloads', 'Antworten'])
      expect(Object.values(of(heading) ?? {})[1]).toMatchObject({
        as: { number: { decimal: ',' } },
      })
    for (const heading of ['GPA', 'Rating', 'Visitors (million)'])
      expect(Object.values(of(heading) ?? {})[1]).not.toHaveProperty('as')
  })
})
