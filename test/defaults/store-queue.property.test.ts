import { describe, expect, it, test } from 'vitest'
import { StoreFailure } from '../../src/kernel/failures.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createStoreQueue } from '../../src/defaults/store-queue.ts'
import type { Delivery, JobResult } from '../../src/ports/queue.ts'
import type { Store } from '../../src/ports/store.ts'
import { Change } from '../../src/records/change.ts'
import { SYSTEM } from '../../src/records/collection.ts'
import { createRecords } from '../../src/features/records.ts'
import { queueContract } from '../contracts/queue.ts'
import type { QueueSubject } from '../contracts/queue-subject.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'
import { FaultStore, playEach } from '../support/stores/fault-store.ts'

async function make(wrap: (store: Store) => Store = (store) => store): Promise<QueueSubject> {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const open = (seed: number, opened: Store) =>
    createStoreQueue({
      records: createRecords(opened),
      clock,
      random: seededRandom(seed),
      leaseMs: 9_000,
    })
  return { queue: open(1, wrap(store)), other: open(2, store), clock }
}

queueContract('createStoreQueue', make)

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const never = new AbortController().signal

describe('a lease', () => {
  it('that ends without a sign of life leaves the job to another process, and aborts the first handler', async () => {
    let frozen = false
    // The first process can no longer reach the store, so its renewals never arrive.
    const { queue, other, clock } = await make((store) => ({
      ...bound(store),
      commit: (change) => (frozen ? new Promise(() => undefined) : store.commit(change)),
    }))
    await other.push({ id: 'j', kind: 'a', data: null })
    const log: string[] = []
    void queue.consume(
      async (_, signal) => {
        frozen = true
        await clock.sleep(1_000_000, signal).catch((error: unknown) => log.push(String(error)))
        return 'done'
      },
      { concurrency: 1, signal: never },
    )
    await clock.advance(8_000)
    expect(log).toEqual([])
    await clock.runUntil(
      other.consume(async () => 'done', { concurrency: 1, signal: never, untilIdle: true }),
    )
    expect(log).toEqual([])
    await clock.advance(1_500)
    expect(log).toEqual(['Error: The lease ended'])
    const second: number[] = []
    await clock.runUntil(
      other.consume(
        async (job) => {
          second.push(job.attempt)
          return 'done'
        },
        { concurrency: 1, signal: never, untilIdle: true },
      ),
    )
    expect(second).toEqual([2])
  })

  it('that another process has taken over cannot be settled by the first one', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore({ clock })
    const records = createRecords(store)
    let away = false
    const flaky: Store = {
      ...bound(store),
      commit: (change) => (away ? Promise.reject(new Error('unreachable')) : store.commit(change)),
    }
    const first = createStoreQueue({
      records: createRecords(flaky),
      clock,
      random: seededRandom(1),
      leaseMs: 9_000,
    })
    const second = createStoreQueue({ records, clock, random: seededRandom(2), leaseMs: 9_000 })
    await second.push({ id: 'j', kind: 'a', data: null })
    const stop = new AbortController()
    const done: string[] = []
    const one = first.consume(
      async (_, signal) => {
        away = true
        await clock.sleep(20_000)
        away = false
        done.push(`first ${String(signal.aborted)}`)
        stop.abort()
        return 'done'
      },
      { concurrency: 1, signal: stop.signal },
    )
    await clock.advance(1)
    const two = second.consume(
      async (job) => {
        await clock.sleep(30_000)
        done.push(`second ${job.attempt}`)
        stop.abort()
        return { again: clock.now() + 1_000_000 }
      },
      { concurrency: 1, signal: stop.signal },
    )
    await clock.runUntil(Promise.all([one, two]))
    expect(done).toEqual(['first true', 'second 2'])
    expect((await records.jobs.get(SYSTEM, 'j'))?.value).toMatchObject({
      lease: null,
      attempt: 0,
      dueAt: clock.now() + 1_000_000,
    })
  })
})

describe('a race', () => {
  it('that another consumer wins does not make this one idle', async () => {
    let overtake: (() => Promise<void>) | null = null
    const { queue, other, clock } = await make((store) => ({
      ...bound(store),
      async get(keys) {
        const run = overtake
        overtake = null
        await run?.()
        return store.get(keys)
      },
    }))
    for (const id of ['a', 'b', 'c'])
      await other.push({ id, kind: 'a', data: null }, { at: clock.now() })
    const stop = new AbortController()
    const ran: string[] = []
    const consumers: Promise<void>[] = []
    // The other consumer takes the job after this one has read the index and before it reads the
    // job.
    overtake = () =>
      new Promise((resolve) => {
        const work = async (job: Delivery): Promise<JobResult> => {
          ran.push(`other ${job.id}`)
          resolve()
          await clock.sleep(5_000)
          return 'done'
        }
        consumers.push(other.consume(work, { concurrency: 1, signal: stop.signal }))
      })
    const work = async (job: Delivery): Promise<JobResult> => {
      ran.push(job.id)
      return 'done'
    }
    await clock.runUntil(queue.consume(work, { concurrency: 1, signal: never, untilIdle: true }))
    expect(ran).toEqual(['other a', 'b', 'c'])
    stop.abort()
    await clock.runUntil(Promise.all(consumers))
  })

  it('does not make this one idle, however often another is faster and whatever happened to the job', async () => {
    const ids = Array.from({ length: 60 }, (_, i) => `j${i}`)
    const takenIds: string[] = []
    const clock = createFakeClock()
    const store = createMemoryStore({ clock })
    const records = createRecords(store)
    // Whenever the first process is about to read a job from the index, another process takes the
    // job, or takes and ends it.
    const overtaken: Store = {
      ...bound(store),
      async get(keys) {
        const id = String(keys[0]?.at(-1))
        const stored =
          takenIds.length < 50 && keys.length === 1 && ids.includes(id) && !takenIds.includes(id)
            ? await records.jobs.get(SYSTEM, id)
            : null
        if (stored) {
          takenIds.push(id)
          const change = new Change()
          if (takenIds.length % 2 === 0) records.jobs.remove(change, SYSTEM, stored)
          else
            records.jobs.update(change, SYSTEM, stored, {
              ...stored.value,
              lease: 'another',
              dueAt: clock.now() + 1_000_000,
            })
          await records.commit(change)
        }
        return store.get(keys)
      },
    }
    const pusher = createStoreQueue({ records, clock, random: seededRandom(2) })
    for (const id of ids) await pusher.push({ id, kind: 'a', data: null })
    const ran: string[] = []
    const work = async (job: Delivery): Promise<JobResult> => {
      ran.push(job.id)
      return 'done'
    }
    const first = createStoreQueue({
      records: createRecords(overtaken),
      clock,
      random: seededRandom(1),
    })
    await clock.runUntil(first.consume(work, { concurrency: 1, signal: never, untilIdle: true }))
    expect(takenIds.length).toBe(50)
    expect([...takenIds, ...ran].toSorted()).toEqual(ids.toSorted())
  })

  it('is told apart from an index that must be rebuilt', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore({ clock })
    const records = createRecords(store)
    const queue = createStoreQueue({ records, clock, random: seededRandom(1) })
    await queue.push({ id: 'j', kind: 'a', data: null }, { at: clock.now() + 60_000 })
    const [entry] = await store.list({ prefix: [SYSTEM, 'jobs/due'], limit: 1 })
    const [indexEntry] = await records.jobs.listBy('due', SYSTEM, { within: ['short'], limit: 1 })
    if (!entry || !indexEntry) throw new Error('The index is empty')
    const key = [SYSTEM, 'jobs/due', 'short', clock.now(), ...indexEntry.record.id]
    await store.commit({ set: [{ key, value: entry.value }] })
    const ran: string[] = []
    const work = async (job: Delivery): Promise<JobResult> => {
      ran.push(job.id)
      return 'done'
    }
    await clock.runUntil(queue.consume(work, { concurrency: 1, signal: never, untilIdle: true }))
    expect(ran).toEqual([])
  })

  it('that the first handler loses aborts that handler at its next sign of life', async () => {
    const clock = createFakeClock()
    const records = createRecords(createMemoryStore({ clock }))
    const queue = createStoreQueue({ records, clock, random: seededRandom(1), leaseMs: 9_000 })
    await queue.push({ id: 'j', kind: 'a', data: null })
    const start = clock.now()
    const log: string[] = []
    const stop = new AbortController()
    const consumed = queue.consume(
      async (_, signal) => {
        const job = await records.jobs.get(SYSTEM, 'j')
        if (!job) throw new Error('The job is gone')
        const change = new Change()
        records.jobs.update(change, SYSTEM, job, {
          ...job.value,
          lease: 'another',
          dueAt: clock.now() + 1_000_000,
        })
        await records.commit(change)
        await clock
          .sleep(60_000, signal)
          .catch((error: unknown) => log.push(`${clock.now() - start} ${String(error)}`))
        stop.abort()
        return 'done'
      },
      { concurrency: 1, signal: stop.signal },
    )
    await clock.runUntil(consumed)
    expect(log).toEqual(['3000 Error: Another worker has taken over the job'])
    expect((await records.jobs.get(SYSTEM, 'j'))?.value.lease).toBe('another')
  })
})

describe('a store that fails', () => {
  it('after a job was taken does not delay the job', async () => {
    let commits = 0
    const { queue, clock } = await make((store) => ({
      ...bound(store),
      async commit(change) {
        const isWritten = await store.commit(change)
        if (++commits === 2) throw new Error('The store failed after')
        return isWritten
      },
    }))
    await queue.push({ id: 'j', kind: 'a', data: null })
    const seen: number[] = []
    const work = async (job: Delivery): Promise<JobResult> => {
      seen.push(job.attempt)
      return 'done'
    }
    await clock.runUntil(queue.consume(work, { concurrency: 1, signal: never, untilIdle: true }))
    expect({ seen, commits }).toEqual({ seen: [1], commits: 3 })
  })

  it.each(['fail-before', 'fail-after'] as const)(
    '%s at any commit loses no job',
    async (fault) => {
      const { scenarios } = await playEach(fault, async (k) => {
        let fired = () => false
        const { queue, clock } = await make((store) => {
          const faulty = new FaultStore(store, k, fault)
          fired = () => faulty.fired
          return faulty
        })
        const again = async (push: () => Promise<void>): Promise<void> => push().catch(push)
        for (const id of ['a', 'b', 'c'])
          await again(() => queue.push({ id, kind: 'a', data: null }))
        const runs: string[] = []
        const stop = new AbortController()
        const consumed = queue.consume(
          async (job) => {
            runs.push(job.id)
            if (runs.length === 1)
              await again(() => queue.push({ id: job.id, kind: 'a', data: null }))
            await clock.sleep(4_000)
            return 'done'
          },
          { concurrency: 2, signal: stop.signal },
        )
        await clock.advance(100_000)
        stop.abort()
        await clock.runUntil(consumed)
        const first = runs[0] ?? ''
        expect([...new Set(runs)].toSorted()).toEqual(['a', 'b', 'c'])
        expect(runs.filter((id) => id === first).length).toBeGreaterThanOrEqual(2)
        await queue.close()
        return { fired: fired(), broken: [] }
      })
      // Each job is pushed, taken and done; one is pushed again.
      expect(scenarios).toBeGreaterThan(9)
    },
  )
})

/** The store's methods as plain properties, so that a test can replace one. */
function bound(store: Store): Store {
  return {
    get: (keys) => store.get(keys),
    list: (range) => store.list(range),
    commit: (change) => store.commit(change),
    close: () => store.close(),
  }
}

test('a store that is away is logged once, and not for each try of each job', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  let isAway = false
  const warnings: string[] = []
  const queue = createStoreQueue({
    records: createRecords({
      ...bound(store),
      commit: async (change) => {
        if (isAway) throw new StoreFailure('unreachable')
        return store.commit(change)
      },
    }),
    clock,
    random: seededRandom(1),
    leaseMs: 30_000,
    logger: { ...silent, warn: (message) => void warnings.push(message) },
  })
  for (const id of ['a', 'b', 'c']) await queue.push({ id, kind: 'x', data: null })
  const done: string[] = []
  const over = new AbortController()
  const consumed = queue.consume(
    async ({ id, attempt }) => {
      if (attempt === 1) {
        isAway = true
        void clock.sleep(10_000).then(() => (isAway = false))
        throw new StoreFailure('unreachable')
      }
      done.push(id)
      return 'done'
    },
    { concurrency: 3, signal: over.signal },
  )
  await clock.advance(120_000)
  over.abort()
  await clock.runUntil(consumed)
  expect(done.toSorted()).toEqual(['a', 'b', 'c'])
  expect(warnings).toEqual([
    'The store cannot be reached; trying again',
    'The store can be reached again',
  ])
})
