import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExportColumnType } from '../../src/ports/row-work.ts'
import type { Json, Row } from '../../src/kernel/json.ts'
import { hostileTable } from '../engine/export/written.ts'
import { AWKWARD, NAMES, TYPES, fileOf } from './files.ts'

describe('DuckDB', () => {
  let folder: string
  let instance: DuckDBInstance
  let database: DuckDBConnection
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seine-duckdb-'))
    instance = await DuckDBInstance.create(':memory:')
    database = await instance.connect()
    // No value may depend on the time zone.
    await database.run("set timezone = 'Asia/Tokyo'")
  })
  afterAll(async () => {
    database.closeSync()
    instance.closeSync()
    await rm(folder, { recursive: true, force: true })
  })
  const query = async (sql: string) => (await database.runAndReadAll(sql)).getRowsJson()
  const parquetOf = async (
    rows: readonly Row[],
    names: readonly string[],
    types?: Readonly<Record<string, ExportColumnType>>,
  ) => {
    const path = join(folder, 'rows.parquet')
    await writeFile(path, await fileOf('parquet', rows, names, types))
    return path
  }

  it('reads the types of columns', async () => {
    const path = await parquetOf(
      [{ t: 'x', u: 'https://a.example/', n: 0.1, i: 2, b: true, d: '2026-01-05', j: [1] }],
      ['t', 'u', 'n', 'i', 'b', 'd', 'j'],
      { t: 'text', u: 'url', n: 'number', i: 'integer', b: 'boolean', d: 'date', j: 'json' },
    )
    expect(
      (await query(`describe select * from '${path}'`)).map(([name, type]) => [name, type]),
    ).toEqual([
      ['t', 'VARCHAR'],
      ['u', 'VARCHAR'],
      ['n', 'DOUBLE'],
      ['i', 'BIGINT'],
      ['b', 'BOOLEAN'],
      ['d', 'TIMESTAMP'],
      ['j', 'JSON'],
    ])
    expect(await query(`select j->>0, i + 1, year(d) from '${path}'`)).toEqual([['1', '3', '2026']])
  })

  it('reads unusual values unchanged', async () => {
    const path = await parquetOf(AWKWARD, NAMES, TYPES)
    expect(await query(`select text, number, epoch_ms(date)::double, flag from '${path}'`)).toEqual(
      AWKWARD.map(({ text, number, date, flag }) => [
        text,
        number,
        typeof date === 'string'
          ? Date.parse(date.length > 10 && !/(Z|[+-]\d\d:\d\d)$/.test(date) ? `${date}Z` : date)
          : null,
        flag,
      ]),
    )
    expect(
      await query(
        `select count(*)::int, max(number), min(date)::text from '${path}' where number > 10`,
      ),
    ).toEqual([[16, 1e300, '1999-12-31 23:59:59']])
  })

  it('reads back any rows', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTable, async ({ names, rows }) => {
        const path = await parquetOf(rows, names)
        const read = await query(`select * from '${path}'`)
        const types = (await query(`describe select * from '${path}'`)).map(([, type]) => type)
        expect(
          read.map((row) =>
            row.map((value, index) =>
              types[index] === 'JSON' && typeof value === 'string'
                ? JSON.parse(value)
                : types[index] === 'BIGINT' && value !== null
                  ? Number(value)
                  : value,
            ),
          ),
        ).toEqual(
          rows.map((row) =>
            names.map((name, index) => expected(row[name] ?? null, types[index] === 'JSON')),
          ),
        )
      }),
      { numRuns: 150 },
    )
  })

  it('reads a byte order mark as a character', async () => {
    const path = await parquetOf([{ t: '\uFEFFa' }], ['t'])
    expect(await query(`select strlen(t)::int, unicode(t)::int from '${path}'`)).toEqual([
      [4, 0xfeff],
    ])
  })

  it('reads a file of several row groups', async () => {
    const path = await parquetOf(
      Array.from({ length: 120_000 }, (_, i): Row => ({
        n: i,
        t: i % 3 === 0 ? null : `é${i % 1_000}`,
      })),
      ['n', 't'],
    )
    expect(
      await query(
        `select count(*)::int, sum(n)::double, count(t)::int, count(distinct t)::int from '${path}'`,
      ),
    ).toEqual([[120_000, (119_999 * 120_000) / 2, 80_000, 1_000]])
  })
})

/** DuckDB's package for Node takes a byte order mark off the beginning of a text. */
function expected(value: Json, isJson: boolean): unknown {
  if (isJson) return wellFormed(value)
  if (typeof value === 'string') return value.toWellFormed().replace(/^\uFEFF/, '')
  return value === 0 ? 0 : value
}

function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(wellFormed)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)]),
  )
}
