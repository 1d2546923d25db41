import { expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/platform.ts'
import { OWNER, createWorld } from '../support/worlds/world.ts'

test('a worker of one account leaves the jobs of other accounts to other workers', async () => {
  const world = createWorld({ 'https://pens.example.com/': { body: '<h1>Pens</h1>' } })
  const { store, blobs, clock, web: fetcher } = world
  const other = { ...OWNER, account: 'later' }
  const limited = createPlatform({
    store,
    blobs,
    clock,
    fetcher,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    worker: { account: OWNER.account },
  })
  const recipe = {
    start: { urls: ['https://pens.example.com/'] },
    extract: { fields: { a: 'h1' } },
  }
  const start = (owner: typeof OWNER) => world.platform.api.executions.run(owner, { recipe })
  const [own, foreign] = [await start(OWNER), await start(other)]
  const statuses = async () => [
    (await world.platform.api.executions.get(OWNER, own.id)).status,
    (await world.platform.api.executions.get(other, foreign.id)).status,
  ]
  await clock.runUntil(limited.worker.tick())
  expect(await statuses()).toEqual(['succeeded', 'queued'])
  await clock.advance(10_000)
  await clock.runUntil(limited.worker.tick())
  expect(await statuses()).toEqual(['succeeded', 'queued'])
  await clock.advance(10_000)
  await world.work()
  expect(await statuses()).toEqual(['succeeded', 'succeeded'])
  await limited.close()
})
