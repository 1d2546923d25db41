import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createLedger } from '../../../src/features/ledger/ledger.ts'
import type { Part } from '../../../src/features/ledger/batch.ts'
import { createIds } from '../../../src/kernel/id.ts'
import type { Commit, Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')
const DAY = '2026-06-15'

/**
 * A ledger that counts its commits by the record of the day, to which each part adds one. `meet`
 * says what happens to a commit.
 */
function open(
  meet: (nth: number, change: Commit) => 'lost' | 'fails' | 'written' = () => 'written',
) {
  const base = createMemoryStore()
  const commits: number[] = []
  const store: Store = {
    get: (keys) => base.get(keys),
    list: (range) => base.list(range),
    close: () => base.close(),
    async commit(change) {
      const met = meet(commits.length, change)
      commits.push((change.set ?? []).filter(({ key }) => key[1] === 'holds').length)
      if (met === 'fails') throw new Error('The store is unavailable')
      return met === 'written' && base.commit(change)
    },
  }
  const records = createRecords(store)
  const ledger = createLedger({
    records,
    ids: createIds({ now: () => NOW, random: seededRandom() }),
    tariff: {
      plans: [{ id: 'pro', name: 'Pro', creditsPerMonth: 100 }],
      prices: {},
      lowBalance: null,
    },
  })
  const part = (
    execution: string,
    spoil: { read?: boolean; enter?: boolean; fence?: boolean } = {},
  ): Part => ({
    execution,
    now: NOW,
    async read(batch) {
      const day = await batch.days.open(DAY)
      if (spoil.read) throw new Error('cannot be read')
      return (change) => {
        day.value = { day: DAY, taken: (day.value?.taken ?? 0) + 1 }
        if (spoil.enter) throw new Error('cannot be entered')
        // A changed record makes the commit of a worker that was overtaken fail.
        if (spoil.fence) change.check(records.fences.key('acme', [execution]), 'another')
        records.holds.put(change, 'acme', { execution, reserved: 0, lots: [], openedAt: NOW })
      }
    },
  })
  const join = (...parts: readonly Part[]) =>
    Promise.all(
      parts.map((one) =>
        ledger
          .together('acme', one)
          .catch((error: unknown) => (error instanceof Error ? error.message : 'unknown')),
      ),
    )
  const takenToday = async () => (await records.days.get('acme', DAY))?.value.taken ?? 0
  const heldBy = async () =>
    (await records.holds.list('acme', { limit: 100 })).map(({ value }) => value.execution)
  /** Holds the turn until all parts wait for theirs. */
  const meanwhile = async <T>(ask: () => Promise<T>): Promise<T> => {
    const gate = Promise.withResolvers<void>()
    void ledger.alone('acme', () => gate.promise)
    const answer = ask()
    gate.resolve()
    return answer
  }
  return { records, ledger, part, join, taken: takenToday, written: heldBy, commits, meanwhile }
}

describe('executions that share a commit', () => {
  test('up to sixteen parts that wait for a turn are one commit, in which each sees the parts before it', async () => {
    const { part, join, taken: takenToday, commits, meanwhile } = open()
    const names = Array.from({ length: 40 }, (_, i) => `exec_${i}`)
    expect(await meanwhile(() => join(...names.map((name) => part(name))))).toEqual(
      names.map(() => true),
    )
    expect(commits).toEqual([16, 16, 8])
    expect(await takenToday()).toBe(40)
  })

  test('an execution has only one part in a commit', async () => {
    const { part, join, taken: takenToday, commits, meanwhile } = open()
    expect(await meanwhile(() => join(part('a'), part('b'), part('a')))).toEqual([true, true, true])
    expect(commits).toEqual([2, 1])
    expect(await takenToday()).toBe(3)
  })

  test('a part that cannot be read or entered does not prevent the others, and writes nothing', async () => {
    const { part, join, taken: takenToday, written: heldBy, meanwhile } = open()
    const parts = () => [
      part('a'),
      part('b', { read: true }),
      part('c'),
      part('d', { enter: true }),
      part('e'),
    ]
    expect(await meanwhile(() => join(...parts()))).toEqual([
      true,
      'cannot be read',
      true,
      'cannot be entered',
      true,
    ])
    expect(await takenToday()).toBe(3)
    expect(await heldBy()).toEqual(['a', 'c', 'e'])
  })

  test('a part whose fence is gone fails, and the others are written', async () => {
    const { part, join, taken: takenToday, written: heldBy, commits, meanwhile } = open()
    const parts = () => Array.from({ length: 8 }, (_, i) => part(`exec_${i}`, { fence: i === 2 }))
    expect(await meanwhile(() => join(...parts()))).toEqual([
      true,
      true,
      false,
      true,
      true,
      true,
      true,
      true,
    ])
    expect(commits).toEqual([8, 4, 2, 2, 1, 1, 4])
    expect(await takenToday()).toBe(7)
    expect(await heldBy()).not.toContain('exec_2')
  })

  test('a commit that conflicts with another process is tried again in halves', async () => {
    const {
      part,
      join,
      taken: takenToday,
      commits,
      meanwhile,
    } = open((nth) => (nth === 0 ? 'lost' : 'written'))
    expect(await meanwhile(() => join(part('a'), part('b'), part('c')))).toEqual([true, true, true])
    expect(commits).toEqual([3, 2, 1])
    expect(await takenToday()).toBe(3)
  })

  test('if the result of a commit is unknown, no part reports success, and the next ones get their turn', async () => {
    const {
      part,
      join,
      taken: takenToday,
      meanwhile,
    } = open((nth) => (nth === 0 ? 'fails' : 'written'))
    expect(await meanwhile(() => join(part('a'), part('b')))).toEqual([
      'The store is unavailable',
      'The store is unavailable',
    ])
    expect(await join(part('c'))).toEqual([true])
    expect(await takenToday()).toBe(1)
  })

  test('single changes of the wallet and joint ones take turns', async () => {
    const { records, ledger, part, join, taken: takenToday, commits } = open()
    const alone = ledger.alone('acme', async () => {
      const day = await records.days.get('acme', DAY)
      const change = new Change()
      if (day) records.days.update(change, 'acme', day, { day: DAY, taken: day.value.taken + 1 })
      else records.days.insert(change, 'acme', { day: DAY, taken: 1 })
      return records.commit(change)
    })
    const joined = join(part('a'), part('b'))
    expect([await alone, await joined]).toEqual([true, [true, true]])
    expect(commits).toEqual([0, 2])
    expect(await takenToday()).toBe(3)
  })
})
