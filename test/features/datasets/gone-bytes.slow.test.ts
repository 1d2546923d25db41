import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shortDigest } from '../../../src/defaults/short-digest.ts'
import { bytesOf } from '../../../src/features/datasets/count-bytes.ts'
import { itemKeyOf } from '../../../src/features/datasets/item-key.ts'
import { mergeGone } from '../../../src/features/datasets/merge-rows.ts'
import type { ItemRecord, MergeCursor } from '../../../src/features/datasets/records.ts'
import { NO_COUNTS } from '../../../src/features/datasets/dataset.ts'

/** The bytes that an item which is gone adds by docs/limits.md, besides those of its key. */
const MOST_BESIDES = 1_000

it('an item that is gone adds no more than its key, which it has already, and 1,000 bytes', () => {
  const number = fc.nat(Number.MAX_SAFE_INTEGER)
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom('"é'.repeat(50_000), '字'.repeat(196), '"'.repeat(98)),
  )
  fc.assert(
    fc.property(text, fc.string(), number, number, (sku, name, one, other) => {
      const keyValues = [sku]
      const item: ItemRecord = {
        dataset: `data_${'d'.repeat(40)}`,
        key: itemKeyOf(keyValues, shortDigest),
        values: { sku, name },
        task: 'task_1',
        first: one,
        changed: one,
        gone: null,
      }
      const merge: MergeCursor = {
        ...NO_COUNTS,
        number: other,
        execution: 'e1',
        task: 'task_1',
        at: other,
        complete: true,
        columns: [],
        before: null,
        after: null,
        seenFrom: 0,
      }
      const { items, changes } = mergeGone(merge, [{ item, last: one, slot: other }], ['sku'])
      const [after] = items
      const [change] = changes
      if (!after || !change) throw new Error('The item did not go')
      const added = bytesOf(after) - bytesOf(item) + bytesOf({ ...change, sequence: other })
      // Its key is among its values, and so in the account's bytes.
      const key = Buffer.byteLength(JSON.stringify(keyValues))
      expect(added).toBeGreaterThan(key)
      expect(added - key).toBeLessThan(MOST_BESIDES)
      expect(key).toBeLessThan(bytesOf(item))
    }),
  )
})
