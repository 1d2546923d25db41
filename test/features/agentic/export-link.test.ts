import { expect, test } from 'vitest'
import { callOf, createMcpWorld, keyOf, post } from '../../mcp/mcp-world.ts'
import { OWNER } from '../../support/worlds/world.ts'

const CRAWL = { start: { urls: ['https://pens.example.com/'] } }

test.for([
  ['mcp:*', 200],
  ['mcp:crawl', 200],
  ['executions:read', 200],
  ['mcp:templates', 403],
] as const)(
  'the export link of a crawl, requested with %s, is answered %i',
  async ([scope, status]) => {
    const world = createMcpWorld()
    const agent = { 'x-api-key': await keyOf(world, ['mcp:crawl']) }
    const call = callOf('crawl', { url: 'https://pens.example.com/', waitSeconds: 0 })
    const answer = await world.platform.fetch(post(call, agent))
    const url = /"exportUrl":"([^"]+)"/.exec(await answer.text())?.[1] ?? expect.fail('no link')
    await world.work()
    const headers = { 'x-api-key': await keyOf(world, [scope]) }
    const file = await world.platform.fetch(new Request(url, { headers }))
    expect(file.status).toBe(status)
    if (status === 200) expect(await file.text()).toContain('Fountain pens')
    else
      expect(file.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_scope", scope="executions:read"',
      )
  },
)

test('agents cannot read runs of tasks', async () => {
  const world = createMcpWorld()
  const own = await world.start(CRAWL)
  const read = async (scope: string, account = OWNER) => {
    const key = await keyOf(world, [scope], account)
    const url = `http://localhost/api/v1/executions/${own}/results/download`
    return (await world.platform.fetch(new Request(url, { headers: { 'x-api-key': key } }))).status
  }
  expect(await read('mcp:*')).toBe(403)
  expect(await read('executions:read')).toBe(200)
  expect(await read('mcp:*', { account: 'umbra', user: 'eve', scopes: ['*'] })).toBe(404)
})
