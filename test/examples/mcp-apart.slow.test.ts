import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startShop, type Shop } from '../../examples/demo/shop.ts'
import { startEndpoint, startService } from '../../examples/mcp-apart/server.ts'

let shop: Shop
let service: Awaited<ReturnType<typeof startService>>
let endpoint: Awaited<ReturnType<typeof startEndpoint>>
let agent: Client
beforeAll(async () => {
  shop = await startShop()
  service = await startService({ port: 0, allowPrivateNetwork: true })
  endpoint = await startEndpoint(service.url, 0)
  agent = new Client({ name: 'agent', version: '1' })
  await agent.connect(
    new StreamableHTTPClientTransport(new URL(endpoint.url), {
      requestInit: { headers: { Authorization: `Bearer ${service.key}` } },
    }),
  )
})
afterAll(async () => {
  await agent.close()
  await endpoint.close()
  await service.close()
  await shop.close()
})

test('the service has no MCP endpoint of its own, and the endpoint has no routes of the service', async () => {
  const ask = (url: string) =>
    fetch(url, { headers: { authorization: `Bearer ${service.key}` } }).then(({ status }) => status)
  expect(
    await Promise.all([
      ask(`${service.url}/mcp`),
      ask(endpoint.url.replace('/mcp', '/api/v1/mcp/tools')),
    ]),
  ).toEqual([404, 405])
})

test('an agent of the endpoint fetches a page by the service', async () => {
  const { tools } = await agent.listTools()
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    'crawl',
    'fetch',
    'get_run',
    'run_template',
    'search',
    'search_templates',
  ])
  const page = await agent.callTool({
    name: 'fetch',
    arguments: { id: `${shop.url}/category/pens` },
  })
  expect(page.structuredContent).toMatchObject({
    url: `${shop.url}/category/pens`,
    title: expect.stringMatching(/pens/i),
  })
  const answer = await agent.callTool({ name: 'search', arguments: { query: 'pens' } })
  expect(answer.structuredContent).toMatchObject({
    results: [expect.objectContaining({ url: `${shop.url}/category/pens` })],
  })
})

test('an agent of the endpoint crawls, sees progress page by page, and reads the run afterwards', async () => {
  const steps: number[] = []
  const run = await agent.callTool(
    {
      name: 'crawl',
      arguments: { url: `${shop.url}/category/pens`, maxPages: 3, waitSeconds: 30 },
    },
    undefined,
    { onprogress: ({ progress }) => void steps.push(progress) },
  )
  expect(run.structuredContent).toMatchObject({ status: 'succeeded' })
  expect(steps.length).toBeGreaterThan(0)
  expect(steps).toEqual(steps.toSorted((a, b) => a - b))
  const { runId } = Object(run.structuredContent)
  const again = await agent.callTool({ name: 'get_run', arguments: { runId } })
  expect(again.structuredContent).toMatchObject({ runId, status: 'succeeded' })
})

test('a key that the service does not know is refused by the service', async () => {
  const refused = await fetch(endpoint.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: 'Bearer svc_sk_unknown',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringMatching(/^Bearer/),
  ])
})
