import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import type { Column } from '../../../src/ports/row-work.ts'
import { parquetFormat } from '../../../src/engine/export/formats.ts'
import { writeRows } from '../../../src/engine/export/row-source.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import { batches, bytesOf, columnsOf, hostileTable, inferColumns } from './written.ts'

const parquet = async (rows: readonly Row[], columns: readonly Column[]) =>
  (await bytesOf(writeRows(parquetFormat, batches([rows]), columns))).buffer
const read = async (file: ArrayBuffer): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file })
/** The reader drops a byte order mark at the start of a text. */
const withoutMark = (text: string) => text.toWellFormed().replace(/^\ufeff/, '')

const wellFormed = (value: Json): Json => {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(wellFormed)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)]),
  )
}

/** The form in which the reader gives a value of a column type: 64-bit integers are bigints. */
function expected(value: Json, type: Column['type']): unknown {
  if (value === null) return null
  if (type === 'integer') return BigInt(Number(value))
  return type === 'json'
    ? wellFormed(value)
    : typeof value === 'string'
      ? withoutMark(value)
      : value
}

describe('Parquet', () => {
  it('can be read back with its types, whatever columns and values are', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTable, async ({ names, rows }) => {
        fc.pre(new Set(names.map(withoutMark)).size === names.length)
        const columns = await inferColumns(batches([rows]), columnsOf(names))
        const file = await parquet(rows, columns)
        expect(
          parquetMetadata(file)
            .schema.slice(1)
            .map(({ name, repetition_type }) => [name, repetition_type]),
        ).toEqual(names.map((name) => [withoutMark(name), 'OPTIONAL']))
        const plain = (await read(file)).map((row) => names.map((name) => row[withoutMark(name)]))
        // A Parquet file has two zeros, while JSON has one.
        expect(plain).toEqual(
          rows.map((row) =>
            columns.map(({ name, type }) =>
              expected(
                type === 'json'
                  ? JSON.parse(JSON.stringify(row[name] ?? null))
                  : (row[name] ?? null),
                type,
              ),
            ),
          ),
        )
      }),
      { numRuns: 200 },
    )
  })

  it('has a kind of column for each type', async () => {
    const types = {
      t: 'text',
      u: 'url',
      n: 'number',
      i: 'integer',
      b: 'boolean',
      d: 'date',
      j: 'json',
    } as const
    const rows: Row[] = [
      {
        t: 'é😀',
        u: 'https://a.example/',
        n: 0.1,
        i: 9_007_199_254_740_991,
        b: true,
        d: '2026-01-05T14:30:00+02:00',
        j: { a: [1] },
      },
      { t: 5, u: null, n: 3, i: -1, b: false, d: '2026-01-05', j: 'x' },
      { d: '1066-10-14T09:00:00' },
    ]
    const file = await parquet(rows, columnsOf(Object.keys(types), types))
    expect(
      parquetMetadata(file)
        .schema.slice(1)
        .map(({ type, converted_type, logical_type }) => [
          type,
          converted_type ?? logical_type?.type,
        ]),
    ).toEqual([
      ['BYTE_ARRAY', 'UTF8'],
      ['BYTE_ARRAY', 'UTF8'],
      ['DOUBLE', undefined],
      ['INT64', undefined],
      ['BOOLEAN', undefined],
      ['INT64', 'TIMESTAMP'],
      ['BYTE_ARRAY', 'JSON'],
    ])
    expect(await read(file)).toEqual([
      {
        t: 'é😀',
        u: 'https://a.example/',
        n: 0.1,
        i: 9_007_199_254_740_991n,
        b: true,
        d: new Date('2026-01-05T12:30:00Z'),
        j: { a: [1] },
      },
      { t: '5', u: null, n: 3, i: -1n, b: false, d: new Date('2026-01-05T00:00:00Z'), j: 'x' },
      { t: null, u: null, n: null, i: null, b: null, d: new Date('1066-10-14T09:00:00Z'), j: null },
    ])
  })

  it('has row groups of bounded size, with minimum and maximum for numbers only', async () => {
    const rows = Array.from({ length: 120_000 }, (_, i): Row => ({
      n: i,
      t: i % 2 === 0 ? 'even' : null,
    }))
    const file = await parquet(rows, columnsOf(['n', 't'], { n: 'number', t: 'text' }))
    const { row_groups: groups } = parquetMetadata(file)
    expect(groups.map(({ num_rows }) => num_rows)).toEqual(
      Array.from({ length: 12 }, () => 10_000n),
    )
    expect(groups[1]?.columns.map(({ meta_data }) => meta_data?.statistics?.max_value)).toEqual([
      19_999,
      undefined,
    ])
    const all = await read(file)
    expect([all.length, all[77_777], all[119_998]]).toEqual([
      120_000,
      { n: 77_777, t: null },
      { n: 119_998, t: 'even' },
    ])
    const long = await parquet(
      Array.from({ length: 30 }, (): Row => ({ t: 'x'.repeat(1_000_000) })),
      columnsOf(['t'], { t: 'text' }),
    )
    expect(parquetMetadata(long).row_groups.length).toBe(8)
  })

  it('of no rows is a file with its columns', async () => {
    const file = await parquet([], columnsOf(['a'], { a: 'number' }))
    expect([parquetMetadata(file).num_rows, await read(file)]).toEqual([0n, []])
  })

  it.each([
    ['number', 'x'],
    ['integer', 1.5],
    ['boolean', 1],
    ['date', 'tomorrow'],
  ] as const)('fails rather than lose a value that is no %s', async (type, value) => {
    await expect(parquet([{ a: value }], columnsOf(['a'], { a: type }))).rejects.toThrow(
      `in the column "a", which holds values of type ${type}`,
    )
  })
})
