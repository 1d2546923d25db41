import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { KeyPart } from '../../src/kernel/key.ts'
import { countTurns } from '../support/fakes/count-turns.ts'
import { PAGE_SIZE, paginate, positionedRecord } from '../../src/records/paginate.ts'

const reader =
  (all: readonly number[]) => async (after: readonly KeyPart[] | null, count: number) =>
    all
      .filter((n) => after === null || n > Number(after[0]))
      .slice(0, count)
      .map((item) => ({ item, position: [item] }))

it('every wanted item comes once, in order, and all pages but the last are full', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(600),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 40 }),
      async (length, limit, every) => {
        const all = Array.from({ length }, (_, i) => i)
        const expected = all.filter((n) => n % every === 0)
        const pages: (readonly number[])[] = []
        for (let after: readonly KeyPart[] | null = null; ;) {
          const page: Awaited<ReturnType<typeof paginate<number>>> = await paginate({
            read: reader(all),
            after,
            limit,
            ...(every > 1 && { keep: (n: number) => n % every === 0 }),
          })
          pages.push(page.items)
          if (page.next === null) break
          after = page.next
        }
        expect(pages.flat()).toEqual(expected)
        expect(pages).toHaveLength(Math.max(1, Math.ceil(expected.length / limit)))
      },
    ),
  )
})

it('a page whose filter matches nothing ends early, with a cursor to the rest of the list', async () => {
  const all = Array.from({ length: 12_000 }, (_, i) => i)
  const keep = (n: number) => n === 11_000
  const items: number[] = []
  let pages = 0
  for (let after: readonly KeyPart[] | null = null; ; pages++) {
    const page: Awaited<ReturnType<typeof paginate<number>>> = await paginate({
      read: reader(all),
      after,
      limit: 20,
      keep,
    })
    items.push(...page.items)
    if (page.next === null) break
    after = page.next
  }
  expect(items).toEqual([11_000])
  expect(pages).toBe(2)
})

it('a page whose filter skips large items ends early, too, and reads a part of them in a turn', async () => {
  const text = 'x'.repeat(500_000)
  const reads: number[] = []
  const read = async (after: readonly KeyPart[] | null, count: number) => {
    const from = after === null ? 0 : Number(after[0]) + 1
    reads.push(Math.min(count, 100 - from))
    return Array.from({ length: reads.at(-1) ?? 0 }, (_, index) => ({
      item: { at: from + index, text },
      position: [from + index],
    }))
  }
  const pages: (readonly number[])[] = []
  const turns = await countTurns(async () => {
    for (let after: readonly KeyPart[] | null = null; ;) {
      const page: Awaited<ReturnType<typeof paginate<{ at: number }>>> = await paginate({
        read,
        after,
        limit: 20,
        firstRead: 5,
        keep: ({ at }) => at === 70,
      })
      pages.push(page.items.map(({ at }) => at))
      if (page.next === null) break
      after = page.next
    }
  })
  // Five are read first, and then three at once: more than twenty megabytes are forty of them.
  expect(pages).toEqual([[], [70], []])
  expect(Math.max(...reads)).toBe(5)
  expect(turns).toBeGreaterThanOrEqual(reads.length - 2 * pages.length)
})

it('a page of large items ends early, but has at least one, and no more items are read than needed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(10, 1_000, 900_000, 3_000_000, 9_000_000), { maxLength: 60 }),
      fc.integer({ min: 1, max: 100 }),
      fc.boolean(),
      async (sizes, limit, filtered) => {
        const all = sizes.map((size, index) => ({ at: index, text: 'x'.repeat(size) }))
        const read = async (after: readonly KeyPart[] | null, count: number) =>
          all
            .slice(after === null ? 0 : Number(after[0]) + 1)
            .slice(0, count)
            .map((item) => ({ item, position: [item.at] }))
        const positions: number[] = []
        for (let after: readonly KeyPart[] | null = null; ;) {
          const page: Awaited<ReturnType<typeof paginate<(typeof all)[number]>>> = await paginate({
            read,
            after,
            limit,
            ...(filtered && { keep: () => true }),
          })
          const length = page.items.reduce((sum, { text }) => sum + text.length, 0)
          expect(page.items.length === 1 || length <= PAGE_SIZE).toBe(true)
          expect(page.items.length > 0 || page.next === null).toBe(true)
          positions.push(...page.items.map(({ at }) => at))
          if (page.next === null) break
          after = page.next
        }
        expect(positions).toEqual(sizes.map((_, index) => index))
      },
    ),
    { numRuns: 40 },
  )
})

it('a hundred records of a megabyte are read in small parts', async () => {
  let most = 0
  const read = async (after: readonly KeyPart[] | null, count: number) => {
    most = Math.max(most, count)
    const from = after === null ? 0 : Number(after[0]) + 1
    return Array.from({ length: Math.min(count, 200 - from) }, (_, index) => ({
      item: 'x'.repeat(1_000_000),
      position: [from + index],
    }))
  }
  const page = await paginate({ read, after: null, limit: 100, keep: () => true })
  expect([page.items.length, page.next]).toEqual([1, [0]])
  expect(most).toBe(25)
  most = 0
  const careful = await paginate({ read, after: null, limit: 100, firstRead: 5 })
  expect([careful.items.length, most]).toEqual([1, 5])
})

it('about as many items are read as fit, by the size of the items before', async () => {
  let most = 0
  const read = async (after: readonly KeyPart[] | null, count: number) => {
    const start = after === null ? 0 : Number(after[0]) + 1
    most = start + count
    return Array.from({ length: count }, (_, i) => ({
      item: 'x'.repeat(50_000),
      position: [start + i],
    }))
  }
  const { items } = await paginate({ read, after: null, limit: 100 })
  expect(items).toHaveLength(39)
  expect(most).toBeLessThan(70)
})

it('of large records, those of a quarter of a million characters are parsed in one turn of its own', async () => {
  const record = (index: number, characters: number) =>
    positionedRecord(
      { id: [index], version: '1', json: ' '.repeat(characters), value: { index } },
      [index],
    )
  const turnsFor = (count: number, characters: number): Promise<number> =>
    countTurns(async () => {
      const all = Array.from({ length: count }, (_, index) => record(index, characters))
      const read = async (after: readonly KeyPart[] | null) => (after === null ? all : [])
      const { items } = await paginate({
        read,
        after: null,
        limit: 100,
        firstRead: 100,
        sizeOf: () => 1,
      })
      expect(items.map(({ index }) => index)).toEqual(all.map((_, index) => index))
    })
  // Before each of them, four turns are free for others.
  expect(await turnsFor(5, 1_000_000)).toBe(4 * 5)
  expect(await turnsFor(10, 100_000)).toBe(4 * 4)
  expect(await turnsFor(100, 1_000)).toBe(0)
})

it('lists that are read at the same time parse large records in different turns', async () => {
  let turn = 0
  const over = new AbortController()
  const counting = (async () => {
    for (; !over.signal.aborted; turn++) await new Promise<void>((next) => setImmediate(next))
  })()
  const turns: number[] = []
  const record = (index: number) =>
    positionedRecord(
      {
        id: [index],
        version: '1',
        json: ' '.repeat(500_000),
        get value() {
          turns.push(turn)
          return { index }
        },
      },
      [index],
    )
  const read = async (after: readonly KeyPart[] | null) =>
    after === null ? [1, 2, 3].map(record) : []
  await Promise.all(Array.from({ length: 8 }, () => paginate({ read, after: null, limit: 3 })))
  over.abort()
  await counting
  expect(turns.length).toBeGreaterThanOrEqual(24)
  expect(new Set(turns).size).toBeGreaterThanOrEqual(24)
})
