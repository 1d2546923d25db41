import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { demandRoom } from '../../../src/features/executions/room.ts'
import type { ExecutionStatus } from '../../../src/features/executions/records.ts'
import { createRecords } from '../../../src/features/records.ts'
import { Change } from '../../../src/records/change.ts'

const ACCOUNT = 'acme'
const PLAN = { id: 'pro', name: 'Pro', creditsPerMonth: 30 }
const STATUSES: readonly ExecutionStatus[] = ['queued', 'running', 'paused']

/** An account with so many unfinished executions, and the number of lists that are read of them. */
async function openAccount(count: number) {
  const store = createMemoryStore()
  const lists = { read: 0, seen: () => {} }
  const list = store.list.bind(store)
  store.list = (...args) => {
    lists.read++
    lists.seen()
    return list(...args)
  }
  const records = createRecords(store)
  const change = new Change()
  for (let index = 0; index < count; index++)
    records.executions.insert(change, ACCOUNT, {
      id: `exec_${index}`,
      taskId: null,
      recipe: {},
      status: STATUSES[index % STATUSES.length] ?? 'queued',
      reason: null,
      retryOf: null,
      createdAt: 1,
      startedAt: null,
      finishedAt: null,
      updatedAt: 5,
    })
  await records.commit(change)
  return { records, lists }
}

test('a plan that names no number of unfinished executions allows 10,000', async () => {
  const { records, lists } = await openAccount(10_000)
  for (let start = 0; start < 100; start++) await demandRoom(records, ACCOUNT, PLAN)
  expect(lists.read).toBe(0)
  await expect(demandRoom(records, ACCOUNT, PLAN)).rejects.toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    limit: { of: 'executions', used: 10_000, most: 10_000 },
  })
  await demandRoom(records, 'other', PLAN)
  await demandRoom(records, ACCOUNT, { ...PLAN, concurrentExecutions: null })
  await demandRoom(records, ACCOUNT, { ...PLAN, concurrentExecutions: 10_001 })
})

test('the default is not exceeded, and seldom counted', async () => {
  const { records, lists } = await openAccount(9_000)
  for (let start = -100; start < 501; start++) await demandRoom(records, ACCOUNT, PLAN)
  const few = lists.read
  expect(few).toBeGreaterThan(0)
  for (let start = 501; start < 1_002; start++) await demandRoom(records, ACCOUNT, PLAN)
  expect(lists.read).toBe(2 * few)
})

test('a number that a plan names is counted with each start', async () => {
  const { records, lists } = await openAccount(2)
  const plan = { ...PLAN, concurrentExecutions: 3 }
  await demandRoom(records, ACCOUNT, plan)
  const few = lists.read
  await demandRoom(records, ACCOUNT, plan)
  expect(lists.read).toBe(2 * few)
})

test('thousands of executions are counted in different turns of the event loop', async () => {
  const { records, lists } = await openAccount(10_000)
  for (let start = 0; start < 100; start++) await demandRoom(records, ACCOUNT, PLAN)
  let now = 0
  const over = new AbortController()
  const counting = (async () => {
    for (; !over.signal.aborted; now++) await turn()
  })()
  const turns = new Set<number>()
  lists.seen = () => void turns.add(now)
  const starts = Array.from({ length: 8 }, () => demandRoom(records, ACCOUNT, PLAN))
  for (const { status } of await Promise.allSettled(starts)) expect(status).toBe('rejected')
  over.abort()
  await counting
  expect(turns.size).toBeGreaterThanOrEqual(8)
})
