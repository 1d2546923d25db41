import { beforeAll, expect, test } from 'vitest'
import { requireBuild } from '../support/sources/dist.ts'
import { playKills } from '../support/distributed/play-kills.ts'
import { openPostgres } from '../support/postgres/open.ts'

const { host } = await openPostgres()
beforeAll(() => requireBuild())

test(
  'three workers share each crawl, and one of them is killed at a random moment, 20 times: nothing is lost or doubled',
  { timeout: 600_000 },
  async () => {
    expect(await playKills({ host, rounds: 20 })).toBe(20)
  },
)
