import { FetchFailure } from 'seine'
import type { FetchFailureReason } from 'seine'
import { FetchFailure as forSuites } from 'seine/testing'
import { expect, test } from 'vitest'
import { createWorld } from '../../support/worlds/world.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'

test('the error class for fetchers of hosts is the one that the engine and the suites use', async () => {
  expect(forSuites).toBe(FetchFailure)
  const codeOf = async (reason: FetchFailureReason) => {
    const fetcher = {
      ...createFakeWeb({}),
      send: async () => Promise.reject(new FetchFailure(reason, 'It failed')),
    }
    const world = createWorld({}, { fetcher })
    const execution = await world.start({
      start: { urls: ['https://shop.example.com/'] },
      crawl: { robots: false },
    })
    await world.work()
    return (await world.receipt(execution)).map(({ code }) => code)
  }
  expect([await codeOf('tls'), await codeOf('timeout')]).toEqual([['tls'], ['timeout']])
})
