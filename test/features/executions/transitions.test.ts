import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import {
  canMove,
  enqueueExecution,
  isFinal,
  moveExecution,
} from '../../../src/features/executions/lifecycle.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { ExecutionRecord, ExecutionStatus } from '../../../src/features/executions/records.ts'

const ALL: readonly ExecutionStatus[] = [
  'queued',
  'running',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
]
const execution = (status: ExecutionStatus): ExecutionRecord => ({
  id: 'exec_1',
  taskId: null,
  recipe: {},
  status,
  reason: null,
  retryOf: null,
  createdAt: 1,
  startedAt: null,
  finishedAt: null,
  updatedAt: 5,
})

async function stored(status: ExecutionStatus) {
  const records = createRecords(createMemoryStore())
  const change = new Change()
  records.executions.insert(change, 'acme', execution(status))
  records.fences.put(change, 'acme', { execution: 'exec_1', holder: 'w1' })
  records.heartbeats.put(change, 'acme', { execution: 'exec_1', holder: 'w1', until: 100 })
  await records.commit(change)
  const read = async () => {
    const current = await records.executions.get('acme', 'exec_1')
    if (!current) throw new Error('gone')
    return current
  }
  return { records, read }
}

it('every move between states is in the table', () => {
  const moves = ALL.flatMap((from) =>
    ALL.filter((to) => canMove(from, to)).map((to) => `${from} ${to}`),
  )
  expect(moves).toEqual([
    'queued queued',
    'queued running',
    'queued paused',
    'queued cancelled',
    'running queued',
    'running paused',
    'running succeeded',
    'running failed',
    'running cancelled',
    'running timed_out',
    'paused queued',
    'paused cancelled',
  ])
  expect(ALL.filter(isFinal)).toEqual(['succeeded', 'failed', 'cancelled', 'timed_out'])
})

describe('a move', () => {
  it('out of running invalidates the commits of the worker', async () => {
    const { records, read } = await stored('running')
    const fence = await records.fences.get('acme', 'exec_1')
    const change = new Change()
    const moved = moveExecution(records, change, 'acme', await read(), 'cancelled', { now: 50 })
    expect(moved).toMatchObject({ status: 'cancelled', finishedAt: 50, updatedAt: 50 })
    expect(await records.commit(change)).toBe(true)
    expect([
      await records.fences.get('acme', 'exec_1'),
      await records.heartbeats.get('acme', 'exec_1'),
    ]).toEqual([null, null])
    const late = new Change()
    if (fence) records.fences.require(late, 'acme', fence)
    records.segments.put(late, 'acme', {
      execution: 'exec_1',
      index: 0,
      blob: 'b',
      rows: 1,
      offset: 0,
    })
    expect(await records.commit(late)).toBe(false)
    expect(
      (await records.executions.listBy('status', 'acme', { within: ['cancelled'], limit: 5 })).map(
        ({ record }) => record.value.id,
      ),
    ).toEqual(['exec_1'])
  })

  it('of a state that has changed meanwhile writes nothing', async () => {
    const { records, read } = await stored('queued')
    const [first, second] = [new Change(), new Change()]
    moveExecution(records, first, 'acme', await read(), 'running', { now: 50 })
    moveExecution(records, second, 'acme', await read(), 'cancelled', { now: 50 })
    expect([await records.commit(first), await records.commit(second)]).toEqual([true, false])
    expect((await read()).value).toMatchObject({
      status: 'running',
      startedAt: 50,
      finishedAt: null,
    })
  })

  it('has a later time than the move before, even if the clock has not', async () => {
    const { records, read } = await stored('paused')
    const change = new Change()
    const moved = moveExecution(records, change, 'acme', await read(), 'queued', { now: 2 })
    enqueueExecution(records, change, 'acme', moved, 2)
    await records.commit(change)
    expect(moved.updatedAt).toBe(6)
    expect((await records.outbox.list(SYSTEM, { limit: 5 })).map(({ value }) => value)).toEqual([
      {
        id: 'run:exec_1:6',
        kind: 'execution',
        data: { account: 'acme', execution: 'exec_1' },
        lane: 'long',
        at: 0,
      },
    ])
  })

  it('that is not allowed names the state', async () => {
    for (const from of ALL) {
      const { records, read } = await stored(from)
      const old = await read()
      for (const to of ALL.filter((state) => !canMove(from, state))) {
        const change = new Change()
        expect(() => moveExecution(records, change, 'acme', old, to, { now: 9 })).toThrow(from)
        expect(change.size).toBe(0)
      }
    }
  })
})

it('moves emit events at the first begin and at the end only, whatever happens in between', async () => {
  const ways: readonly (readonly ExecutionStatus[])[] = [
    ['running', 'paused', 'queued', 'running', 'paused', 'queued', 'running', 'succeeded'],
    ['running', 'failed'],
    ['running', 'timed_out'],
    ['running', 'cancelled'],
    ['cancelled'],
    ['paused', 'queued', 'paused', 'cancelled'],
  ]
  const types: string[][] = []
  for (const way of ways) {
    const { records, read } = await stored('queued')
    for (const to of way) {
      const change = new Change()
      moveExecution(records, change, 'acme', await read(), to, { now: 9 })
      expect(await records.commit(change)).toBe(true)
    }
    const events = (await records.outbox.list(SYSTEM, { limit: 9 }))
      .filter(({ value }) => value.kind === 'event')
      .map(({ value }) => JSON.parse(JSON.stringify(value.data)))
    types.push(events.map(({ type }) => type.replace('execution.', '')).toSorted())
    for (const event of events)
      expect(event).toMatchObject({
        account: 'acme',
        data: { execution: { id: 'exec_1' } },
        taskId: null,
      })
  }
  expect(types).toEqual([
    ['started', 'succeeded'],
    ['failed', 'started'],
    ['failed', 'started'],
    ['cancelled', 'started'],
    ['cancelled'],
    ['cancelled'],
  ])
})
