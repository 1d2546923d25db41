import { expect, it } from 'vitest'
import type { Key } from '../../src/kernel/key.ts'
import { TextEntry } from '../../src/kernel/text/text-entry.ts'
import { byId, pageOfRecords } from '../../src/features/common/timed-records.ts'
import { Collection, RecordSizes } from '../../src/records/collection.ts'
import type { Range, Store } from '../../src/ports/store.ts'

interface Thing {
  readonly id: string
  readonly createdAt: number
}

/** A collection of 50 records with texts of this size, and what its lists have read and parsed. */
function createThings(charactersOf: (account: string) => number) {
  const reads: number[] = []
  let parsed = 0
  class Counted extends TextEntry {
    override get value(): unknown {
      if (this.json !== undefined) parsed++
      return super.value
    }
  }
  const entryOf = (key: Key, account: string): TextEntry => {
    const id = String(key[2])
    const text = JSON.stringify({ id, createdAt: 1, text: 'x'.repeat(charactersOf(account)) })
    return new Counted(key, text, '1')
  }
  const store: Store = {
    get: async () => [],
    async list({ prefix, after, limit }: Range) {
      const account = String(prefix[0])
      const from = after ? Number(String(after.at(-1)).slice(-2)) + 1 : 0
      const count = Math.min(limit, 50 - from)
      reads.push(count)
      return Array.from({ length: count }, (_, i) =>
        entryOf([...prefix, `thing_${String(from + i).padStart(2, '0')}`], account),
      )
    },
    commit: async () => true,
    close: async () => {},
  }
  const collection = new Collection<Thing>(store, { name: 'things', id: ({ id }) => [id] })
  return {
    async list(account: string, limit: number) {
      reads.length = 0
      parsed = 0
      const source = {
        collection,
        keys: byId('thing'),
        timeOf: ({ createdAt }: Thing) => createdAt,
      }
      const { items } = await pageOfRecords(account, source, {
        range: { begin: -Infinity, end: Infinity },
        order: 'createdAt',
        after: null,
        limit,
        firstRead: 5,
      })
      return { items: items.length, reads: [...reads], parsed }
    },
  }
}

it('a list whose records were large reads no more of them than fit, and parses no others', async () => {
  const things = createThings((account) => (account === 'large' ? 1_000_000 : 100))
  expect(await things.list('large', 20)).toEqual({ items: 1, reads: [5], parsed: 1 })
  expect(await things.list('large', 20)).toEqual({ items: 1, reads: [1, 1], parsed: 1 })
  expect(await things.list('small', 20)).toEqual({ items: 20, reads: [5, 16], parsed: 20 })
})

it('a list whose records are small again reads as many as before', async () => {
  let characters = 1_000_000
  const things = createThings(() => characters)
  await things.list('acme', 20)
  characters = 100
  expect(await things.list('acme', 20)).toEqual({ items: 20, reads: [1, 20], parsed: 20 })
  expect((await things.list('acme', 20)).reads).toEqual([5, 16])
})

it('accounts are remembered only while their records are large, and not without end', () => {
  const sizes = new RecordSizes()
  sizes.note('small', 5, 5_000)
  sizes.note('large', 2, 3_000_000)
  sizes.note('large', 0, 0)
  expect([sizes.expected('small'), sizes.expected('large')]).toEqual([undefined, 1_500_000])
  sizes.note('large', 10, 10_000)
  expect(sizes.expected('large')).toBeUndefined()
  for (let i = 0; i <= 1_000; i++) sizes.note(`account ${i}`, 1, 1_000_000)
  expect([sizes.expected('account 0'), sizes.expected('account 1000')]).toEqual([
    undefined,
    1_000_000,
  ])
})
