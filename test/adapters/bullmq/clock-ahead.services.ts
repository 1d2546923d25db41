import { afterEach, expect, it, vi } from 'vitest'
import { createBullmqQueue } from '../../../adapters/bullmq/index.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { openRedis } from '../../support/redis/open.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

// Proves that a process whose clock is a year ahead delays no job of the others.

const MINUTE = 60_000
const YEAR = 365 * 24 * 60 * MINUTE

const redis = openRedis()
afterEach(() => {
  vi.restoreAllMocks()
})

it.each(['pushed', 'asked for again'])(
  'a job that a process with a clock a year ahead has %s comes at once',
  async (how) => {
    const clock = createFakeClock()
    let ahead = YEAR
    // BullMQ asks the system for the time, so the system has that of the process that acts.
    vi.spyOn(Date, 'now').mockImplementation(() => clock.now() + ahead)
    const name = redis.prefix()
    const open = (seed: number, now: () => number) =>
      createBullmqQueue({
        server: { redis: redis.connect() },
        name,
        leaseMs: 3_600_000,
        clock: { now, sleep: (ms, signal) => clock.sleep(ms, signal) },
        random: seededRandom(seed),
      })
    const wrong = open(1, () => clock.now() + YEAR)
    const job = { id: 'a', kind: 'k', data: null }
    if (how === 'pushed') await wrong.push(job, { at: clock.now() + YEAR + 5 })
    else {
      await wrong.push(job)
      await wrong.consume(async () => ({ again: clock.now() + YEAR + MINUTE }), {
        concurrency: 1,
        untilIdle: true,
        signal: new AbortController().signal,
      })
    }
    await wrong.close()

    ahead = 0
    const right = open(2, () => clock.now())
    let runs = 0
    const consume = () =>
      right.consume(
        async () => {
          runs++
          return 'done'
        },
        { concurrency: 1, untilIdle: true, signal: new AbortController().signal },
      )
    await consume()
    expect(runs).toBe(1)
    await right.close()
  },
)

it('a job for a time in three days comes after a day, and its handler asks for it again', async () => {
  const clock = createFakeClock()
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now())
  const queue = createBullmqQueue({
    server: { redis: redis.connect() },
    name: redis.prefix(),
    leaseMs: 3_600_000,
    clock,
    random: seededRandom(3),
  })
  const began = clock.now()
  const index = began + 72 * 60 * MINUTE
  await queue.push({ id: 'far', kind: 'k', data: null }, { at: index })
  const hours: number[] = []
  for (let hour = 0; hour <= 72; hour++) {
    await queue.consume(
      async () => {
        hours.push((clock.now() - began) / (60 * MINUTE))
        return clock.now() < index ? { again: index } : 'done'
      },
      { concurrency: 1, untilIdle: true, signal: new AbortController().signal },
    )
    await clock.advance(60 * MINUTE)
  }
  expect(hours).toEqual([25, 50, 72])
  await queue.close()
})
