import { expect, it } from 'vitest'
import { openPlatform, serverOf } from '../../../adapters/command/api/connection.ts'
import { OPERATOR } from '../../../adapters/command/data-directory.ts'
import { isKept } from '../../../adapters/command/open-services.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { temporaryFolder } from '../../support/command.ts'

it.each([
  'http://ann:secretpw@data.example.com',
  'https://secretpw@data.example.com/seine',
  'http://ann:secretpw@data.example.com?x=1',
  'http://ann:secret#pw@data.example.com',
  'ann:secretpw@data.example.com',
])('%s is refused without its password', (url) => {
  for (const [flags, env] of [
    [{ url, key: 'key' }, {}],
    [{ key: 'key' }, { SEINE_URL: url }],
  ] as const)
    expect(() => serverOf(flags, env)).toThrow(
      /^--url must be without a name and a password: the key of a server is SEINE_KEY or --key$/,
    )
})

it('the path of a server may have an @', () => {
  expect(serverOf({ url: 'https://example.com/@ann/', key: 'key' }, {})).toEqual({
    base: 'https://example.com/@ann',
    key: 'key',
  })
  expect(() => serverOf({ url: 'example.com', key: 'key' }, {})).toThrow('not "example.com"')
})

it('data is kept where neither records nor files are in memory', () => {
  const [store, blobs] = [createMemoryStore(), createMemoryBlobs()]
  const close = async () => undefined
  expect(isKept({}, { options: { store, blobs }, close })).toBe(true)
  expect(isKept({}, { options: { store }, close })).toBe(false)
  expect(isKept({}, { options: { blobs }, close })).toBe(false)
  expect(isKept({ store: 'sqlite::memory:' }, { options: { store, blobs }, close })).toBe(false)
})

it('the flag for private addresses is for the caller alone, whoever has an account later', async () => {
  const folder = temporaryFolder()
  const flags = { data: folder.path, 'allow-private-network': true }
  const { platform, close } = await openPlatform(flags, {}, { works: true })
  const later = { ...OPERATOR, account: 'later' }
  // A closed port: the run ends at once.
  const recipe = { start: { urls: ['http://127.0.0.1:9/'] }, extract: { fields: { a: 'h1' } } }
  const runs = await Promise.all(
    [OPERATOR, later].map(async (owner) => {
      const { id } = await platform.api.executions.run(owner, { recipe })
      return { owner, id }
    }),
  )
  await platform.worker.tick({ budgetMs: 5_000 })
  const statuses = await Promise.all(
    runs.map(async ({ owner, id }) => (await platform.api.executions.get(owner, id)).status),
  )
  expect(statuses).toEqual([expect.not.stringMatching(/queued|running/), 'queued'])
  await close()
  folder.remove()
})
