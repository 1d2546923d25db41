import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { readCsv as readWith } from '../../../../src/engine/extract/document/read-csv.ts'
import type { CsvOptions } from '../../../../src/engine/extract/document/read-csv.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { csvFormat } from '../../../../src/engine/export/formats.ts'
import { looksLikeFormula, cellText } from '../../../../src/engine/export/cells.ts'
import { writeRows } from '../../../../src/engine/export/row-source.ts'
import type { Json } from '../../../../src/kernel/json.ts'
import { cpuMs } from '../../../support/cpu-ms.ts'
import { batches, columnsOf, hostileTable, textOf } from '../../export/written.ts'

/** Header and cells, as lists. */
const readCsv = (text: string, options?: CsvOptions) => readWith(text, new PageBudget(), options)

const grid = (text: string, options?: CsvOptions): Json[][] => {
  const rows = readCsv(text, options)
  return [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
}

describe('records', () => {
  it.each<[string, string, Json[][]]>([
    [
      'lines of any kind',
      'a,b\r\n1,2\n3,4\r5,6',
      [
        ['a', 'b'],
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
      ],
    ],
    [
      'blank lines, and an end of the last line or none',
      'a,b\n\n1,2\n\r\n\n3,4\n',
      [
        ['a', 'b'],
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'quotes, line breaks and delimiters in them',
      'a,b\n"1, one","said ""two""\r\nand more"\n',
      [
        ['a', 'b'],
        ['1, one', 'said "two"\r\nand more'],
      ],
    ],
    [
      'spaces as they stand, but for those around quotes',
      'a,b\n 1 , "2, two" \n',
      [
        ['a', 'b'],
        [' 1 ', '2, two'],
      ],
    ],
    [
      'empty cells as null, in quotes or not',
      'a,b,c\n,"",x\n',
      [
        ['a', 'b', 'c'],
        [null, null, 'x'],
      ],
    ],
    ['a record of one empty cell in quotes', 'a\nx\n""\ny\n', [['a'], ['x'], [null], ['y']]],
    [
      'what follows a closing quote',
      'a,b\n"one"two,x"y"z\n',
      [
        ['a', 'b'],
        ['onetwo', 'x"y"z'],
      ],
    ],
    [
      'a quote that is never closed',
      'a,b\n"one,two\nthree,four\n',
      [
        ['a', 'b'],
        ['"one', 'two'],
        ['three', 'four'],
      ],
    ],
    [
      'a quote that is never closed, and pairs after it',
      'a,b\n"one,""\n""two"",x\n',
      [
        ['a', 'b'],
        ['"one', null],
        ['two""', 'x'],
      ],
    ],
    [
      'missing cells',
      'a,b,c\n1\n1,2\n',
      [
        ['a', 'b', 'c'],
        ['1', null, null],
        ['1', '2', null],
      ],
    ],
    ['nothing', '', [[]]],
    ['a header alone', 'a,b\n', [[]]],
  ])('%s', (_, text, expected) => expect(grid(text)).toEqual(expected))

  it('keep cells beyond the header', () => {
    expect(readCsv('a,b\n1,2,3,4\n5,6\n')).toEqual([
      { a: '1', b: '2', c3: '3', c4: '4' },
      { a: '5', b: '6' },
    ])
  })
})

describe('delimiters', () => {
  it.each([
    ['semicolons, and commas in numbers', 'name;price\npen;1,50\ncup;2,75\n', ['name', 'price']],
    ['tabs', 'name\tprice\npen, blue\t1,50\n', ['name', 'price']],
    ['bars', 'name|price\npen; blue|1,50\n', ['name', 'price']],
    ['commas, and a list in a cell', 'name,tags\npen,blue;thin\ncup,red;large\n', ['name', 'tags']],
    [
      'a delimiter within quotes only',
      'name,note\n"a;b;c","d;e;f"\n"g;h;i","j;k;l"\n',
      ['name', 'note'],
    ],
    ['none', 'name\npen\ncup\n', ['name']],
    [
      'the one of a line "sep=" for Excel',
      'sep=:\r\nname:price\r\npen:1,50\r\n',
      ['name', 'price'],
    ],
  ])('%s', (_, text, columns) => expect(grid(text)[0]).toEqual(columns))

  it('are the stated ones', () =>
    expect(grid('a;b\tc\n1;2\t3\n', { delimiter: '\t' })).toEqual([
      ['a;b', 'c'],
      ['1;2', '3'],
    ]))
})

describe('names of columns', () => {
  it.each<[string, string, string[]]>([
    ['each once', 'a,a,b,a\n1,2,3,4\n', ['a', 'a_2', 'b', 'a_3']],
    [
      'each is unique, also the generated ones',
      'a_2,a,a,c5,\n1,2,3,4,5\n',
      ['a_2', 'a', 'a_3', 'c5', 'c5_2'],
    ],
    ['without spaces around', ' name ,"unit\nprice"\nx,1\n', ['name', 'unit price']],
    ['a numbered name for an empty cell', ',b,\nx,y,z\n', ['c1', 'b', 'c3']],
    [
      'of members that every object has',
      '__proto__,constructor,toString\nx,y,z\n',
      ['c1', 'constructor', 'toString'],
    ],
    [
      'none: the first record has an address',
      'https://a.example/1,one\nhttps://a.example/2,two\n',
      ['c1', 'c2'],
    ],
    ['none: the first record has a number', 'pen,1.50\ncup,2\n', ['c1', 'c2']],
    ['none: the first record has a date', '2026-01-05,pen\n2026-01-06,cup\n', ['c1', 'c2']],
    [
      'days above amounts',
      'Account,31.12.2025,2024-12-31\nCash,"1.200,50",-900\n',
      ['Account', '31.12.2025', '2024-12-31'],
    ],
    ['none: a day above a year', 'pen,2026-01-05\ncup,2025\n', ['c1', 'c2']],
    ['none: all of a column are years', 'pen,1999\ncup,2001\n', ['c1', 'c2']],
  ])('%s', (_, text, columns) => expect(grid(text)[0]).toEqual(columns))

  it('may be years above other values', () =>
    expect(readCsv('country,1990,1991\nA,3,4\n')).toEqual([{ country: 'A', 1990: '3', 1991: '4' }]))

  it('are read from the first line or not, if the recipe says which', () => {
    expect(grid('1,2\n3,4\n', { header: true })).toEqual([
      ['1', '2'],
      ['3', '4'],
    ])
    expect(grid('a,b\nc,d\n', { header: false })).toEqual([
      ['c1', 'c2'],
      ['a', 'b'],
      ['c', 'd'],
    ])
  })

  it('do not change the prototype of an object', () => {
    const [row] = readCsv('__proto__,x\n{},1\n', { header: true })
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('x')
  })
})

test('a file of the CSV export is read back', async () => {
  const shown = (value: Json | undefined): Json => {
    const text = cellText(value ?? null)
    return (
      (typeof value === 'string' && looksLikeFormula(text) ? `'${text}` : text).toWellFormed() ||
      null
    )
  }
  await fc.assert(
    fc.asyncProperty(hostileTable, async ({ names, rows }) => {
      const text = await textOf(writeRows(csvFormat, batches([rows]), columnsOf(names)))
      // Compared by position, as names of columns are cleaned.
      const [head, ...body] = readCsv(text, { delimiter: ',', header: false }).map((row) =>
        names.map((_, index) => row[`c${index + 1}`] ?? null),
      )
      expect(head).toEqual(names.map(shown))
      expect(body).toEqual(rows.map((row) => names.map((name) => shown(row[name]))))
    }),
    { numRuns: 300 },
  )
})

describe('time and memory for a hostile file grow in proportion to its size', () => {
  const size = 1_000_000
  const filled = (part: string): string => part.repeat(Math.ceil(size / part.length))
  it.each([
    ['quotes', filled('"')],
    ['quotes in cells', filled('"a')],
    ['quotes before many spaces', `${filled('"a').slice(0, size / 2)}${' '.repeat(size / 2)},x`],
    ['spaces and quotes', filled(' "')],
    ['quotes at the beginning of lines', filled('\n"')],
    ['pairs of quotes', filled('""",')],
    ['quotes that are closed late', filled('a,"')],
    ['delimiters', filled(',')],
    ['every delimiter', filled(',;\t|')],
    ['line ends', filled('\r')],
    ['spaces', filled(' ')],
    ['short records below a long header', `${filled('x,').slice(0, 2_000)}\n${filled('1\n')}`],
    ['one name', `${filled('a,').slice(0, 2_000)}\n1`],
    [
      'names that are taken',
      `${Array.from({ length: 900 }, (_, index) => `a_${index}`).join()}${',a'.repeat(90)}\n1`,
    ],
    ['one cell', filled('a')],
    ['zeroes', filled('\0')],
    ['digits and points', `${filled('1.')}\n2`],
    ['lone surrogates', filled('\ud800,')],
  ])('%s', (_, text) => {
    const begin = cpuMs()
    const rows = readCsv(text)
    expect(cpuMs() - begin).toBeLessThan(3_000)
    expect(rows.reduce((sum, row) => sum + Object.keys(row).length, 0)).toBeLessThanOrEqual(
      2_000_000,
    )
  })

  it('any text gives rows of texts that occur in it', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(
            '"',
            '"',
            ',',
            ';',
            '\n',
            '\r',
            ' ',
            'a',
            '1',
            '\t',
            '|',
            'sep=',
            '__proto__',
          ),
          maxLength: 200,
        }),
        (text) => {
          const values = readCsv(text)
            .flatMap((row) => Object.values(row))
            .filter((value) => value !== null)
          expect(values.every((value) => typeof value === 'string' && value !== '')).toBe(true)
          expect(values.join('').length).toBeLessThanOrEqual(text.length)
        },
      ),
    )
  })

  it('without quotes every line that is not blank is a record', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom(',', 'a', ' ', '1'), maxLength: 12 })),
        fc.constantFrom('\n', '\r\n', '\r'),
        (lines, end) => {
          expect(readCsv(lines.join(end), { delimiter: ',', header: false })).toHaveLength(
            lines.filter((line) => line !== '').length,
          )
        },
      ),
    )
  })
})
