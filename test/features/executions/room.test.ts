import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { demandRoom } from '../../../src/features/executions/room.ts'
import type { ExecutionStatus } from '../../../src/features/executions/records.ts'
import { createRecords } from '../../../src/features/records.ts'
import { nextTurn } from '../../../src/kernel/pace.ts'
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

/** The money of an account as a start reads it, with the number that the start before has left. */
function moneyOf(unfinished: number | null, concurrentExecutions?: number | null) {
  return {
    plan: { ...PLAN, ...(concurrentExecutions !== undefined && { concurrentExecutions }) },
    unfinished,
  }
}

test('a plan that names no number of unfinished executions allows 10,000', async () => {
  const { records } = await openAccount(10_000)
  await expect(demandRoom(records, ACCOUNT, moneyOf(null))).rejects.toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    limit: { of: 'executions', used: 10_000, most: 10_000 },
  })
  await demandRoom(records, 'other', moneyOf(null))
  await demandRoom(records, ACCOUNT, moneyOf(null, 10_001))
})

test('the executions are counted once, until the starts since then reach the limit', async () => {
  const { records, lists } = await openAccount(9_000)
  const money = moneyOf(null)
  await demandRoom(records, ACCOUNT, money)
  expect(money.unfinished).toBe(9_001)
  const counting = lists.read
  expect(counting).toBeGreaterThan(0)
  for (let start = 1; start < 1_000; start++) await demandRoom(records, ACCOUNT, money)
  expect(money.unfinished).toBe(10_000)
  expect(lists.read).toBe(counting)
  // All of those have ended.
  await demandRoom(records, ACCOUNT, money)
  expect(money.unfinished).toBe(9_001)
  expect(lists.read).toBe(2 * counting)
})

test('a number that a plan names is kept in the same way', async () => {
  const { records, lists } = await openAccount(2)
  const money = moneyOf(null, 3)
  await demandRoom(records, ACCOUNT, money)
  expect(money.unfinished).toBe(3)
  const counting = lists.read
  await demandRoom(records, ACCOUNT, money)
  expect(lists.read).toBe(2 * counting)
  await expect(demandRoom(records, ACCOUNT, moneyOf(2, 2))).rejects.toMatchObject({
    limit: { used: 2, most: 2 },
  })
})

test('starts under a plan without a limit are counted when a plan with one follows', async () => {
  const { records, lists } = await openAccount(3)
  const money = moneyOf(0, null)
  await demandRoom(records, ACCOUNT, money)
  expect([money.unfinished, lists.read]).toEqual([null, 0])
  await expect(demandRoom(records, ACCOUNT, { ...moneyOf(null, 3) })).rejects.toMatchObject({
    limit: { used: 3 },
  })
})

test('thousands of executions are counted in different turns of the event loop', async () => {
  const { records, lists } = await openAccount(5_000)
  let now = 0
  const over = new AbortController()
  const counting = (async () => {
    for (; !over.signal.aborted; now++) await turn()
  })()
  const turns: number[] = []
  lists.seen = () => void turns.push(now)
  await demandRoom(records, ACCOUNT, moneyOf(null))
  over.abort()
  await counting
  // The first batch of all is read at once.
  expect(new Set(turns).size).toBe(turns.length)
  expect(turns.length).toBeGreaterThan(10)
})

test('a few executions take no turn of their own', async () => {
  const { records, lists } = await openAccount(20)
  let isLater = false
  void nextTurn().then(() => (isLater = true))
  lists.seen = () => expect(isLater).toBe(false)
  await demandRoom(records, ACCOUNT, moneyOf(null))
  expect(lists.read).toBeGreaterThan(0)
})
