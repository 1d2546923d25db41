import { expect, it } from 'vitest'
import { createQueueProcesses } from '../support/stores/queue-processes.ts'

const DAY = 86_400_000
const YEAR = 365 * DAY
const MINUTE = 60_000

/** Consumes for some time with a correct clock. Returns the time of each delivery. */
async function consume(
  { clock, spawn }: ReturnType<typeof createQueueProcesses>,
  ms: number,
): Promise<number[]> {
  const began = clock.now()
  const came: number[] = []
  const stop = new AbortController()
  const consumed = spawn().queue.consume(
    async () => {
      came.push(clock.now() - began)
      return 'done'
    },
    { concurrency: 1, signal: stop.signal },
  )
  await clock.advance(ms)
  stop.abort()
  await clock.runUntil(consumed)
  return came
}

it('a job that a process with a clock a year ahead has pushed comes at once', async () => {
  const world = createQueueProcesses()
  const wrong = spawnAhead(world)
  await wrong.queue.push({ id: 'a', kind: 'x', data: null }, { at: world.clock.now() + YEAR + 5 })
  expect(await consume(world, 2 * MINUTE)).toEqual([MINUTE])
})

it('a job that a process with a clock a year ahead has asked for again comes at once', async () => {
  const world = createQueueProcesses()
  const { clock } = world
  const wrong = spawnAhead(world)
  await wrong.queue.push({ id: 'a', kind: 'x', data: null })
  const stop = new AbortController()
  const consumed = wrong.queue.consume(async () => ({ again: clock.now() + YEAR + MINUTE }), {
    concurrency: 1,
    signal: stop.signal,
  })
  await clock.advance(100)
  stop.abort()
  await clock.runUntil(consumed)
  expect(await consume(world, 2 * MINUTE)).toEqual([MINUTE])
})

it('a job for a far time comes after a day, and its handler asks for it again', async () => {
  const { clock, spawn } = createQueueProcesses()
  const began = clock.now()
  const dueAt = began + 3 * DAY
  const { queue } = spawn()
  await queue.push({ id: 'far', kind: 'x', data: null }, { at: dueAt })
  await queue.push({ id: 'tomorrow', kind: 'x', data: null }, { at: began + DAY })
  const came: string[] = []
  for (let hour = 0; hour <= 3 * 24; hour++) {
    await queue.consume(
      async ({ id }) => {
        came.push(`${id} ${(clock.now() - began) / DAY}`)
        return id === 'far' && clock.now() < dueAt ? { again: dueAt } : 'done'
      },
      { concurrency: 1, untilIdle: true, signal: new AbortController().signal },
    )
    await clock.advance(DAY / 24)
  }
  expect(came).toEqual(['tomorrow 1', `far ${25 / 24}`, `far ${50 / 24}`, 'far 3'])
})

it.each(['a push', 'a handler', 'a failure'])(
  'a wait that %s has set by a clock two hours ahead has its intended length',
  async (how) => {
    const world = createQueueProcesses()
    const { clock, spawn } = world
    const ahead = 2 * 60 * MINUTE
    const wrong = spawn(ahead)
    const now = () => clock.now() + ahead
    const waitMs = how === 'a failure' ? 0 : 10 * MINUTE
    await wrong.queue.push(
      { id: 'a', kind: 'x', data: null },
      how === 'a push' ? { at: now() + waitMs } : {},
    )
    if (how !== 'a push') {
      const stop = new AbortController()
      const consumed = wrong.queue.consume(
        async () => {
          if (how === 'a failure') throw new Error('not yet')
          return { again: now() + waitMs }
        },
        { concurrency: 1, signal: stop.signal },
      )
      await clock.advance(100)
      stop.abort()
      await clock.runUntil(consumed)
    }
    const [came] = await consume(world, 20 * MINUTE)
    // The job is read once a minute, and the wait counts from the first time.
    expect(came).toBeGreaterThanOrEqual(waitMs)
    expect(came).toBeLessThanOrEqual(waitMs + 3 * MINUTE)
  },
)

it('a wait that a push of a running job has set by a clock two hours ahead has its intended length', async () => {
  const { clock, spawn } = createQueueProcesses()
  const began = clock.now()
  const ahead = 2 * 60 * MINUTE
  const [holder, wrong] = [spawn(), spawn(ahead)]
  const job = { id: 'a', kind: 'x', data: null }
  const came: number[] = []
  const stop = new AbortController()
  await holder.queue.push(job)
  const consumed = holder.queue.consume(
    async () => {
      came.push(clock.now() - began)
      if (came.length > 1) return 'done'
      await wrong.queue.push(job, { at: clock.now() + ahead + 10 * MINUTE })
      await clock.sleep(MINUTE)
      return 'done'
    },
    { concurrency: 1, signal: stop.signal },
  )
  await clock.advance(30 * MINUTE)
  stop.abort()
  await clock.runUntil(consumed)
  expect(came).toHaveLength(2)
  // The wait counts from the time when the job was given back, a minute later.
  expect(came[1]).toBeGreaterThanOrEqual(10 * MINUTE)
  expect(came[1]).toBeLessThanOrEqual(12 * MINUTE)
})

it('no wait is shortened by a clock that is two hours behind', async () => {
  const world = createQueueProcesses()
  const { clock, spawn } = world
  const began = clock.now()
  await spawn().queue.push({ id: 'a', kind: 'x', data: null }, { at: began + 20 * MINUTE })
  const stop = new AbortController()
  const came: number[] = []
  const consumed = [spawn(-2 * 60 * MINUTE), spawn()].map(({ queue }) =>
    queue.consume(async () => (came.push(clock.now() - began), 'done'), {
      concurrency: 1,
      signal: stop.signal,
    }),
  )
  await clock.advance(30 * MINUTE)
  stop.abort()
  await clock.runUntil(Promise.all(consumed))
  expect(came).toEqual([20 * MINUTE])
})

function spawnAhead({ spawn }: ReturnType<typeof createQueueProcesses>) {
  return spawn(YEAR)
}
