import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FORMAT_NAMES, formatOf } from '../../../src/engine/export/formats.ts'
import type { Row } from '../../../src/kernel/json.ts'
import { batches, textOf } from './written.ts'

const columns = ['name', 'price']
const rows: readonly Row[] = Array.from({ length: 3_000 }, (_, i) => ({ name: `Ünïcode ${i}`.repeat(10), price: i }))

describe.each(FORMAT_NAMES)('%s', (name) => {
  const format = formatOf(name)

  it('comes in chunks of about 64 KiB, however the rows come', async () => {
    for (const size of [1, 7, 3_000]) {
      const sizes: number[] = []
      const cut = Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size))
      for await (const chunk of format.write(batches(cut), columns)) sizes.push(chunk.length)
      expect(sizes.length).toBeGreaterThan(4)
      expect(sizes.slice(0, -1).every((bytes) => bytes >= 65_536 && bytes < 90_000)).toBe(true)
    }
  })

  it('reads no row before a chunk is asked for, and no more than the chunk needs', async () => {
    let read = 0
    const source = async function* (): AsyncGenerator<readonly Row[]> {
      for (const row of rows) {
        read++
        yield [row]
      }
    }
    const chunks = format.write(source(), columns)[Symbol.asyncIterator]()
    expect(read).toBe(0)
    await chunks.next()
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(1_000)
    await chunks.return?.()
  })

  it('fails where its rows fail', async () => {
    const source = async function* (): AsyncGenerator<readonly Row[]> {
      yield rows
      throw new Error('the disk is gone')
    }
    await expect(textOf(format.write(source(), columns))).rejects.toThrow('the disk is gone')
  })
})

describe('JSON', () => {
  const names = fc.uniqueArray(fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'), { minLength: 1, maxLength: 4 })
  const parse = { json: (text: string): unknown => JSON.parse(text), jsonl: (text: string): unknown => text.split('\n').slice(0, -1).map((line) => JSON.parse(line)) }

  it.each(['json', 'jsonl'] as const)('as %s can be read back', async (name) => {
    await fc.assert(
      fc.asyncProperty(names, fc.array(fc.array(fc.jsonValue(), { minLength: 4, maxLength: 4 }), { maxLength: 10 }), async (wanted, cells) => {
        const written = cells.map((row) => Object.fromEntries(wanted.map((column, i) => [column, JSON.parse(JSON.stringify(row[i]))])))
        expect(parse[name](await textOf(formatOf(name).write(batches([written]), wanted)))).toEqual(written)
      }),
    )
  })

  it('writes the wanted columns alone', async () => {
    expect(await textOf(formatOf('jsonl').write(batches([[{ a: 1, b: 2 }, { b: 3 }]]), ['b', 'a']))).toBe('{"b":2,"a":1}\n{"b":3,"a":null}\n')
  })
})

it.each([
  ['csv', 'name,price\r\n'],
  ['jsonl', ''],
  ['json', '[]'],
])('writes no rows as a valid %s file', async (name, file) => {
  expect(await textOf(formatOf(name).write(batches([]), columns))).toBe(file)
})

it('names the known formats when asked for another', () => {
  expect(() => formatOf('xls')).toThrow('format: unknown format; known ones: csv, jsonl, json')
  expect(formatOf(undefined).name).toBe('csv')
})
