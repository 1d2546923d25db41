import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { KeyPart } from '../../src/kernel/key.ts'
import { paginate } from '../../src/records/paginate.ts'

const reader = (all: readonly number[]) => async (after: readonly KeyPart[] | null, count: number) =>
  all.filter((n) => after === null || n > Number(after[0])).slice(0, count).map((item) => ({ item, position: [item] }))

it('gives every wanted item once, in order, on pages that are full but for the last', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(600), fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 40 }), async (length, limit, every) => {
      const all = Array.from({ length }, (_, i) => i)
      const wanted = all.filter((n) => n % every === 0)
      const pages: (readonly number[])[] = []
      for (let after: readonly KeyPart[] | null = null; ; ) {
        const page: Awaited<ReturnType<typeof paginate<number>>> = await paginate({ read: reader(all), after, limit, ...(every > 1 && { keep: (n: number) => n % every === 0 }) })
        pages.push(page.items)
        if (page.next === null) break
        after = page.next
      }
      expect(pages.flat()).toEqual(wanted)
      expect(pages).toHaveLength(Math.max(1, Math.ceil(wanted.length / limit)))
    }),
  )
})

it('gives up a page whose filter matches nothing, but not the list', async () => {
  const all = Array.from({ length: 12_000 }, (_, i) => i)
  const keep = (n: number) => n === 11_000
  const found: number[] = []
  let pages = 0
  for (let after: readonly KeyPart[] | null = null; ; pages++) {
    const page: Awaited<ReturnType<typeof paginate<number>>> = await paginate({ read: reader(all), after, limit: 20, keep })
    found.push(...page.items)
    if (page.next === null) break
    after = page.next
  }
  expect(found).toEqual([11_000])
  expect(pages).toBe(2)
})
