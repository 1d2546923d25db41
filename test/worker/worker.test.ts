import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createStoreQueue } from '../../src/defaults/store-queue.ts'
import type { Logger } from '../../src/ports/logger.ts'
import { SYSTEM } from '../../src/records/collection.ts'
import { createRecords } from '../../src/features/records.ts'
import type { JobEnds, KindHandler } from '../../src/features/common/job.ts'
import { createOutbox } from '../../src/worker/outbox.ts'
import type { Outbox } from '../../src/worker/outbox.ts'
import { createWorker } from '../../src/worker/worker.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'

const CONCURRENCY = { short: 1, remote: 1, long: 1 } as const

/** A worker with one kind of job, and its logged warnings. */
function workerOf(
  handle: KindHandler,
  ends: JobEnds = {},
  drain = (outbox: Outbox): Promise<void> => outbox.drain(),
) {
  const clock = createFakeClock()
  const records = createRecords(createMemoryStore({ clock }))
  const queue = createStoreQueue({
    records,
    clock,
    random: seededRandom(1),
    logger: { ...silent(), warn: (message) => void warnings.push(message) },
  })
  const warnings: string[] = []
  const outbox = createOutbox(records, queue, clock)
  const worker = createWorker({
    telemetry: null,
    queue,
    outbox: { drain: () => drain(outbox) },
    clock,
    logger: silent(),
    jobs: { a: handle },
    ends,
    concurrency: CONCURRENCY,
    helper: null,
  })
  return { clock, records, queue, worker, warnings }
}

function silent(): Logger {
  return { debug() {}, info() {}, warn() {}, error() {} }
}

describe('a job that runs when the worker stops', () => {
  it('is returned to the queue, not failed: it is due at once, as if it had not begun', async () => {
    for (const wrapped of [false, true]) {
      const stop = new AbortController()
      const { clock, records, queue, worker, warnings } = workerOf(async (_, { signal }) => {
        stop.abort()
        if (wrapped) throw new DOMException('The request was given up', 'AbortError')
        signal.throwIfAborted()
        return 'done'
      })
      await queue.push({ id: 'j', kind: 'a', data: null })
      await clock.runUntil(worker.run({ signal: stop.signal }))
      expect((await records.jobs.get(SYSTEM, 'j'))?.value).toMatchObject({
        dueAt: clock.now(),
        attempt: 0,
        lease: null,
      })
      expect(warnings).toEqual([])
    }
  })

  it('and fails for another reason is logged and tried again later', async () => {
    const stop = new AbortController()
    const { clock, records, queue, worker, warnings } = workerOf(async () => {
      stop.abort()
      throw new Error('The disk is full')
    })
    await queue.push({ id: 'j', kind: 'a', data: null })
    await clock.runUntil(worker.run({ signal: stop.signal }))
    const job = (await records.jobs.get(SYSTEM, 'j'))?.value
    expect(job).toMatchObject({ attempt: 1, lease: null })
    expect(job?.dueAt).toBeGreaterThan(clock.now())
    expect(warnings).toEqual(['A job failed and is tried again later'])
  })

  it('ends a tick whose time is over, and the next tick continues it', async () => {
    const seen: number[] = []
    const { clock, queue, worker, warnings } = workerOf(async (_, { signal, attempt }) => {
      seen.push(attempt)
      if (seen.length === 1) await clock.sleep(60_000, signal)
      return 'done'
    })
    await queue.push({ id: 'j', kind: 'a', data: null })
    await clock.runUntil(worker.tick({ budgetMs: 5_000 }))
    expect(seen).toEqual([1])
    await clock.runUntil(worker.tick({ budgetMs: 5_000 }))
    expect(seen).toEqual([1, 1])
    expect(warnings).toEqual([])
  })
})

it('the worker survives an error in giving up a job that failed too often, while the outbox is slow', async () => {
  // An unhandled rejection ends a process of Node.
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  let tries = 0
  const { clock, queue, worker, warnings } = workerOf(
    async () => {
      throw new Error('The page cannot be read')
    },
    {
      a: {
        mostFailures: 1,
        end: async () => {
          if (++tries === 1) throw new Error('The store is away')
          return 'done'
        },
      },
    },
    async (outbox) => {
      await clock.sleep(500)
      await outbox.drain()
    },
  )
  await queue.push({ id: 'j', kind: 'a', data: null })
  await clock.runUntil(worker.tick())
  await clock.advance(60_000)
  await clock.runUntil(worker.tick())
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
  expect(tries).toBe(2)
  expect(warnings).toEqual(['A job failed and is tried again later'])
})
