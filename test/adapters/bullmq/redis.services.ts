import { afterEach, vi } from 'vitest'
import { createBullmqQueue } from '../../../adapters/bullmq/index.ts'
import { queueContract } from '../../contracts/queue.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { openRedis } from '../../support/redis/open.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

const { connect, prefix } = openRedis()

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(opened.splice(0).map((queue) => queue.close()))
})

// Two clients, as two processes have them. BullMQ asks the system for the time, so the system has
// that of the test.
queueContract('createBullmqQueue on Redis', async () => {
  const clock = createFakeClock()
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now())
  const name = prefix()
  const open = async (seed: number) => {
    const queue = createBullmqQueue({
      server: { redis: connect() },
      name,
      leaseMs: 3_600_000,
      clock,
      random: seededRandom(seed),
    })
    opened.push(queue)
    // Connected, as time does not stand still for that.
    await queue.consume(async () => 'done', {
      concurrency: 1,
      signal: new AbortController().signal,
      untilIdle: true,
    })
    return queue
  }
  return { queue: await open(1), other: await open(2), clock }
})
