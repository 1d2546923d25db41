import { equal, like, that } from './expect.ts'
import type { Case, Stage } from './stage.ts'

interface Reply {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

async function ask(
  stage: Stage,
  method: string,
  params: object,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await stage.send('/mcp', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stage.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  equal(response.status, 200, method)
  return JSON.parse(await response.text())
}

async function callTool(
  stage: Stage,
  name: string,
  args: object,
): Promise<Readonly<Record<string, unknown>>> {
  const { result, error } = await ask(stage, 'tools/call', { name, arguments: args })
  equal([error, result?.['isError'] === true ? result['content'] : null], [undefined, null], name)
  const content = result?.['structuredContent']
  if (typeof content !== 'object' || content === null)
    throw new Error(`${name} has no structured content`)
  return { ...content }
}

/** Cases of agents. */
export const mcpCases: readonly Case[] = [
  {
    name: 'mcp: initialize and tools/list',
    async run(stage) {
      const { result } = await ask(stage, 'initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'suite', version: '1' },
      })
      equal(result?.['protocolVersion'], '2025-06-18')
      const listed = await ask(stage, 'tools/list', {})
      const tools = listed.result?.['tools']
      that(Array.isArray(tools), 'tools are a list')
      equal(
        tools.map(({ name }: { name: string }) => name),
        ['search', 'fetch', 'crawl', 'search_templates', 'run_template', 'get_run'],
      )
      return { tools: JSON.stringify(tools) }
    },
  },
  {
    name: 'mcp: without a credential it is 401, and GET is 405',
    async run(stage) {
      const anonymous = await stage.send('/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      })
      const get = await stage.send('/mcp', {
        headers: { authorization: `Bearer ${stage.key}`, accept: 'text/event-stream' },
      })
      equal([anonymous.status, get.status], [401, 405])
    },
  },
  {
    name: 'mcp: a page is fetched as Markdown',
    async run(stage) {
      const page = await callTool(stage, 'fetch', { id: `${stage.shop}/about` })
      like(String(page['text']), /About the shop[\s\S]*3 categories and 60 products/, 'text')
    },
  },
  {
    name: 'mcp: a crawl is run to its rows',
    async run(stage) {
      const run = await callTool(stage, 'crawl', {
        url: `${stage.shop}/category/desk`,
        maxPages: 1,
        waitSeconds: 25,
      })
      equal(run['status'], 'succeeded')
      return { keys: Object.keys(run).toSorted().join(' ') }
    },
  },
]
