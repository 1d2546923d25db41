import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SlotMerges, TABLE_SLOTS } from '../../../src/features/datasets/last-seen.ts'

const notes = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 4 * TABLE_SLOTS }), fc.integer({ min: 1, max: 0xffffffff })),
)

it('the greatest merge of each slot is stored, and nothing for other slots', () => {
  fc.assert(
    fc.property(notes, (history) => {
      const merges = new SlotMerges()
      const model = new Map<number, number>()
      for (const [slot, merge] of history) {
        merges.note(slot, merge)
        model.set(slot, Math.max(model.get(slot) ?? 0, merge))
      }
      for (let slot = 0; slot <= 5 * TABLE_SLOTS; slot++)
        if (merges.of(slot) !== (model.get(slot) ?? 0))
          expect([slot, merges.of(slot)]).toEqual([slot, model.get(slot) ?? 0])
      expect(merges.tablesFrom(2)).toEqual(
        [...new Set([...model.keys()].map((slot) => Math.floor(slot / TABLE_SLOTS)))]
          .filter((index) => index >= 2)
          .toSorted((a, b) => a - b),
      )
    }),
  )
})

it('over a table the greater of both merges counts', () => {
  const merges = new SlotMerges()
  merges.note(TABLE_SLOTS + 1, 7)
  merges.note(TABLE_SLOTS + 2, 3)
  expect(merges.table(1, [9, 5, 8]).slice(0, 4)).toEqual([9, 7, 8, 0])
  expect(merges.table(1, [])).toHaveLength(TABLE_SLOTS)
  expect(merges.table(0, [1, 2])).toEqual([1, 2])
})
