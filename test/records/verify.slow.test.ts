import { beforeEach, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import type { Key } from '../../src/kernel/key.ts'
import { nextTurn } from '../../src/kernel/pace.ts'
import type { Store } from '../../src/ports/store.ts'
import { Change } from '../../src/records/change.ts'
import { SYSTEM } from '../../src/records/collection.ts'
import { createRecords } from '../../src/features/records.ts'
import type { TaskRecord } from '../../src/features/tasks/records.ts'
import { inspect } from '../../src/features/verify/inspect.ts'

let store: Store
beforeEach(async () => {
  store = createMemoryStore()
  const records = createRecords(store)
  for (const account of ['acme', 'acme corp', 'é']) {
    const change = new Change()
    for (let i = 0; i < 700; i++)
      records.tasks.insert(change, account, task(`t${i}`, i % 3 ? ['x', 'y', 'x'] : []))
    records.secrets.put(change, account, { name: 'cursor', value: 'abc' })
    await records.commit(change)
  }
  const change = new Change()
  records.jobs.insert(change, SYSTEM, {
    id: 'j',
    kind: 'a',
    data: null,
    lane: 'short',
    dueAt: 5,
    attempt: 0,
    lease: null,
  })
  await records.commit(change)
})

function task(id: string, labels: readonly string[]): TaskRecord {
  return {
    id,
    name: id,
    description: '',
    labels,
    status: 'active',
    recipe: { start: {} },
    createdAt: 1,
    updatedAt: 1,
  }
}

const statusKey = (id: string, status = 'active', account = 'acme'): Key => [
  account,
  'tasks/status',
  status,
  id,
]

it('verify finds no difference in records that were written by their collections', async () => {
  const perAccount = 700 + 700 + 466 * 2
  expect(await inspect(store).indexes({})).toEqual({
    accounts: 4,
    records: 2_101,
    entries: perAccount * 3 + 1,
    faults: [],
    more: { repaired: 0, left: 0 },
  })
  expect(await inspect(store).indexes({ account: 'é' })).toEqual({
    accounts: 1,
    records: 700,
    entries: perAccount,
    faults: [],
    more: { repaired: 0, left: 0 },
  })
  expect(await inspect(store).indexes({ account: 'nobody' })).toMatchObject({
    records: 0,
    faults: [],
  })
})

it('verify finds and repairs missing, surplus and wrong index entries', async () => {
  await store.commit({
    delete: [statusKey('t1'), ['é', 'tasks/label', 'x', 't5']],
    set: [
      { key: statusKey('t2', 'paused'), value: 1 },
      { key: statusKey('gone'), value: 1 },
      { key: ['acme', 'tasks/former', 'a', 't3'], value: 1 },
      { key: statusKey('t4'), value: 7 },
      { key: statusKey('t6', 'archived'), value: 'odd' },
      { key: [SYSTEM, 'jobs/due', 4, 'j'], value: 1 },
    ],
  })
  const expected = [
    { kind: 'missing', account: 'acme', key: statusKey('t1') },
    { kind: 'missing', account: 'acme', key: statusKey('t4') },
    { kind: 'surplus', account: 'acme', key: ['acme', 'tasks/former', 'a', 't3'] },
    { kind: 'surplus', account: 'acme', key: statusKey('gone') },
    { kind: 'surplus', account: 'acme', key: statusKey('t6', 'archived') },
    { kind: 'surplus', account: 'acme', key: statusKey('t2', 'paused') },
    { kind: 'missing', account: 'é', key: ['é', 'tasks/label', 'x', 't5'] },
    { kind: 'surplus', account: SYSTEM, key: [SYSTEM, 'jobs/due', 4, 'j'] },
  ]
  const sorted = (faults: readonly { kind: string; account: string; key: Key }[]): string[] =>
    faults.map(({ kind, account, key }) => JSON.stringify([kind, account, key])).toSorted()
  // None, one, and all but one.
  for (const mostListed of [0, 1, expected.length - 1]) {
    const { faults, more } = await inspect(store).indexes({ mostListed })
    expect(faults).toHaveLength(mostListed)
    // An entry with a wrong value is met twice, and counts once.
    expect(more).toEqual({ repaired: 0, left: expected.length - mostListed })
  }
  const report = await inspect(store).indexes({})
  expect(sorted(report.faults)).toEqual(sorted(expected))
  expect(report.faults.some((fault) => fault.repaired)).toBe(false)
  const repaired = await inspect(store).indexes({ rebuild: true })
  expect(sorted(repaired.faults)).toEqual(sorted(expected))
  expect(repaired.faults.every((fault) => fault.repaired)).toBe(true)
  expect((await inspect(store).indexes({})).faults).toEqual([])
  expect(
    await createRecords(store).tasks.getMany('acme', [['t1'], ['t4'], ['gone']]),
  ).toMatchObject([{ value: { id: 't1' } }, { value: { id: 't4' } }, null])
})

it('verify counts what it repairs beyond those that are listed', async () => {
  await store.commit({ delete: [statusKey('t1'), statusKey('t2'), statusKey('t3')] })
  const { faults, more } = await inspect(store).indexes({ rebuild: true, mostListed: 1 })
  expect(faults).toMatchObject([{ repaired: true }])
  expect(more).toEqual({ repaired: 2, left: 0 })
})

it('verify gives way to other work, also on a store that answers at once', async () => {
  let turns = 0
  const over = new AbortController()
  const others = (async () => {
    for (; !over.signal.aborted; turns++) await nextTurn()
  })()
  await inspect(store).indexes({})
  over.abort()
  await others
  // 9,098 records and entries, and at most 256 between two turns.
  expect(turns).toBeGreaterThan(20)
})

it('verify does not report a write during its reads as a difference', async () => {
  const records = createRecords(store)
  let moved = false
  // Between the read of the records and that of their index entries, a task changes its state.
  const busy: Store = {
    list: (range) => store.list(range),
    commit: (change) => store.commit(change),
    close: () => store.close(),
    async get(keys) {
      const [old] = moved ? [] : await records.tasks.getMany('acme', [['t9']])
      if (old) {
        moved = true
        const change = new Change()
        records.tasks.update(change, 'acme', old, { ...old.value, status: 'paused' })
        await records.commit(change)
      }
      return store.get(keys)
    },
  }
  expect((await inspect(busy).indexes({ account: 'acme', rebuild: true })).faults).toEqual([])
  expect(moved).toBe(true)
})
