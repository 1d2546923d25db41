import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { Change } from '../../src/records/change.ts'
import { createRecords } from '../../src/features/records.ts'
import type { TaskRecord, TaskStatus } from '../../src/features/tasks/records.ts'
import { inspect } from '../../src/features/verify/inspect.ts'

const STATUSES: readonly TaskStatus[] = ['active', 'paused', 'archived']

function task(id: string, status: TaskStatus, labels: readonly string[]): TaskRecord {
  return {
    id,
    name: id,
    description: '',
    labels,
    status,
    recipe: { start: {} },
    createdAt: 1,
    updatedAt: 1,
  }
}

const action = fc.record({
  account: fc.constantFrom('acme', 'zeta'),
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  status: fc.constantFrom(...STATUSES),
  labels: fc.array(fc.constantFrom('x', 'y', 'z', ''), { maxLength: 4 }),
  remove: fc.boolean(),
})

it('every index stays right over random inserts, updates and removals', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const store = createMemoryStore()
      const { tasks, commit } = createRecords(store)
      const model = new Map<string, TaskRecord>()
      for (const { account, id, status, labels, remove } of actions) {
        const old = await tasks.get(account, id)
        expect(old?.value ?? null).toEqual(model.get(`${account}/${id}`) ?? null)
        const value = task(id, status, labels)
        const change = new Change()
        if (!old) tasks.insert(change, account, value)
        else if (remove) tasks.remove(change, account, old)
        else tasks.update(change, account, old, value)
        expect(await commit(change)).toBe(true)
        if (old && remove) model.delete(`${account}/${id}`)
        else model.set(`${account}/${id}`, value)
      }
      expect((await inspect(store).indexes({})).faults).toEqual([])
      for (const account of ['acme', 'zeta']) {
        const own = [...model]
          .filter(([name]) => name.startsWith(account))
          .map(([, value]) => value)
        for (const status of STATUSES) {
          const listed = await tasks.listBy('status', account, { within: [status], limit: 100 })
          expect(listed.map(({ record }) => record.value.id)).toEqual(
            own
              .filter((one) => one.status === status)
              .map((one) => one.id)
              .toSorted(),
          )
        }
        const labelled = await tasks.listBy('label', account, { within: ['x'], limit: 100 })
        expect(labelled.map(({ record }) => record.value.id)).toEqual(
          own
            .filter((one) => one.labels.includes('x'))
            .map((one) => one.id)
            .toSorted(),
        )
      }
    }),
    { numRuns: 100 },
  )
})

it('an insert of an existing record, and a change of a record that has changed, are refused', async () => {
  const { tasks, commit } = createRecords(createMemoryStore())
  const insert = () => {
    const change = new Change()
    tasks.insert(change, 'acme', task('a', 'active', []))
    return commit(change)
  }
  expect([await insert(), await insert()]).toEqual([true, false])
  const old = await tasks.get('acme', 'a')
  if (!old) throw new Error('The task is gone')
  const update = new Change()
  tasks.update(update, 'acme', old, task('a', 'paused', ['x']))
  expect(await commit(update)).toBe(true)
  const late = new Change()
  tasks.remove(late, 'acme', old)
  expect(await commit(late)).toBe(false)
  expect(
    (await tasks.listBy('status', 'acme', { limit: 9 })).map(({ record, position }) => [
      record.value.status,
      position,
    ]),
  ).toEqual([['paused', ['paused', 'a']]])
})

it('an index is paged by position, and a collection by id', async () => {
  const { tasks, commit } = createRecords(createMemoryStore())
  const change = new Change()
  for (let i = 0; i < 10; i++)
    tasks.insert(change, 'acme', task(`t${i}`, i < 5 ? 'active' : 'paused', []))
  await commit(change)
  const first = await tasks.listBy('status', 'acme', { limit: 6 })
  const rest = await tasks.listBy('status', 'acme', {
    limit: 6,
    after: first.at(-1)?.position ?? [],
  })
  expect([...first, ...rest].map(({ record }) => record.value.id)).toEqual(
    Array.from({ length: 10 }, (_, i) => `t${i}`),
  )
  const slice = await tasks.list('acme', { after: ['t2'], before: ['t6'], limit: 9, reverse: true })
  expect(slice.map((stored) => stored.id)).toEqual([['t5'], ['t4'], ['t3']])
  expect(await tasks.getMany('acme', [])).toEqual([])
})

it('a slice of an index is full although records are removed between the reads of index and records', async () => {
  const store = createMemoryStore()
  const { tasks, commit } = createRecords(store)
  const change = new Change()
  for (let i = 0; i < 10; i++) tasks.insert(change, 'acme', task(`t${i}`, 'active', []))
  await commit(change)
  for (const reverse of [false, true]) {
    const doomed = reverse ? ['t9', 't8', 't6'] : ['t0', 't1', 't3']
    // Another process removes the records when the index has been read.
    const { tasks: read } = createRecords({
      list: (range) => store.list(range),
      commit: (request) => store.commit(request),
      close: () => store.close(),
      async get(keys) {
        for (const id of doomed.splice(0)) {
          const old = await tasks.get('acme', id)
          const removal = new Change()
          if (old) tasks.remove(removal, 'acme', old)
          await commit(removal)
        }
        return store.get(keys)
      },
    })
    const rows = await read.listBy('status', 'acme', { within: ['active'], limit: 3, reverse })
    expect(rows.map(({ record }) => record.value.id)).toEqual(
      reverse ? ['t7', 't5', 't4'] : ['t2', 't4', 't5'],
    )
  }
  const rest = await tasks.listBy('status', 'acme', { within: ['active'], limit: 9 })
  expect(rest.map(({ record }) => record.value.id)).toEqual(['t2', 't4', 't5', 't7'])
})
