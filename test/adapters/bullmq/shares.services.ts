import { Queue as BullQueue } from 'bullmq'
import { afterEach, expect, it, vi } from 'vitest'
import { createBullmqQueue } from '../../../adapters/bullmq/index.ts'
import type { Queue } from '../../../src/ports/queue.ts'
import { pushMany } from '../../contracts/queue-shares.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { openRedis } from '../../support/redis/open.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

const redis = openRedis()
afterEach(() => {
  vi.restoreAllMocks()
})

/** A queue whose commands are counted. */
function createWorld() {
  const clock = createFakeClock()
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now())
  const name = redis.prefix()
  const client = redis.connect()
  const sent = vi.spyOn(client, 'sendCommand')
  const queue = createBullmqQueue({
    server: { redis: client },
    name,
    leaseMs: 3_600_000,
    clock,
    random: seededRandom(1),
  })
  return { clock, name, sent, queue }
}

const idle = (queue: Queue): Promise<void> =>
  queue.consume(async () => 'done', {
    concurrency: 1,
    signal: new AbortController().signal,
    untilIdle: true,
  })

it('each of forty shares has its turn, whatever their number and the length of their lines', async () => {
  const { clock, queue } = createWorld()
  const shares = Array.from({ length: 40 }, (_, i) => `account-${i}`)
  for (const [i, share] of shares.entries()) await pushMany(queue, share, 2 + (i % 5))
  const order: string[] = []
  const concurrency = { short: 1, remote: 1, long: 3 }
  const consumed = queue.consume(
    async ({ id }) => {
      order.push(id.replace(/-\d+$/, ''))
      await clock.sleep(100)
      return 'done'
    },
    { concurrency, signal: new AbortController().signal, untilIdle: true },
  )
  await clock.runUntil(consumed)
  expect(new Set(order.slice(0, 40))).toEqual(new Set(shares))
  // In the second round too; three run at once, so that a share may come a little early.
  expect(new Set(order.slice(40, 83))).toEqual(new Set(shares))
  await queue.close()
})

it('lends a share without a place one that was asked back, until its job has ended', async () => {
  const { clock, queue } = createWorld()
  await idle(queue)
  await pushMany(queue, 'a', 8)
  const begun: string[] = []
  const stop = new AbortController()
  const pages = new AbortController()
  const consumed = queue.consume(
    async ({ id }, _, turn) => {
      begun.push(id[0] ?? '')
      if (id.startsWith('b')) return 'done'
      // Its page lasts until the test says so, whoever asks for the place.
      if (turn.over.aborted) expect.fail('It was asked before it began')
      await clock.sleep(10_000_000, pages.signal).catch(() => {})
      return { again: clock.now() }
    },
    { concurrency: { short: 1, remote: 1, long: 4 }, signal: stop.signal },
  )
  await clock.advance(5_000)
  await pushMany(queue, 'b', 3)
  await clock.advance(5_000)
  // One at a time: a share has no second place before the others have theirs.
  expect(begun.join('')).toBe('aaaabbb')
  stop.abort()
  pages.abort()
  await clock.runUntil(consumed)
  await queue.close()
})

it('the number of commands for each job does not grow with the number of jobs that wait', async () => {
  const commands = async (count: number): Promise<number> => {
    const { clock, sent, queue } = createWorld()
    await idle(queue)
    for (const share of ['a', 'b', 'c']) await pushMany(queue, share, count)
    const stop = new AbortController()
    let runs = 0
    const before = sent.mock.calls.length
    const work = async () => {
      if (++runs === 40) stop.abort()
      return 'done' as const
    }
    await clock.runUntil(queue.consume(work, { concurrency: 1, signal: stop.signal }))
    const each = (sent.mock.calls.length - before) / runs
    await queue.close()
    return each
  }
  const [few, many] = [await commands(50), await commands(500)]
  // A search for the next line takes one round more.
  expect(many).toBeLessThan(few * 1.7)
  expect(many).toBeLessThan(80)
})

it('jobs that a version without shares has pushed come before all others', async () => {
  const { clock, name, queue } = createWorld()
  await idle(queue)
  await pushMany(queue, 'a', 2)
  const earlier = new BullQueue(`${name}-long`, {
    connection: redis.connect(),
    prefix: `{${name}}`,
  })
  const index = clock.now()
  await earlier.add(
    'x',
    { id: 'old', data: null, at: index, before: 0 },
    { jobId: 'j-old', removeOnComplete: true },
  )
  await earlier.add(
    'x',
    { id: 'old-later', data: null, at: index, before: 0 },
    { jobId: 'j-old-later', delay: 1_000, removeOnComplete: true },
  )
  const order: string[] = []
  const stop = new AbortController()
  const consumed = queue.consume(
    async ({ id }) => {
      order.push(id)
      return order.length > 1 ? 'done' : { again: clock.now() + 500 }
    },
    { concurrency: 1, signal: stop.signal },
  )
  await clock.advance(5_000)
  stop.abort()
  await clock.runUntil(consumed)
  expect(order).toEqual(['old', 'a-0', 'a-1', 'old', 'old-later'])
  await earlier.close()
  await queue.close()
})
