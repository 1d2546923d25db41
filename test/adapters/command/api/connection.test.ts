import { expect, it } from 'vitest'
import * as v from 'valibot'
import { openPlatform, serverOf } from '../../../../adapters/command/api/connection.ts'
import { isKept } from '../../../../adapters/command/open-services.ts'
import { createMemoryBlobs } from '../../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../../src/defaults/memory-store.ts'

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

it('an empty address is refused: it does not mean the data here', () => {
  for (const flags of [{ url: '' }, { url: '', key: 'key' }])
    expect(() => serverOf(flags, { SEINE_URL: 'https://data.example.com' })).toThrow(
      '--url is empty',
    )
  expect(serverOf({}, { SEINE_URL: '' })).toBeNull()
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

it.each([
  ['those of the settings', {}, ['fetch', 'crawl', 'get_run']],
  ['those that it names', { tools: ['search'] }, ['search']],
])('the tools of a command for agents are %s', async (_, mcp, names) => {
  const env = { SEINE_MCP_TOOLS: 'fetch,crawl' }
  const { platform, close } = await openPlatform({ data: ':memory:' }, env, { mcp, inMemory: true })
  const response = await platform.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        authorization: 'Bearer stdin',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    }),
  )
  const tools = v.array(v.object({ name: v.string() }))
  const { result } = v.parse(v.object({ result: v.object({ tools }) }), await response.json())
  expect(result.tools.map(({ name }) => name)).toEqual(names)
  await close()
})
