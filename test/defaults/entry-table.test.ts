import { expect, it } from 'vitest'
import { EntryTable } from '../../src/kernel/entry-table.ts'

// Proves that a table holds little more than what is alive, whatever its commits write.

it.each([1, 8, 50])('entries that expire go as fast as they come: %s a commit', (count) => {
  const table = new EntryTable()
  const [commits, step, life] = [2_000, 250, 1_000]
  for (let commit = 0; commit < commits; commit++) {
    const now = commit * step
    const sets = Array.from({ length: count }, (_, index) => ({
      key: `a${String(commit * count + index).padStart(9, '0')}`,
      text: '{}',
      expiresAt: now + life,
    }))
    table.apply({ sets, deletes: [] }, `v${commit}`, now)
  }
  const alive = [...table.items((commits - 1) * step)].length
  expect(alive).toBe((life / step) * count)
  expect(table.size).toBeLessThanOrEqual(2 * alive)
})
