import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvFormat } from '../../../src/engine/export/formats.ts'
import { writeRows } from '../../../src/engine/export/row-source.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import { parseCsv } from '../../support/parse-csv.ts'
import { batches, columnsOf, hostileTable, textOf } from './written.ts'

const csv = (rows: readonly Row[], columns: readonly string[]) =>
  textOf(writeRows(csvFormat, batches([rows]), columnsOf(columns)))

const isPlainNumber = (text: string) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)
/** Reads character by character, so it is independent of the code that it checks. */
const isFormula = (text: string) => {
  if ('\t\r\n'.includes(text[0] ?? 'x')) return true
  const first = [...text].find((one) => !/[\s\p{Cc}\p{Cf}]/u.test(one)) ?? 'x'
  return '=+-@＝＋－＠'.includes(first) && !isPlainNumber(text.trim())
}
const shown = (value: Json): string => {
  const text =
    value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  return isFormula(text) ? `'${text}` : text
}

describe('CSV', () => {
  it('can be read back, whatever the cells hold', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTable, async ({ names, rows }) => {
        const read = [
          names.map(shown),
          ...rows.map((row) => names.map((name) => shown(row[name] ?? null))),
        ]
        expect(parseCsv(await csv(rows, names))).toEqual(
          read.map((cells) => cells.map((cell) => cell.toWellFormed())),
        )
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['=1+1', "'=1+1"],
    ['+49 171', "'+49 171"],
    ['-cmd', "'-cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', '"\'\tx"'],
    ['\rx', '"\'\rx"'],
    ['\nx', '"\'\nx"'],
    ['\n=1+1', '"\'\n=1+1"'],
    [' =1+1', "' =1+1"],
    ['\u00a0=1+1', "'\u00a0=1+1"],
    ['\ufeff@x', "'\ufeff@x"],
    ['\u200b+x', "'\u200b+x"],
    ['\u0001 \u000b-x', "'\u0001 \u000b-x"],
    ['＝1+1', "'＝1+1"],
    ['＋1+1', "'＋1+1"],
    ['－1+1', "'－1+1"],
    ['＠x', "'＠x"],
    [' -5 ', ' -5 '],
    [' x=1', ' x=1'],
    ['\u200bx', '\u200bx'],
    ['a;=1+1', '"a;=1+1"'],
    ['a\t=1+1', '"a\t=1+1"'],
    ['-12.5', '-12.5'],
    ['+1e3', '+1e3'],
    ['-', "'-"],
    ['a=b', 'a=b'],
    [-3, '-3'],
    [true, 'true'],
    [null, ''],
    [['a', 1], '"[""a"",1]"'],
    [{ by: 'Ann' }, '"{""by"":""Ann""}"'],
  ])('writes %j as %j', async (value, cell) => {
    expect(await csv([{ a: value, b: 1 }], ['a', 'b'])).toBe(`a,b\r\n${cell},1\r\n`)
  })

  it('puts an apostrophe before names of columns as well, also after a byte order mark', async () => {
    const names = ['=a', '\ufeff=b', '\n@c', '\ufeffd', 'e;f']
    expect(await csv([], names)).toBe(`'=a,'\ufeff=b,"'\n@c","\ufeffd","e;f"\r\n`)
  })

  it('writes columns in their order, empty cells for absent values, and no inherited properties', async () => {
    expect(await csv([{ b: 1 }, { a: 2, c: 3 }], ['a', 'b', 'constructor'])).toBe(
      'a,b,constructor\r\n,1,\r\n2,,\r\n',
    )
  })

  it('writes a row of one empty cell as a row', async () => {
    expect(await csv([{ a: null }, { a: '' }], ['a'])).toBe('a\r\n""\r\n""\r\n')
  })
})
