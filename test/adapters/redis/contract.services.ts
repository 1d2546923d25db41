import { createRedisLimiter, createRedisStore } from '../../../adapters/redis/index.ts'
import { limiterContract } from '../../contracts/limiter.ts'
import { storeContract } from '../../contracts/store.ts'
import { commitTurns, storeTurns } from '../../contracts/store-turns.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { openRedis } from '../../support/redis/open.ts'

const { client, prefix } = openRedis()

storeContract('createRedisStore', async () => {
  const clock = createFakeClock()
  const own = prefix()
  const open = () => createRedisStore({ client, prefix: own, clock })
  return { store: open(), clock, reopen: async () => open() }
})

storeTurns('createRedisStore', async () => createRedisStore({ client, prefix: prefix() }))
commitTurns('createRedisStore', async () => createRedisStore({ client, prefix: prefix() }))

limiterContract('createRedisLimiter', async () => {
  const clock = createFakeClock()
  return { limiter: createRedisLimiter({ client, prefix: prefix(), clock }), clock }
})
