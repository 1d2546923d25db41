import { expect, test } from 'vitest'
import { createDefaultFetcher, createWebFetcher } from '../../src/defaults/web-fetcher.ts'
import { fetcherContract } from '../contracts/fetcher.ts'

fetcherContract('The web fetcher', createWebFetcher)

test('the web fetcher is the default in runtimes without sockets, and says that it cannot pin', async () => {
  const fetcher = createDefaultFetcher()
  expect(fetcher.capabilities.pinsAddresses).toBe(false)
  await expect(fetcher.resolve('example.com', new AbortController().signal)).rejects.toMatchObject({
    reason: 'dns',
  })
})
