import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import type { Job, Queue } from '../../src/ports/queue.ts'
import { Change } from '../../src/records/change.ts'
import { SYSTEM } from '../../src/records/collection.ts'
import { createRecords } from '../../src/features/records.ts'
import { createOutbox } from '../../src/worker/outbox.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'

async function outboxOf(jobs: number): Promise<{
  pushed: Job[]
  drain: () => Promise<void>
  left: () => Promise<number>
  fail: { next: boolean }
}> {
  const clock = createFakeClock()
  const records = createRecords(createMemoryStore({ clock }))
  const change = new Change()
  for (let i = 0; i < jobs; i++)
    records.outbox.put(change, SYSTEM, {
      id: `job-${i}`,
      kind: 'execution',
      data: { i },
      at: clock.now(),
    })
  await records.commit(change)
  const pushed: Job[] = []
  const fail = { next: false }
  const queue: Queue = {
    async push(job) {
      if (fail.next) throw new Error('The queue is down')
      pushed.push(job)
    },
    consume: async () => {},
    close: async () => {},
  }
  const outbox = createOutbox(records, queue, clock)
  return {
    pushed,
    fail,
    drain: () => outbox.drain(),
    left: async () => (await records.outbox.list(SYSTEM, { limit: 1_000 })).length,
  }
}

describe('the outbox', () => {
  it('pushes every job and deletes its entry, also more than one page of jobs', async () => {
    const { pushed, drain, left } = await outboxOf(250)
    await drain()
    expect(new Set(pushed.map(({ id }) => id)).size).toBe(250)
    expect(await left()).toBe(0)
  })

  it('pushes a job into the wanted lane', async () => {
    const clock = createFakeClock()
    const records = createRecords(createMemoryStore({ clock }))
    const change = new Change()
    records.outbox.put(change, SYSTEM, {
      id: 'a',
      kind: 'execution',
      data: null,
      lane: 'long',
      at: clock.now(),
    })
    records.outbox.put(change, SYSTEM, { id: 'b', kind: 'sweep', data: null, at: clock.now() })
    await records.commit(change)
    const pushed: Job[] = []
    const queue: Queue = {
      push: async (job) => void pushed.push(job),
      consume: async () => {},
      close: async () => {},
    }
    await createOutbox(records, queue, clock).drain()
    expect(pushed).toEqual([
      { id: 'a', kind: 'execution', data: null, lane: 'long' },
      { id: 'b', kind: 'sweep', data: null },
    ])
  })

  it('pushes each job once for callers at the same time', async () => {
    const { pushed, drain } = await outboxOf(20)
    await Promise.all([drain(), drain(), drain()])
    expect(pushed.length).toBe(20)
  })

  it('keeps jobs that a failing queue did not accept', async () => {
    const { pushed, drain, left, fail } = await outboxOf(3)
    fail.next = true
    await expect(drain()).rejects.toThrow('The queue is down')
    expect(await left()).toBe(3)
    fail.next = false
    await drain()
    expect(pushed.length).toBe(3)
    expect(await left()).toBe(0)
  })
})
