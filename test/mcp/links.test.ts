import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { isSpecType } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { withRunLink } from '../../src/mcp/run-link.ts'
import { TOOL_NAMES } from '../../src/mcp/tool-names.ts'
import { createWorld } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'
import { PAGES, callOf, connect, createMcpWorld, keyOf, post } from './mcp-world.ts'

const MODERN = '2026-07-28'
const CRAWL = { url: 'https://pens.example.com/', waitSeconds: 0 }

/** Sends messages as a client of a version; `null`: one from before there was a header for it. */
async function speaker(world: World, version: string | null) {
  const key = await keyOf(world)
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return async (
    method: string,
    params: { readonly name?: string; readonly arguments?: object },
  ) => {
    const isModern = version === MODERN
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: isModern ? { ...params, _meta: meta } : params,
    }
    const request = post(message, {
      'x-api-key': key,
      ...(version !== null && { 'mcp-protocol-version': version }),
      ...(isModern && { 'mcp-method': method }),
      ...(isModern && params.name !== undefined && { 'mcp-name': params.name }),
    })
    const response = await world.clock.runUntil(world.platform.fetch(request))
    return (await response.json()).result
  }
}

test('the result of a run that has ended links to its rows, which the same key can read', async () => {
  const world = createMcpWorld()
  const key = await keyOf(world, ['mcp:crawl'])
  const client = await connect(async (request) => world.platform.fetch(request), key)
  const started = await client.callTool({ name: 'crawl', arguments: CRAWL })
  const [run] = [started.structuredContent].filter((one) => one !== undefined)
  const { runId } = run as { runId: string }
  // The file of a run that goes on is not whole.
  expect(started.content).toMatchObject([{ type: 'text' }])
  await world.work()
  const ended = await client.callTool({ name: 'get_run', arguments: { runId } })
  const link = {
    type: 'resource_link',
    uri: `seine://runs/${runId}/rows.csv`,
    name: 'rows.csv',
    title: 'All rows as CSV: 2',
    mimeType: 'text/csv',
  }
  expect(ended.content).toMatchObject([{ type: 'text' }, link])
  const { contents } = await client.readResource({ uri: link.uri })
  expect(contents).toMatchObject([{ mimeType: 'text/csv', text: expect.stringMatching('/ink') }])
})

test('a run that goes on has no link, although it shows rows', () => {
  const shows = (done: boolean) => ({
    content: [],
    structuredContent: { runId: 'exec_1', done, rows: [{ a: 1 }], rowsFound: 1 },
  })
  const links = [false, true].map((done) => withRunLink(shows(done)).content)
  expect(links).toMatchObject([[], [{ uri: 'seine://runs/exec_1/rows.csv' }]])
})

test('a result without rows links to no file', async () => {
  const world = createMcpWorld()
  const say = await speaker(world, '2025-11-25')
  const closed = { ...CRAWL, url: 'https://closed.example.com/' }
  const { structuredContent } = await say('tools/call', { name: 'crawl', arguments: closed })
  await world.work()
  const { runId } = structuredContent
  const ended = await say('tools/call', { name: 'get_run', arguments: { runId } })
  expect([ended.structuredContent.done, ended.content.length]).toEqual([true, 1])
  const page = await say('tools/call', { name: 'fetch', arguments: { url: CRAWL.url } })
  expect(page.content.length).toBe(1)
})

test('links and icons are sent to clients whose version of the protocol has them', async () => {
  const world = createMcpWorld()
  const first = await speaker(world, null)
  const { structuredContent } = await first('tools/call', { name: 'crawl', arguments: CRAWL })
  await world.work()
  const { runId } = structuredContent
  const versions = [null, '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', MODERN]
  const seen = await Promise.all(
    versions.map(async (version) => {
      const say = await speaker(world, version)
      const read = await say('tools/call', { name: 'get_run', arguments: { runId } })
      const { tools } = await say('tools/list', {})
      // The SDK's own schemas, of both eras.
      expect(isSpecType.CallToolResult(read)).toBe(true)
      for (const one of read.content.slice(1)) expect(isSpecType.ResourceLink(one)).toBe(true)
      expect(tools.every((tool: unknown) => isSpecType.Tool(tool))).toBe(true)
      expect(ListToolsResultSchema.safeParse({ tools }).error).toBeUndefined()
      return [version, read.content.length, 'icons' in tools[0]]
    }),
  )
  expect(seen).toEqual([
    [null, 1, false],
    ['2024-11-05', 1, false],
    ['2025-03-26', 1, false],
    ['2025-06-18', 2, false],
    ['2025-11-25', 2, true],
    [MODERN, 2, true],
  ])
})

test('each tool has an icon of its own, which asks no server for anything', async () => {
  const world = createWorld(PAGES, { mount: { mcp: { tools: 'extended' } } })
  const key = await keyOf(world, ['*'])
  const client = await connect(async (request) => world.platform.fetch(request), key)
  const { tools } = await client.listTools()
  const icons = tools.flatMap((tool) => tool.icons ?? [])
  expect(icons.length).toBe(TOOL_NAMES.length)
  expect(new Set(icons.map(({ src }) => src)).size).toBe(TOOL_NAMES.length)
  for (const { src, mimeType, sizes } of icons) {
    expect([mimeType, sizes]).toEqual(['image/svg+xml', ['any']])
    const [head = '', svg = ''] = src.split(/,(.*)/s)
    expect(head).toBe('data:image/svg+xml')
    expect(decodeURIComponent(svg)).toMatch(
      /^<svg xmlns='[^']+' viewBox='0 0 16 16'><path [^>]+\/><\/svg>$/,
    )
    expect(svg).toMatch(/^[^\s<>"#]+$/)
  }
})

test('a message of the old form has no link, whatever its call returned', async () => {
  const world = createMcpWorld()
  const key = await keyOf(world)
  const say = await speaker(world, '2025-06-18')
  const { structuredContent } = await say('tools/call', { name: 'crawl', arguments: CRAWL })
  await world.work()
  const { runId } = structuredContent
  const list = [callOf('get_run', { runId }, 1), callOf('get_run', { runId }, 2)]
  const response = await world.clock.runUntil(
    world.platform.fetch(post(list, { 'x-api-key': key })),
  )
  const answers: { result: { content: object[]; structuredContent: object } }[] =
    await response.json()
  expect(answers.map(({ result }) => result.content.length)).toEqual([1, 1])
  expect(answers.map(({ result }) => result.structuredContent)).toMatchObject([
    { done: true, rowsFound: 2 },
    { done: true, rowsFound: 2 },
  ])
})
