import { expect, it } from 'vitest'
import { EntryTable } from '../../src/kernel/table/entry-table.ts'

// Proves that a table holds few expired entries, whatever its commits write.

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

it('an entry goes at its last time, not at an earlier one', () => {
  const table = new EntryTable()
  const put = (key: string, expiresAt: number | null) =>
    table.apply({ sets: [{ key, text: '{}', expiresAt }], deletes: [] }, 'v', 0)
  const keysAfter = (now: number) => {
    table.apply({ sets: [], deletes: [] }, 'v', now)
    return { held: table.size, alive: [...table.items(now)].map(([key]) => key) }
  }
  for (const [key, times] of Object.entries({
    a: [10],
    b: [10, 30],
    c: [30, 10],
    d: [10, null],
    e: [null, 10],
    f: [10, 20, 10],
  }))
    for (const time of times) put(key, time)
  table.apply({ sets: [], deletes: ['a'] }, 'v', 0)
  put('a', 20)
  expect(keysAfter(9)).toEqual({ held: 6, alive: ['a', 'b', 'c', 'd', 'e', 'f'] })
  expect(keysAfter(10)).toEqual({ held: 3, alive: ['a', 'b', 'd'] })
  expect(keysAfter(20)).toEqual({ held: 2, alive: ['b', 'd'] })
  expect(keysAfter(30)).toEqual({ held: 1, alive: ['d'] })
})

it('an entry whose time is put off with each write is in the queue once', () => {
  const table = new EntryTable()
  const put = (key: string, expiresAt: number) =>
    table.apply({ sets: [{ key, text: '{}', expiresAt }], deletes: [] }, 'v', 0)
  for (let write = 0; write < 500; write++) put('busy', 1_000 + write)
  put('other', 2_000)
  // One commit takes few from the queue: the other entry only if little is before it.
  table.apply({ sets: [], deletes: [] }, 'v', 2_000)
  expect(table.size).toBe(0)
})
