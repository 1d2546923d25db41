import { afterEach, vi } from 'vitest'
import { queueContract } from '../../contracts/queue.ts'
import { openRedis } from '../../support/redis/open.ts'
import { openContractQueues } from './contract-queues.ts'

const { connect, prefix } = openRedis()

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(opened.splice(0).map((queue) => queue.close()))
})

queueContract('createBullmqQueue on Redis', () =>
  openContractQueues(prefix(), () => ({ redis: connect() }), opened),
)
