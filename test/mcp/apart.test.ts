import { expect, test } from 'vitest'
import { createMcpHandler } from '../../src/mcp/handler.ts'
import { connect, createMcpWorld, keyOf } from './mcp-world.ts'

test('a separate endpoint calls the service at its address, with only the credential', async () => {
  const world = createMcpWorld()
  const seen: Request[] = []
  const handle = createMcpHandler({
    baseUrl: 'https://api.example/data/',
    async fetch(request) {
      seen.push(request.clone())
      return world.platform.fetch(new Request(request.url.replace('/data/', '/'), request))
    },
  })
  const key = await keyOf(world)
  const client = await connect(async (request) => {
    const marked = new Request(request)
    marked.headers.set('cookie', 'mine=1')
    return handle(marked)
  }, key)
  const { tools } = await client.listTools()
  const page = await world.clock.runUntil(
    client.callTool({ name: 'fetch', arguments: { id: 'https://pens.example.com/ink' } }),
  )
  expect([tools.length, page.structuredContent]).toMatchObject([6, { title: 'Ink' }])
  expect(seen.length).toBeGreaterThan(2)
  for (const { url, headers } of seen) {
    expect(url).toMatch(/^https:\/\/api\.example\/data\/api\/v1\/mcp\//)
    expect([headers.get('authorization'), headers.get('cookie')]).toEqual([`Bearer ${key}`, null])
  }
})
