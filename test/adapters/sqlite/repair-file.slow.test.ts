import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { inspectFile, repairFile } from '../../../adapters/common/sqlite/repair-file.ts'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { decodeKey } from '../../../src/kernel/key.ts'

const PAGE = 4_096
const COUNT = 400
const folder = mkdtempSync(join(tmpdir(), 'seine-repair-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const connect = (path: string) => new DatabaseSync(path)
const valueOf = (i: number): string => `<${i}>`.repeat(80)
const large = 'large '.repeat(20_000)

/** A file with entries, the second half of them of another account, and one large value. */
async function fill(name: string): Promise<string> {
  const path = join(folder, name)
  const store = createSqliteStore({ path })
  for (let i = 0; i < COUNT; i += 50)
    await store.commit({
      set: Array.from({ length: 50 }, (_, n) => ({
        key: [i < COUNT / 2 ? 'a' : 'b', 'things', i + n],
        value: valueOf(i + n),
      })),
    })
  await store.commit({ set: [{ key: ['c', 'large'], value: large }] })
  await store.close()
  return path
}

/** The pages of the file that have this text. */
function pagesWith(path: string, text: string): number[] {
  const bytes = readFileSync(path)
  const pages: number[] = []
  for (let offset = bytes.indexOf(text); offset !== -1; offset = bytes.indexOf(text, offset + 1))
    if (pages.at(-1) !== Math.floor(offset / PAGE)) pages.push(Math.floor(offset / PAGE))
  return pages
}

function damage(path: string, pages: readonly number[]): void {
  const bytes = readFileSync(path)
  for (const page of pages) bytes.fill(0xff, page * PAGE, (page + 1) * PAGE)
  writeFileSync(path, bytes)
}

async function numbersIn(path: string): Promise<number[]> {
  const store = createSqliteStore({ path })
  const numbers: number[] = []
  for (const account of ['a', 'b'])
    for (const { key, value } of await store.list({ prefix: [account, 'things'], limit: COUNT })) {
      const number = Number(key[2])
      expect(value).toBe(valueOf(number))
      numbers.push(number)
    }
  await store.close()
  return numbers
}

describe('a file without damage', () => {
  it('has nothing to tell', async () => {
    expect(inspectFile(connect, await fill('whole.db'))).toBe(null)
  })
})

describe('a file with damaged pages', () => {
  it('gives what is before, between and after them, and says which keys are gone', async () => {
    const path = await fill('damaged.db')
    const pageOf = (i: number): number => pagesWith(path, `<${i}><${i}>`)[0] ?? -1
    const pages = new Set([40, 120, 300].map(pageOf))
    const inPages = Array.from({ length: COUNT }, (_, i) => i).filter((i) => pages.has(pageOf(i)))
    damage(path, [...pages])
    const seen = inspectFile(connect, path) ?? expect.fail('no damage was seen')
    const report = repairFile(connect, path)
    expect(report).toEqual({ ...seen, aside: `${path}.damaged` })
    expect(existsSync(report.aside)).toBe(true)
    expect(existsSync(`${path}.repairing`)).toBe(false)
    expect(inspectFile(connect, path)).toBe(null)

    const numbers = await numbersIn(path)
    // One entry more is the large one.
    expect(report.entries).toBe(numbers.length + 1)
    const missing = Array.from({ length: COUNT }, (_, i) => i).filter((i) => !numbers.includes(i))
    // Freed space of a page may have an older copy of an entry that is elsewhere now.
    expect(inPages).toEqual(expect.arrayContaining(missing))
    expect(missing).toEqual(expect.arrayContaining([40, 120, 300]))
    // Each of them lies in a gap that is named, and nothing that is there does.
    const inGap = (i: number): boolean =>
      report.gaps.some(({ after, before }) => {
        const [, , first = -1] = decodeKey(after)
        const [, , last = Infinity] = before === null ? [] : decodeKey(before)
        const sameAccount = decodeKey(after)[0] === (i < COUNT / 2 ? 'a' : 'b')
        return sameAccount && Number(first) < i && i < Number(last)
      })
    expect(missing.filter((i) => !inGap(i))).toEqual([])
    expect(numbers.filter(inGap)).toEqual([])
    expect(report.gaps).toHaveLength(3)

    const store = createSqliteStore({ path })
    expect((await store.get([['c', 'large']]))[0]?.value).toBe(large)
    expect(await store.commit({ set: [{ key: ['a', 'things', 40], value: 1 }] })).toBe(true)
    await store.close()
  })

  it('names an entry whose large value is damaged, and keeps the others', async () => {
    const path = await fill('large.db')
    damage(path, pagesWith(path, 'large large').slice(5, 6))
    const report = repairFile(connect, path)
    expect(report.keys.map((key) => decodeKey(key))).toEqual([['c', 'large']])
    expect(report.gaps).toEqual([])
    expect(await numbersIn(path)).toHaveLength(COUNT)
  })

  it('that has nothing left to read stays as it is', async () => {
    const path = await fill('nothing.db')
    const bytes = readFileSync(path).fill(0xff)
    writeFileSync(path, bytes)
    expect(() => repairFile(connect, path)).toThrow(/not a database|malformed/)
    expect(readFileSync(path).equals(bytes)).toBe(true)
    expect(existsSync(`${path}.damaged`)).toBe(false)
  })

  it('is no longer written by a process that has it open', async () => {
    const path = await fill('open.db')
    const store = createSqliteStore({ path })
    repairFile(connect, path)
    await expect(store.commit({ set: [{ key: ['a', 'x'], value: 1 }] })).rejects.toMatchObject({
      reason: 'replaced',
    })
    await store.close()
  })
})
