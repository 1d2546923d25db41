import * as v from 'valibot'
import { expect, test } from 'vitest'
import { createWorld } from '../support/worlds/world.ts'
import { PAGES, connect, keyOf } from './mcp-world.ts'

// The checklist of the directories of connectors, as far as a machine can check it: what they ask
// of tools. test/hosts/sign-in.hosts.ts checks what they ask of sign-in.

const WRITES = ['crawl', 'run_template', 'cancel_run', 'watch', 'save_task']

async function toolsOf() {
  const world = createWorld(PAGES, { mount: { mcp: { tools: 'extended' } } })
  const client = await connect(world.platform.fetch, await keyOf(world, ['*']))
  return { world, client, tools: (await client.listTools()).tools }
}

test('each tool has a name, a title, a description and all hints', async () => {
  const { tools } = await toolsOf()
  expect(tools.length).toBe(14)
  for (const { name, title = '', description = '', annotations = {}, outputSchema } of tools) {
    expect(name).toMatch(/^[a-z][a-z_]{1,62}$/)
    expect([name, title.length > 5 && title.length < 50]).toEqual([name, true])
    expect([name, description.length > 60 && description.length < 600]).toEqual([name, true])
    expect([name, outputSchema?.type]).toEqual([name, 'object'])
    for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'])
      expect([name, hint, typeof Reflect.get(annotations, hint)]).toEqual([name, hint, 'boolean'])
  }
  expect(new Set(tools.map(({ title }) => title)).size).toBe(tools.length)
})

test('reading and writing are apart, and only what undoes work is destructive', async () => {
  const { tools } = await toolsOf()
  const named = (hint: 'readOnlyHint' | 'destructiveHint', value: boolean): string[] =>
    tools.filter(({ annotations }) => annotations?.[hint] === value).map(({ name }) => name)
  expect(named('readOnlyHint', false)).toEqual(WRITES)
  expect(named('destructiveHint', true)).toEqual(['cancel_run'])
})

test('a tool that says that it reads leaves no task, run, dataset or webhook behind', async () => {
  const { world, client, tools } = await toolsOf()
  const url = 'https://pens.example.com/'
  const args: Readonly<Record<string, object>> = {
    search: { query: 'ink' },
    fetch: { url },
    search_templates: {},
    get_run: { runId: 'exec_none' },
    extract: { url, fields: { title: 'h1' } },
    preview: { recipe: { start: { urls: [url] }, extract: { fields: { title: 'h1' } } } },
    map: { url },
    query_dataset: {},
    dataset_changes: { datasetId: 'ds_none' },
  }
  const readers = tools.filter(({ annotations }) => annotations?.readOnlyHint === true)
  expect(readers.map(({ name }) => name).toSorted()).toEqual(Object.keys(args).toSorted())
  for (const { name } of readers)
    await world.clock.runUntil(client.callTool({ name, arguments: { ...args[name] } }))
  const owner = { account: 'acme', user: 'ann', scopes: ['*'] }
  const { tasks, executions, datasets, webhooks } = world.platform.api
  const lists = [tasks, executions, datasets, webhooks].map((service) => service.list(owner))
  for (const { items } of await Promise.all(lists)) expect(items).toEqual([])
})

test('descriptions tell models what a tool does, and order nothing else', async () => {
  const { tools } = await toolsOf()
  const orders =
    /\b(?:always call|must call|before any other|instead of other|best tool|prefer this)\b/i
  expect(tools.filter(({ description = '' }) => orders.test(description))).toEqual([])
})

test('search and fetch answer as connectors expect', async () => {
  const { world, client, tools } = await toolsOf()
  const search = tools.find(({ name }) => name === 'search')
  expect([Object.keys(search?.inputSchema.properties ?? {}), search?.inputSchema.required]).toEqual(
    [['query'], ['query']],
  )
  const call = async (name: string, args: Record<string, unknown>) =>
    world.clock.runUntil(client.callTool({ name, arguments: args }))
  const url = 'https://pens.example.com/ink'
  await call('fetch', { id: url })
  const { content, structuredContent } = await call('search', { query: 'ink' })
  const hit = v.object({ id: v.string(), title: v.string(), url: v.pipe(v.string(), v.url()) })
  const { results } = v.parse(v.object({ results: v.array(hit) }), structuredContent)
  expect(results.map((one) => one.url)).toEqual([url])
  const [only, ...others] = v.parse(v.array(v.object({ text: v.string() })), content)
  expect([JSON.parse(only?.text ?? ''), others]).toEqual([structuredContent, []])
  const page = v.object({
    ...hit.entries,
    text: v.string(),
    metadata: v.record(v.string(), v.unknown()),
  })
  const read = await call('fetch', { id: results[0]?.id })
  expect(v.parse(page, read.structuredContent)).toMatchObject({ title: 'Ink', url })
})
