import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentOf } from '../../../adapters/command/backup/backup.ts'
import {
  amountOf,
  displayText,
  displayWidth,
  fitText,
} from '../../../adapters/command/display-text.ts'
import { formatTable } from '../../../adapters/command/table.ts'
import { codePoint } from '../../support/any-text.ts'

test('a single thing has no plural', () => {
  expect([0, 1, 2].map((amount) => amountOf(amount, 'row'))).toEqual(['0 rows', '1 row', '2 rows'])
  expect(contentOf({ records: 107, blobs: 1 })).toBe('107 records and 1 blob')
  expect(contentOf({ records: 1, blobs: 0 })).toBe('1 record and 0 blobs')
})

describe('formatTable', () => {
  test('aligns columns, and numbers to the right', () => {
    const rows = [
      { name: 'Brush pen', price: 9.5 },
      { name: 'Lamp', price: 120 },
      { name: 'Tray', price: null },
    ]
    expect(formatTable({ columns: ['name', 'price'], rows, width: 80 })).toBe(
      [
        'name       price',
        '─────────  ─────',
        'Brush pen    9.5',
        'Lamp         120',
        'Tray',
        '',
      ].join('\n'),
    )
  })

  test('cuts the widest column with an ellipsis and keeps the narrow ones', () => {
    const rows = [{ sku: 'NB-100', text: 'a'.repeat(100), more: 'b'.repeat(100) }]
    const [, , row] = formatTable({ columns: ['sku', 'text', 'more'], rows, width: 40 }).split('\n')
    expect(row).toBe(`NB-100  ${'a'.repeat(14)}…  ${'b'.repeat(14)}…`)
  })

  test('gives addresses less room than text', () => {
    const rows = [{ url: `https://shop.example/${'a'.repeat(60)}`, text: 'b'.repeat(60) }]
    const [, , row] = formatTable({ columns: ['url', 'text'], rows, width: 100 }).split('\n')
    expect(row).toBe(`https://shop.example/${'a'.repeat(10)}…  ${'b'.repeat(60)}`)
  })

  test('never cuts a column whose values are typed again', () => {
    const id = `exec_${'0'.repeat(26)}`
    const rows = [{ id, task: 'a'.repeat(31), note: 'b'.repeat(40) }]
    const columns = ['id', 'task', 'note']
    const lines = formatTable({ columns, rows, width: 60, whole: ['id'] }).split('\n')
    expect(lines[2]).toContain(`${id}  a`)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60)
    expect(formatTable({ columns, rows, width: 60 })).not.toContain(id)
  })

  test('names the columns that do not fit', () => {
    const columns = ['first one', 'second one', 'third one', 'fourth one']
    const text = formatTable({
      columns,
      rows: [Object.fromEntries(columns.map((column) => [column, 'x'.repeat(20)]))],
      width: 20,
    })
    expect(text).toContain('(and third one, fou…')
    expect(text.split('\n').every((line) => displayWidth(line) <= 20)).toBe(true)
  })

  test('counts wide characters as two and combining marks as none', () => {
    const rows = [
      { a: '日本語', b: 'x' },
      { a: 'e\u0301té', b: 'y' },
      { a: '👩‍👩‍👧', b: 'z' },
    ]
    expect(
      formatTable({ columns: ['a', 'b'], rows, width: 40 })
        .split('\n')
        .slice(2, 5),
    ).toEqual(['日本語  x', 'e\u0301té     y', '👩‍👩‍👧      z'])
  })

  test('shows nested values as JSON, and absent values as empty cells', () => {
    const rows = [{ tags: ['a', 'b'], at: { x: 1 } }, {}]
    expect(formatTable({ columns: ['tags', 'at'], rows, width: 60 }).split('\n')[2]).toBe(
      '["a","b"]  {"x":1}',
    )
  })

  test('returns no table for rows without columns', () => {
    expect(formatTable({ columns: [], rows: [{}], width: 80 })).toBe('')
  })

  test('is never wider than the terminal and never passes a control character on', () => {
    const cell = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.double(),
      fc.constant(null),
      fc.array(fc.string()),
    )
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: codePoint, minLength: 1, maxLength: 12 }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.array(fc.array(cell), { maxLength: 5 }),
        fc.integer({ min: 20, max: 120 }),
        (columns, values, width) => {
          const rows = values.map((row) =>
            Object.fromEntries(columns.map((column, i) => [column, row[i]])),
          )
          const lines = formatTable({ columns, rows, width }).split('\n')
          expect(lines.every((line) => displayWidth(line) <= width)).toBe(true)
          expect(lines.join('')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
        },
      ),
    )
  })
})

describe('displayText', () => {
  test('makes control sequences of a page harmless for a terminal', () => {
    expect(displayText('\x1b[2J\x1b]0;owned\x07 done\r\nnext\u202Eevil')).toBe(
      '\ufffd[2J\ufffd]0;owned\ufffd done next\ufffdevil',
    )
  })

  test('leaves ordinary text of any script unchanged', () => {
    expect(displayText('  Łódź — “naïve” 東京 ')).toBe('Łódź — “naïve” 東京')
  })
})

test('fitText cuts between characters, also between wide ones', () => {
  expect(fitText('日本語', 6)).toBe('日本語')
  expect(fitText('日本語', 5)).toBe('日本…')
  expect(fitText('日本語', 4)).toBe('日…')
  expect(fitText('abc', 1)).toBe('…')
})
