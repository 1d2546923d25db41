import { expect, it } from 'vitest'
import type { Delivery, JobHandler, JobResult } from '../../src/ports/queue.ts'
import { Change } from '../../src/records/change.ts'
import { SYSTEM } from '../../src/records/collection.ts'
import type { JobRecord } from '../../src/records/core.ts'
import { createQueueProcesses, QUEUE_LEASE_MS } from '../support/stores/queue-processes.ts'

const never = new AbortController().signal
const forever = (): Promise<JobResult> => new Promise(() => {})

/** Lets a process take all due jobs and die; the leases are over afterwards. */
async function dieWith(
  { clock, spawn }: ReturnType<typeof createQueueProcesses>,
  concurrency = 8,
): Promise<Delivery[]> {
  const held: Delivery[] = []
  const process = spawn()
  void process.queue.consume(async (job) => (held.push(job), forever()), {
    concurrency,
    signal: never,
  })
  await clock.advance(100)
  process.die()
  await clock.advance(QUEUE_LEASE_MS)
  return held
}

/**
 * A queue whose one job, `suspect`, was lost with so many processes. `start` is the time when the
 * last of its leases was over.
 */
async function suspectWorld(deaths = 1) {
  const world = createQueueProcesses()
  const { queue } = world.spawn()
  await queue.push({ id: 'suspect', kind: 'x', data: null })
  for (let i = 0; i < deaths; i++) await dieWith(world)
  return { ...world, queue, start: world.clock.now() }
}

async function drain(
  { clock, spawn }: ReturnType<typeof createQueueProcesses>,
  handler: JobHandler,
  concurrency = 8,
): Promise<void> {
  await clock.runUntil(
    spawn().queue.consume(handler, { concurrency, signal: never, untilIdle: true }),
  )
}

it('jobs of a dead process run last, and each of them alone', async () => {
  const world = createQueueProcesses()
  const { clock, spawn } = world
  const { queue } = spawn()
  for (const id of ['a', 'b', 'c'])
    await queue.push({ id, kind: 'x', data: null, ...(id === 'b' && { lane: 'long' }) })
  expect((await dieWith(world)).map(({ lost }) => lost)).toEqual([0, 0, 0])
  for (const id of ['d', 'e', 'f']) await queue.push({ id, kind: 'x', data: null })
  const begun: string[] = []
  const beside = new Map<string, number>()
  let running = 0
  await drain(world, async ({ id, lost }) => {
    begun.push(`${id}${lost}`)
    running++
    await clock.sleep(1_000)
    beside.set(id, running--)
    return 'done'
  })
  expect(begun.slice(0, 3)).toEqual(['d0', 'e0', 'f0'])
  expect(begun.slice(3).toSorted()).toEqual(['a1', 'b1', 'c1'])
  expect(['a', 'b', 'c'].map((id) => beside.get(id))).toEqual([1, 1, 1])
  expect(Math.max(...beside.values())).toBe(3)
})

it('a job that kills its process is told from the jobs beside it, and its deaths are counted', async () => {
  const world = createQueueProcesses()
  const { clock, records, spawn } = world
  const { queue } = spawn()
  for (const id of ['guilty', 'honest-1', 'honest-2', 'honest-3'])
    await queue.push({ id, kind: 'x', data: null })
  const done: string[] = []
  const killed: number[] = []
  for (let life = 0; done.length < 4; life++) {
    expect(life).toBeLessThan(6)
    const process = spawn()
    const stop = new AbortController()
    let isDead = false
    void process.queue.consume(
      async ({ id, lost }) => {
        if (id === 'guilty' && lost < 3) {
          killed.push(lost)
          process.die()
          isDead = true
        }
        await clock.sleep(1_000)
        if (isDead) return forever()
        done.push(`${id} ${lost}`)
        return 'done'
      },
      { concurrency: 8, signal: stop.signal },
    )
    await clock.advance(4 * QUEUE_LEASE_MS)
    process.die()
    stop.abort()
  }
  expect(killed).toEqual([0, 1, 2])
  // The honest jobs died once beside it, and not a second time.
  expect(done.toSorted()).toEqual(['guilty 3', 'honest-1 1', 'honest-2 1', 'honest-3 1'])
  expect(await records.jobs.list(SYSTEM, { limit: 10 })).toEqual([])
})

it.for<readonly [string, (job: Delivery, turn: Parameters<JobHandler>[2]) => Promise<JobResult>]>([
  ['asks to be delivered again', async (job) => ({ again: Number(job.data) + 2_000 })],
  ['throws', async () => Promise.reject(new Error('not yet'))],
  ['made progress, however it ends', async (_, turn) => (await turn.progress(), forever())],
])('a delivery that %s resets the count of deaths to 0', async ([, end]) => {
  const world = createQueueProcesses()
  const { clock, spawn } = world
  await spawn().queue.push({ id: 'j', kind: 'x', data: clock.now() + 2 * (QUEUE_LEASE_MS + 100) })
  await dieWith(world)
  await dieWith(world)
  const lost: number[] = []
  const process = spawn()
  void process.queue.consume(
    async (job, _, turn) => {
      lost.push(job.lost)
      return lost.length === 1 ? end(job, turn) : forever()
    },
    { concurrency: 1, signal: never },
  )
  await clock.advance(100)
  expect(lost).toEqual([2])
  await clock.advance(5_000)
  process.die()
  await clock.advance(QUEUE_LEASE_MS)
  await drain(world, async (job) => (lost.push(job.lost), 'done'))
  // The next death counts as the first again.
  expect(lost.at(-1)).toBe(1)
})

it('a delivery that should give the job up, and throws, does not change the count', async () => {
  const { clock, records, spawn } = await suspectWorld(2)
  const seen: string[] = []
  const stop = new AbortController()
  const consumed = spawn().queue.consume(
    async ({ lost, attempt, isNewlyLost }, _, turn) => {
      seen.push(`${lost} ${attempt} ${isNewlyLost}`)
      turn.givesUp()
      if (seen.length < 3) throw new Error('not yet')
      stop.abort()
      return 'done'
    },
    { concurrency: 1, signal: stop.signal },
  )
  await clock.runUntil(consumed)
  expect(seen).toEqual(['2 3 true', '2 4 false', '2 5 false'])
  expect(await records.jobs.list(SYSTEM, { limit: 10 })).toEqual([])
})

it('each loss is newly lost in one delivery, also after a delivery that should give it up', async () => {
  const world = await suspectWorld()
  const { clock, spawn } = world
  const seen: string[] = []
  const deliver = async (handler: JobHandler) => {
    const process = spawn()
    void process.queue.consume(
      async (job, ...more) => {
        seen.push(`${job.lost} ${job.isNewlyLost}`)
        return handler(job, ...more)
      },
      { concurrency: 1, signal: never },
    )
    await clock.advance(5_000)
    process.die()
    await clock.advance(QUEUE_LEASE_MS)
  }
  await deliver(async (_, __, turn) => {
    turn.givesUp()
    if (seen.length < 2) throw new Error('not yet')
    return forever()
  })
  await deliver(forever)
  await drain(world, async ({ lost, isNewlyLost }) => (seen.push(`${lost} ${isNewlyLost}`), 'done'))
  expect(seen).toEqual(['1 true', '1 false', '2 true', '3 true'])
})

it.for<readonly [string, (job: JobRecord) => Pick<JobRecord, 'lost'>, string]>([
  ['a loss beside those', ({ lost = [] }) => ({ lost: [...lost, 'b'] }), '3 true'],
  ['progress, and a loss after it', () => ({ lost: ['b'] }), '1 true'],
  ['a late end of the first loss', ({ lost = [] }) => ({ lost: lost.slice(1) }), '1 false'],
])(
  'a loss is newly lost once beside an earlier version, which copies the mark: %s',
  async ([, change, seenLast]) => {
    const world = await suspectWorld(2)
    const { clock, records, spawn } = world
    const seen: string[] = []
    const process = spawn()
    void process.queue.consume(
      async ({ lost, isNewlyLost }, _, turn) => {
        seen.push(`${lost} ${isNewlyLost}`)
        turn.givesUp()
        throw new Error('not yet')
      },
      { concurrency: 1, signal: never },
    )
    await clock.advance(100)
    process.die()
    await clock.advance(5_000)
    const [stored] = await records.jobs.list(SYSTEM, { limit: 1 })
    if (!stored) throw new Error('The job is gone')
    const changes = new Change()
    records.jobs.update(changes, SYSTEM, stored, { ...stored.value, ...change(stored.value) })
    await records.commit(changes)
    await drain(world, async (job) => (seen.push(`${job.lost} ${job.isNewlyLost}`), 'done'))
    expect(seen).toEqual(['2 true', seenLast])
  },
)

it('the death of a process that was only stalled is no longer counted once it goes on', async () => {
  const world = createQueueProcesses()
  const { clock, records, spawn } = world
  await spawn().queue.push({ id: 'j', kind: 'x', data: null })
  const stalled = new AbortController()
  const { queue } = spawn()
  const stop = new AbortController()
  const consumed = queue.consume(
    async (job) => {
      // Nothing of this process runs during that time, not even its timers.
      const stored = await records.jobs.get(SYSTEM, job.id)
      if (!stored) return 'done'
      await clock.sleep(5 * QUEUE_LEASE_MS, stalled.signal).catch(() => {})
      return 'done'
    },
    { concurrency: 1, signal: stop.signal },
  )
  await clock.advance(100)
  const held = await records.jobs.get(SYSTEM, 'j')
  const lost: number[] = []
  const other = spawn()
  // As if the lease had run out unrenewed.
  const change = new Change()
  if (!held) throw new Error('The job is gone')
  records.jobs.update(change, SYSTEM, held, { ...held.value, dueAt: clock.now() - 1 })
  await records.commit(change)
  const stopOther = new AbortController()
  const second = other.queue.consume(
    async (job) => {
      lost.push(job.lost)
      await clock.sleep(1_000)
      stalled.abort()
      await clock.sleep(4_000)
      const now = await records.jobs.get(SYSTEM, 'j')
      lost.push(now?.value.lost?.length ?? 0, now?.value.deaths ?? 0)
      stopOther.abort()
      return 'done'
    },
    { concurrency: 1, signal: stopOther.signal },
  )
  stop.abort()
  await clock.runUntil(Promise.all([consumed, second]))
  expect(lost).toEqual([1, 0, 0])
})

it('a suspect waits half a minute for a busy consumer, which then makes room for it', async () => {
  const { clock, queue, start } = await suspectWorld()
  const stop = new AbortController()
  let running = 0
  let next = 0
  const seen: { after: number; beside: number }[] = []
  const consumed = queue.consume(
    async ({ id }) => {
      if (id === 'suspect') {
        seen.push({ after: clock.now() - start, beside: running })
        stop.abort()
        return 'done'
      }
      running++
      // Whenever a job ends, the next one waits already.
      await queue.push({ id: `n${next++}`, kind: 'x', data: null })
      await clock.sleep(700)
      running--
      return 'done'
    },
    { concurrency: 2, signal: stop.signal },
  )
  for (let i = 0; i < 3; i++) await queue.push({ id: `first${i}`, kind: 'x', data: null })
  await clock.runUntil(consumed)
  expect(seen).toHaveLength(1)
  expect(seen[0]?.beside).toBe(0)
  expect(seen[0]?.after).toBeGreaterThan(30_000)
  expect(seen[0]?.after).toBeLessThan(50_000)
})

it.for([
  { how: 'for ten seconds', clearAfter: Infinity, begins: 10_000 },
  { how: 'until it is clear of what has killed', clearAfter: 3_000, begins: 3_000 },
])('no job is begun beside a suspect $how', async ({ clearAfter, begins }) => {
  const { clock, queue, start } = await suspectWorld()
  const begun = new Map<string, number>()
  const stop = new AbortController()
  const consumed = queue.consume(
    async ({ id }, _, turn) => {
      begun.set(id, clock.now() - start)
      if (id !== 'suspect') return 'done'
      const clear = clearAfter < Infinity ? clock.sleep(clearAfter).then(() => turn.clear()) : null
      await clock.sleep(30_000)
      await clear
      return 'done'
    },
    { concurrency: 4, signal: stop.signal },
  )
  await clock.advance(1_000)
  await queue.push({ id: 'honest', kind: 'x', data: null })
  await clock.advance(40_000)
  stop.abort()
  await clock.runUntil(consumed)
  expect(begun.get('suspect')).toBe(0)
  expect(begun.get('honest')).toBe(begins)
})

it('after twenty deaths progress no longer resets the count', async () => {
  const world = await suspectWorld()
  const { clock, records, spawn } = world
  const lost: number[] = []
  for (const deaths of [18, 19]) {
    // The process that sees the end of the lease notes it.
    await spawn().queue.consume(async () => 'done', { concurrency: 1, signal: AbortSignal.abort() })
    const stored = await records.jobs.get(SYSTEM, 'suspect')
    if (!stored) throw new Error('The job is gone')
    const change = new Change()
    records.jobs.update(change, SYSTEM, stored, { ...stored.value, deaths })
    expect(await records.commit(change)).toBe(true)
    const process = spawn()
    void process.queue.consume(
      async (job, _, turn) => {
        lost.push(job.lost)
        await turn.progress()
        return forever()
      },
      { concurrency: 1, signal: never },
    )
    await clock.advance(100)
    process.die()
    await clock.advance(QUEUE_LEASE_MS)
  }
  await drain(world, async (job) => (lost.push(job.lost), 'done'))
  // The second of these deaths was the twentieth.
  expect(lost).toEqual([1, 1, 2])
})

it('jobs of a dead process whose clock was a year ahead are taken by others', async () => {
  const world = createQueueProcesses()
  const { clock, spawn } = world
  const wrong = spawn(365 * 86_400_000)
  await spawn().queue.push({ id: 'held', kind: 'x', data: null, lane: 'long' })
  void wrong.queue.consume(forever, { concurrency: 1, signal: never })
  await clock.advance(100)
  wrong.die()
  const lost: number[] = []
  const stop = new AbortController()
  const { queue } = spawn()
  const consumed = queue.consume(async (job) => (lost.push(job.lost), 'done'), {
    concurrency: 1,
    signal: stop.signal,
  })
  await clock.advance(5 * 60_000)
  expect(lost).toEqual([])
  await clock.advance(2 * 60_000)
  expect(lost).toEqual([1])
  stop.abort()
  await clock.runUntil(consumed)
})

it('jobs of a living process whose clock is a year ahead stay with it', async () => {
  const world = createQueueProcesses()
  const { clock, spawn } = world
  await spawn().queue.push({ id: 'held', kind: 'x', data: null })
  const stop = new AbortController()
  const consumed: Promise<void>[] = []
  const begun: number[] = []
  for (const ahead of [365 * 86_400_000, 0]) {
    consumed.push(
      spawn(ahead).queue.consume(
        async () => {
          begun.push(ahead)
          await clock.sleep(20 * 60_000)
          return 'done'
        },
        { concurrency: 1, signal: stop.signal },
      ),
    )
    await clock.advance(100)
  }
  await clock.advance(21 * 60_000)
  expect(begun).toEqual([365 * 86_400_000])
  stop.abort()
  await clock.runUntil(Promise.all(consumed))
})
