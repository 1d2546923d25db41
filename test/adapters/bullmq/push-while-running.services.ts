import { afterEach, expect, it, vi } from 'vitest'
import { createBullmqQueue } from '../../../adapters/bullmq/index.ts'
import type { JobResult } from '../../../src/ports/queue.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { openRedis } from '../../support/redis/open.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

const redis = openRedis()
afterEach(() => {
  vi.restoreAllMocks()
})

/**
 * Runs one job whose first run is pushed again meanwhile, at `pushes` after the start, and then
 * answers; tells when its runs began.
 */
async function runs(
  pushes: readonly number[],
  answer: (now: number) => JobResult,
): Promise<number[]> {
  const clock = createFakeClock()
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now())
  const name = redis.prefix()
  const [queue, other] = [1, 2].map((seed) =>
    createBullmqQueue({
      server: { redis: redis.connect() },
      name,
      leaseMs: 3_600_000,
      clock,
      random: seededRandom(seed),
    }),
  )
  if (!queue || !other) throw new Error('There are two queues')
  await queue.consume(async () => 'done', {
    concurrency: 1,
    signal: new AbortController().signal,
    untilIdle: true,
  })
  const start = clock.now()
  await queue.push({ id: 'a:b/1', kind: 'k', data: null, lane: 'long' })
  const began: number[] = []
  const stop = new AbortController()
  const consumed = queue.consume(
    async () => {
      if (began.push(clock.now() - start) > 1) return 'done'
      for (const index of pushes)
        await other.push(
          { id: 'a:b/1', kind: 'k', data: null, lane: 'long' },
          { at: start + index },
        )
      await clock.sleep(10_000)
      return answer(clock.now())
    },
    { concurrency: 2, signal: stop.signal },
  )
  await clock.advance(200_000)
  stop.abort()
  await clock.runUntil(consumed)
  await Promise.all([queue.close(), other.close()])
  return began
}

it('a job that was pushed during its run runs again at once', async () => {
  expect(await runs([0], () => 'done')).toEqual([0, 10_000])
  expect(await runs([0, 0, 5_000], () => 'done')).toEqual([0, 10_000])
})

it('a job runs again at the earliest time that a push during its run has named', async () => {
  expect(await runs([60_000, 30_000, 90_000], () => 'done')).toEqual([0, 30_000])
})

it('a job runs again at the time of its handler or at that of a push, whichever is earlier', async () => {
  expect(await runs([0], (now) => ({ again: now + 60_000 }))).toEqual([0, 10_000])
  expect(await runs([30_000], (now) => ({ again: now + 60_000 }))).toEqual([0, 30_000])
  expect(await runs([90_000], (now) => ({ again: now + 20_000 }))).toEqual([0, 30_000, 90_000])
})

it('a queue refuses a name with harmful characters, and a stranger in place of a pool', () => {
  for (const name of ['', 'a:b', '{a}', 'a b', 'x'.repeat(49)])
    expect(() => createBullmqQueue({ server: { redis: redis.client }, name })).toThrow(TypeError)
  const stranger = { query: async () => [], connect: async () => null, end: async () => null }
  expect(() => createBullmqQueue({ server: { postgres: stranger } })).toThrow(TypeError)
})

it('each call of consume is rejected where there is no server', async () => {
  const name = redis.prefix()
  const pool = { host: '127.0.0.1', port: 1, user: 'nobody', max: 1 }
  const queue = createBullmqQueue({ server: { postgres: pool }, name })
  const consume = () =>
    queue.consume(async () => 'done', {
      concurrency: 1,
      signal: new AbortController().signal,
      untilIdle: true,
    })
  await expect(consume()).rejects.toThrow('ECONNREFUSED')
  await expect(consume()).rejects.toThrow('ECONNREFUSED')
  await queue.close()
})
