import { expect, it } from 'vitest'
import { createQueueProcesses } from '../support/stores/queue-processes.ts'

const DAY = 86_400_000
const YEAR = 365 * DAY
const MINUTE = 60_000

/** Consumes with a clock that is right, for some time. Returns when each job came. */
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

it('a job whose time a process with a clock a year ahead has set comes at once', async () => {
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
  const at = began + 3 * DAY
  const { queue } = spawn()
  await queue.push({ id: 'far', kind: 'x', data: null }, { at })
  await queue.push({ id: 'tomorrow', kind: 'x', data: null }, { at: began + DAY })
  const came: string[] = []
  for (let hour = 0; hour <= 3 * 24; hour++) {
    await queue.consume(
      async ({ id }) => {
        came.push(`${id} ${(clock.now() - began) / DAY}`)
        return id === 'far' && clock.now() < at ? { again: at } : 'done'
      },
      { concurrency: 1, untilIdle: true, signal: new AbortController().signal },
    )
    await clock.advance(DAY / 24)
  }
  expect(came).toEqual(['tomorrow 1', `far ${25 / 24}`, `far ${50 / 24}`, 'far 3'])
})

function spawnAhead({ spawn }: ReturnType<typeof createQueueProcesses>) {
  return spawn(YEAR)
}
