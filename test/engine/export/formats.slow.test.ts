import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  COMPRESSIBLE_TYPES,
  EXPORT_TYPES,
  FORMAT_NAMES,
  formatOf,
} from '../../../src/engine/export/formats.ts'
import { writeRows } from '../../../src/engine/export/row-source.ts'
import type { Row } from '../../../src/kernel/json.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'
import { batches, bytesOf, columnsOf, hostileTable, textOf } from './written.ts'

const columns = columnsOf(['name', 'price'], { name: 'text', price: 'number' })
const random = seededRandom(4)
// The texts are random, so that a compressed format cannot make them small.
const noise = (length: number) => Array.from(random(length), (byte) => byte.toString(36)).join('')
const rows: readonly Row[] = Array.from({ length: 3_000 }, (_, i) => ({
  name: `Ünïcode ${noise(70)}`,
  price: i,
}))

describe.each(FORMAT_NAMES)('%s', (name) => {
  const format = formatOf(name)

  it('comes in chunks of about 64 KiB, however the rows come', async () => {
    for (const size of [1, 7, 3_000]) {
      const sizes: number[] = []
      const cut = Array.from({ length: Math.ceil(rows.length / size) }, (_, i) =>
        rows.slice(i * size, (i + 1) * size),
      )
      for await (const chunk of writeRows(format, batches(cut), columns)) sizes.push(chunk.length)
      expect(sizes.length).toBeGreaterThan(3)
      expect(sizes.slice(0, -1).every((bytes) => bytes >= 65_536 && bytes < 131_072)).toBe(true)
    }
  })

  it('reads no row before a chunk is asked for, and closes its rows when it is cancelled', async () => {
    let read = 0
    let isOpen = true
    const source = async function* (): AsyncGenerator<readonly Row[]> {
      try {
        for (;;) {
          read++
          yield rows
        }
      } finally {
        isOpen = false
      }
    }
    const chunks = writeRows(format, source(), columns)[Symbol.asyncIterator]()
    expect(read).toBe(0)
    await chunks.next()
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(30)
    await chunks.return?.()
    expect(isOpen).toBe(false)
  })

  it('fails if its rows fail, and never ends like a whole file', async () => {
    const source = async function* (): AsyncGenerator<readonly Row[]> {
      yield rows
      throw new Error('the disk is gone')
    }
    let text = ''
    const read = async () => {
      for await (const chunk of writeRows(format, source(), columns))
        text += Buffer.from(chunk).toString('latin1')
    }
    await expect(read()).rejects.toThrow('the disk is gone')
    const whole = Buffer.from(await bytesOf(writeRows(format, batches([rows]), columns))).toString(
      'latin1',
    )
    expect(text.length).toBeLessThan(whole.length)
    if (name !== 'csv' && name !== 'jsonl') expect(text.slice(-8)).not.toBe(whole.slice(-8))
  })

  it('says whether it should be compressed with gzip', () => {
    expect(COMPRESSIBLE_TYPES.includes(EXPORT_TYPES[name] ?? '')).toBe(
      !['xlsx', 'parquet'].includes(name),
    )
  })
})

describe('JSON', () => {
  const parse = {
    json: (text: string): unknown => JSON.parse(text),
    jsonl: (text: string): unknown =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
  }

  it.each(['json', 'jsonl'] as const)('as %s can be read back', async (name) => {
    await fc.assert(
      fc.asyncProperty(hostileTable, async ({ names, rows: tableRows }) => {
        // JSON has one zero only.
        expect(
          parse[name](
            await textOf(writeRows(formatOf(name), batches([tableRows]), columnsOf(names))),
          ),
        ).toEqual(JSON.parse(JSON.stringify(tableRows)))
      }),
    )
  })

  it('writes only the wanted columns', async () => {
    expect(
      await textOf(
        writeRows(formatOf('jsonl'), batches([[{ a: 1, b: 2 }, { b: 3 }]]), columnsOf(['b', 'a'])),
      ),
    ).toBe('{"b":2,"a":1}\n{"b":3,"a":null}\n')
  })
})

it.each([
  ['csv', 'name,price\r\n'],
  ['jsonl', ''],
  ['json', '[]'],
])('writes no rows as a valid %s file', async (name, file) => {
  expect(await textOf(writeRows(formatOf(name), batches([]), columns))).toBe(file)
})

it('the error of an unknown format names the known ones', () => {
  expect(() => formatOf('xls')).toThrow(
    'format: unknown format; known ones: csv, jsonl, json, xlsx, parquet, xml, html',
  )
  expect(formatOf(undefined).name).toBe('csv')
})
