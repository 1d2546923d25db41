import { Ajv2020 } from 'ajv/dist/2020.js'
import schema from '@modelcontextprotocol/ext-apps/schema.json' with { type: 'json' }
import { expect, test } from 'vitest'
import { createWorld } from '../support/worlds/world.ts'
import { PAGES, asker, callOf, connect, createMcpWorld, keyOf, post } from './mcp-world.ts'

// Proves that hosts of MCP Apps (SEP-1865) find the page that shows rows, by the tools whose
// results it shows and in both eras, in the form that the extension's own schemas want; that other
// clients see no difference; and that the page holds all that it needs.

const APPS = 'io.modelcontextprotocol/ui'
const CAPABILITIES = { extensions: { [APPS]: { mimeTypes: ['text/html;profile=mcp-app'] } } }
const SHOWN = ['crawl', 'extract', 'get_run', 'preview', 'query_dataset', 'run_template']
const uri = 'ui://seine/rows'

const ajv = new Ajv2020({ strict: false, allErrors: true }).addSchema(schema, 'apps')
const errorsOf = (name: string, value: unknown) => {
  const validate = ajv.getSchema(`apps#/$defs/${name}`)
  return validate?.(value) ? [] : (validate?.errors ?? [`no schema ${name}`])
}
const shownBy = (tools: readonly { readonly name: string; readonly _meta?: unknown }[]) =>
  tools.flatMap(({ name, _meta }) => (_meta === undefined ? [] : [[name, _meta] as const]))

test('the host of a test behaves as the extension says', () => {
  expect(errorsOf('McpUiClientCapabilities', CAPABILITIES.extensions[APPS])).toEqual([])
  // And the check can fail.
  expect(errorsOf('McpUiClientCapabilities', { mimeTypes: 'text/html' })).not.toEqual([])
})

test('tools with rows name the page, and both eras read it', async () => {
  const world = createWorld(PAGES, { mount: { mcp: { tools: 'extended' } } })
  const client = await connect(world.platform.fetch, await keyOf(world, ['*']), CAPABILITIES)
  expect(client.getServerCapabilities()?.extensions).toEqual({ [APPS]: {} })
  const ask = await asker(world, ['*'], world.platform.fetch, CAPABILITIES)
  const discovered = (await ask('server/discover')).result.capabilities.extensions
  expect(Object.keys(discovered)).toContain(APPS)

  const { tools } = await client.listTools()
  const meta = { ui: { resourceUri: uri } }
  const expected = tools.filter(({ name }) => SHOWN.includes(name)).map(({ name }) => [name, meta])
  expect(shownBy(tools)).toEqual(expected)
  expect(expected.map(([name]) => name).toSorted()).toEqual(SHOWN)
  expect(shownBy((await ask('tools/list')).result.tools)).toEqual(expected)
  expect(errorsOf('McpUiToolMeta', meta.ui)).toEqual([])

  const { contents } = await client.readResource({ uri })
  expect((await ask('resources/read', { uri })).result.contents).toEqual(contents)
  expect(contents).toEqual([
    {
      uri,
      mimeType: 'text/html;profile=mcp-app',
      text: expect.stringMatching(/^<!doctype html>/),
      _meta: { ui: { prefersBorder: true } },
    },
  ])
  expect(errorsOf('McpUiResourceMeta', { prefersBorder: true })).toEqual([])
})

test('a client that does not show pages sees no difference', async () => {
  const world = createMcpWorld()
  const key = await keyOf(world)
  // With the era without sessions, a client says in each request what it can do.
  const ask = await asker(world)
  expect(shownBy((await ask('tools/list')).result.tools)).toEqual([])
  // In the other, it says so in the handshake alone: its list has `_meta`, which it ignores.
  const client = await connect(world.platform.fetch, key)
  expect(client.getServerCapabilities()?.extensions).toBeUndefined()
  const { resources } = await client.listResources()
  expect(resources.filter((resource) => resource.uri.startsWith('ui:'))).toEqual([])
  for (const version of ['2025-03-26', '2024-11-05']) {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const headers = { 'x-api-key': key, 'mcp-protocol-version': version }
    const answer = await (await world.platform.fetch(post(list, headers))).json()
    expect([version, shownBy(answer.result.tools)]).toEqual([version, []])
  }
  // The result of a call is the same for all.
  const call = callOf('search', { query: 'pens' })
  const answer = await world.platform.fetch(post(call, { 'x-api-key': key }))
  expect((await answer.json()).result).not.toHaveProperty('_meta')
})

test('the page is whole: it names nothing to load, and its policy lets it reach nothing', async () => {
  const world = createMcpWorld()
  const ask = await asker(world)
  const [{ text }] = (await ask('resources/read', { uri })).result.contents
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text)?.[1]
  expect(policy).toBe(
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; " +
      "base-uri 'none'; form-action 'none'",
  )
  expect(text.match(/<script\b[^>]*>/g)).toEqual(['<script type="module">'])
  expect(text.match(/<(?:link|img|iframe|base)\b|@import|url\(/g)).toBeNull()
  // A frame without an origin may keep nothing, and asking for it throws. All calls go by the host.
  expect(text.match(/\b(?:sessionStorage|XMLHttpRequest|WebSocket)|\bfetch\(/g)).toBeNull()
  expect(Buffer.byteLength(text)).toBeLessThan(100_000)
  const unknown = await ask('resources/read', { uri: 'ui://seine/other' })
  expect(unknown.error.message).toContain('There is no such resource')
})
