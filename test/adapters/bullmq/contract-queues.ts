import { vi } from 'vitest'
import { createBullmqQueue } from '../../../adapters/bullmq/index.ts'
import type { BullmqQueueOptions } from '../../../adapters/bullmq/index.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

/**
 * Opens two queues of one name, as two processes have them. BullMQ asks the system for the time, so
 * the system has that of the test.
 *
 * @param connect Makes the server of each queue: a client of its own.
 * @param opened Gets each queue, so that the test closes it.
 */
export async function openContractQueues(
  name: string,
  connect: () => BullmqQueueOptions['server'],
  opened: { push(queue: { close(): Promise<void> }): unknown },
) {
  const clock = createFakeClock()
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now())
  const open = async (seed: number) => {
    const queue = createBullmqQueue({
      server: connect(),
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
}
