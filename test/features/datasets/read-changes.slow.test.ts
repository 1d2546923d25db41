import { expect, it, vi } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { readChanges } from '../../../src/features/datasets/items.ts'
import { Change } from '../../../src/records/change.ts'
import type { ChangeKind } from '../../../src/features/datasets/records.ts'
import { createRecords } from '../../../src/features/records.ts'

async function recordsWith(count: number, textOf: (sequence: number) => string) {
  const records = createRecords(createMemoryStore())
  const change = new Change()
  for (let sequence = 1; sequence <= count; sequence++) {
    const kind: ChangeKind = sequence % 3 === 0 ? 'gone' : 'changed'
    records.itemChanges.insert(change, 'acme', {
      dataset: 'ds',
      sequence,
      kind,
      key: `k${sequence}`,
      keyValues: [],
      merge: 1,
      at: 1,
      fields: { text: [null, textOf(sequence)] },
    })
  }
  await records.commit(change)
  return records
}

it.each([null, new Set<ChangeKind>(['gone']), new Set<ChangeKind>(['changed', 'gone'])])(
  'every wanted change comes once, however large each is (%o)',
  async (kinds) => {
    const records = await recordsWith(60, (sequence) =>
      'x'.repeat(sequence % 7 === 0 ? 1_500_000 : 100),
    )
    const sequences: number[] = []
    for (let after = 0; after < 60;) {
      const { changes, next } = await readChanges(records, 'acme', 'ds', after, 10, kinds)
      expect(next).toBeGreaterThan(after)
      expect(changes.length).toBeLessThanOrEqual(10)
      sequences.push(...changes.map(({ sequence }) => sequence))
      after = next
    }
    const expected = Array.from({ length: 60 }, (_, i) => i + 1).filter(
      (sequence) => kinds === null || kinds.size === 2 || sequence % 3 === 0,
    )
    expect(sequences).toEqual(expected)
  },
)

it('large changes are read a few at a time', async () => {
  const records = await recordsWith(12, () => 'x'.repeat(1_000_000))
  const list = vi.spyOn(records.itemChanges, 'list')
  const { changes } = await readChanges(records, 'acme', 'ds', 0, 100, null)
  expect(changes).toHaveLength(1)
  expect(list.mock.calls.map(([, options]) => options?.limit)).toEqual([5])
})
