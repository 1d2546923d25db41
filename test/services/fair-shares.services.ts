import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'seine/client'
import type { Principal } from 'seine'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startFairSite } from '../support/fair/fair-site.ts'
import { openFairPlatform } from '../support/fair/open-fair-platform.ts'
import type { FairPlace } from '../support/fair/open-fair-platform.ts'
import { playFairShares } from '../support/fair/play-fair-shares.ts'
import { openPostgres } from '../support/postgres/open.ts'
import { openRedis } from '../support/redis/open.ts'
import { requireBuild } from '../support/sources/dist.ts'
import { startFairWorker } from '../support/fair/start-fair-worker.ts'

const PLACES = 4
const EXECUTIONS = 1_000

const { host, schema } = await openPostgres()
const redis = openRedis()
const site = await startFairSite()
const blobs = await mkdtemp(join(tmpdir(), 'seine-fair-'))
// Workers are processes of the package as it is built.
beforeAll(() => requireBuild())
afterAll(async () => {
  await site.close()
  await rm(blobs, { recursive: true })
})

const STORES: Readonly<Record<string, () => Pick<FairPlace, 'store' | 'bullmq'>>> = {
  Postgres: () => ({ store: { postgres: host, schema: schema() } }),
  Redis: () => ({ store: { redis: redis.port, prefix: redis.prefix() } }),
  'Redis with BullMQ': () => ({
    store: { redis: redis.port, prefix: redis.prefix() },
    bullmq: { redis: redis.port, name: redis.prefix() },
  }),
}

describe.each(Object.entries(STORES))('on %s, an account with 1,000 executions', (_, placeOf) => {
  // Two: the workers are processes beside this one, which answers the calls.
  test.for([1, 2])(
    'delays the one page of another by one page a place at most, on %i process(es)',
    async (processes, { annotate }) => {
      const place: FairPlace = { ...placeOf(), blobs, concurrency: PLACES }
      const platform = openFairPlatform(place)
      onTestFinished(() => platform.close())
      const clientOf = async (account: string) => {
        const owner: Principal = { account, user: 'u', scopes: ['*'] }
        const { secret } = await platform.api.keys.create(owner, { name: 'k', scopes: ['*'] })
        const baseUrl = 'https://data.example.com'
        return createClient({ baseUrl, apiKey: secret, fetch: (one) => platform.fetch(one) })
      }
      const stop = new AbortController()
      const figures = await playFairShares({
        busy: await clientOf('a'),
        other: await clientOf('b'),
        async startMany(recipe, count) {
          const owner: Principal = { account: 'a', user: 'u', scopes: ['*'] }
          for (let i = 0; i < count; i++) await platform.api.executions.run(owner, { recipe })
          if (processes === 1) {
            const working = platform.worker.run({ signal: stop.signal })
            onTestFinished(async () => {
              stop.abort()
              await working
            })
          } else
            for (let i = 0; i < processes; i++) {
              const worker = startFairWorker(place)
              onTestFinished(() => worker.close())
            }
        },
        site: site.url,
        executions: EXECUTIONS,
        places: PLACES * processes,
      })
      await annotate(`${figures.before} pages of the busy account came first`)
      expect(figures.before).toBeLessThanOrEqual(PLACES * processes)
      expect(figures).toMatchObject({ status: 'succeeded', waiting: 100 })
    },
  )
})
