import { beforeAll, expect, test } from 'vitest'
import { requireBuild } from '../support/sources/dist.ts'
import { playKills } from '../support/distributed/play-kills.ts'
import { openPostgres } from '../support/postgres/open.ts'
import { openRedis } from '../support/redis/open.ts'

const { host } = await openPostgres()
const { port } = openRedis()
beforeAll(() => requireBuild())

test('no page is lost or doubled when three workers share crawls by BullMQ and one is killed, 5 times', async () => {
  expect(
    await playKills({ host, rounds: 5, environment: { REDIS_URL: `redis://127.0.0.1:${port}` } }),
  ).toBe(5)
})
