import { expect, test } from 'vitest'
import { createWorld } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'
import {
  PAGES,
  KNOWS_TASKS,
  TASKS,
  createMcpWorld,
  keyOf,
  modernRequest,
  post,
} from './mcp-world.ts'

type Content = Record<string, unknown>
const URL_OF = 'https://pens.example.com/'

/** Sends a request in the era without a handshake; `knows`: the client has the extension. */
async function asker(
  world: World,
  { scopes, query = '' }: { readonly scopes?: readonly string[]; readonly query?: string } = {},
) {
  const key = await keyOf(world, scopes)
  return async (method: string, params: Content, knows = true, headers: object = {}) => {
    const url = `http://localhost/mcp${query}`
    const request = modernRequest(key, method, params, {
      capabilities: knows ? KNOWS_TASKS : {},
      headers,
      url,
    })
    const response = await world.clock.runUntil(world.platform.fetch(request))
    const body = await response.json()
    return { status: response.status, result: body.result, error: body.error }
  }
}
const crawl = (more: object = {}): Content => ({
  name: 'crawl',
  arguments: { url: URL_OF, maxPages: 5, ...more },
})

test('a client with support for tasks gets a task for a crawl, and its result when the run has ended', async () => {
  const world = createMcpWorld()
  const ask = await asker(world)
  const { result: discovery } = await ask('server/discover', {})
  expect(discovery.capabilities.extensions).toMatchObject({ [TASKS]: {} })
  const { result: task } = await ask('tools/call', crawl({ limit: 1 }))
  expect(task).toMatchObject({
    resultType: 'task',
    taskId: expect.stringMatching(/^crawl\.1\.exe/),
    status: 'working',
    createdAt: new Date(world.clock.now()).toISOString(),
    ttlMs: null,
    pollIntervalMs: 2_000,
  })
  const { taskId } = task
  const { result: working } = await ask('tasks/get', { taskId })
  expect(working).toMatchObject({ resultType: 'complete', taskId, status: 'working' })
  expect(working).not.toHaveProperty('result')
  await world.clock.advance(5_000)
  await world.work()
  const endedAt = new Date(world.clock.now()).toISOString().slice(0, -4)
  await world.clock.advance(5_000)
  const { result: ended } = await ask('tasks/get', { taskId })
  expect(ended).toMatchObject({
    status: 'completed',
    createdAt: task.createdAt,
    lastUpdatedAt: expect.stringContaining(endedAt),
    result: {
      content: [
        { type: 'text', text: expect.stringContaining('Fountain pens') },
        { type: 'resource_link', uri: expect.stringMatching(/rows\.csv$/) },
      ],
      structuredContent: { done: true, rowsFound: 2, rows: [{ title: 'Fountain pens' }] },
    },
  })
})

test('a run of a template is a task as well, with a result in the form of templates', async () => {
  const world = createMcpWorld()
  const ask = await asker(world)
  const list = await ask('tools/call', {
    name: 'search_templates',
    arguments: { query: 'article' },
  })
  const [template] = list.result.structuredContent.templates
  const args = { id: template.id, params: { urls: [URL_OF] } }
  const checked = await ask('tools/call', {
    name: 'run_template',
    arguments: { ...args, validateOnly: true },
  })
  expect(checked.result).toMatchObject({ resultType: 'complete', structuredContent: { run: null } })
  const { result: task } = await ask('tools/call', { name: 'run_template', arguments: args })
  expect(task).toMatchObject({ resultType: 'task', status: 'working' })
  await world.work()
  const { result } = await ask('tasks/get', { taskId: task.taskId })
  expect(result).toMatchObject({
    status: 'completed',
    result: { structuredContent: { valid: true, run: { done: true } } },
  })
})

test('a client without support for tasks gets the result itself, and no methods of tasks', async () => {
  const world = createMcpWorld()
  const ask = await asker(world)
  const { result } = await ask('tools/call', crawl({ waitSeconds: 0 }), false)
  expect(result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'queued' } })
  const taskId = `crawl.20.${result.structuredContent.runId}`
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    expect(await ask(method, { taskId, inputResponses: {} }, false)).toMatchObject({
      status: 400,
      error: { code: -32_021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } },
    })
  for (const method of ['tasks/list', 'tasks/result'])
    expect((await ask(method, { taskId })).error.code).toBe(-32_601)
  expect(
    (await ask('tools/call', { name: 'fetch', arguments: { url: URL_OF } })).result,
  ).toMatchObject({
    resultType: 'complete',
  })
  expect((await ask('tools/call', crawl({ url: 'nonsense' }))).result).toMatchObject({
    isError: true,
  })
})

test('cancelling a task ends its run, and can be repeated without harm', async () => {
  const world = createMcpWorld()
  const ask = await asker(world)
  const { result: task } = await ask('tools/call', crawl())
  const { taskId } = task
  expect((await ask('tasks/update', { taskId, inputResponses: {} })).result).toMatchObject({
    resultType: 'complete',
  })
  for (const _ of [1, 2])
    expect(await ask('tasks/cancel', { taskId })).toMatchObject({
      status: 200,
      result: { resultType: 'complete' },
    })
  expect((await ask('tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' })
  expect((await world.read(taskId.replace('crawl.20.', ''))).status).toBe('cancelled')
})

test('a task can be read only by its own credential, and only by its own id', async () => {
  const world = createMcpWorld()
  const ask = await asker(world)
  const { result } = await ask('tools/call', crawl())
  const { taskId } = result
  const stranger = await asker(world, { scopes: ['mcp:templates'] })
  const wrong = [
    [stranger, taskId],
    [ask, 'crawl.20.exe_none'],
    [ask, 'crawl.20.../keys'],
    [ask, 'fetch.20.x'],
    [ask, ''],
  ] as const
  for (const [askAs, id] of wrong)
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect([
        id,
        method,
        (await askAs(method, { taskId: id, inputResponses: {} })).error,
      ]).toMatchObject([id, method, { code: -32_602 }])
  const other = await ask('tasks/get', { taskId }, true, { 'mcp-name': 'crawl.20.other' })
  expect(other).toMatchObject({ status: 400, error: { code: -32_020 } })
  const unknown = await world.platform.fetch(post({ jsonrpc: '2.0', id: 1, method: 'tasks/get' }))
  expect(unknown.status).toBe(401)
})

test('a client that chose a tool with runs can read them, as tasks or by get_run', async () => {
  const world = createMcpWorld()
  const ask = await asker(world, { query: '?tools=crawl' })
  const { tools } = (await ask('tools/list', {})).result
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['crawl', 'get_run'])
  const { result: task } = await ask('tools/call', crawl())
  expect((await ask('tasks/get', { taskId: task.taskId })).result.status).toBe('working')
  const none = await asker(world, { query: '?tools=fetch' })
  expect((await none('tasks/get', { taskId: task.taskId })).error.code).toBe(-32_602)
})

test('a URL may name get_run where the host offers a tool with runs', async () => {
  const world = createWorld(PAGES, { mount: { mcp: { tools: ['crawl'] } } })
  const ask = await asker(world, { query: '?tools=crawl,get_run' })
  const { tools } = (await ask('tools/list', {})).result
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['crawl', 'get_run'])
})

test('a call that needs confirmation is confirmed before its task is made', async () => {
  const world = createWorld(PAGES, { mount: { mcp: { confirmAbove: 4 } } })
  const ask = await asker(world)
  const capabilities = { elicitation: { form: {} }, extensions: { [TASKS]: {} } }
  const key = await keyOf(world)
  const call = async (more: object) => {
    const request = modernRequest(key, 'tools/call', { ...crawl(), ...more }, { capabilities })
    return (await (await world.clock.runUntil(world.platform.fetch(request))).json()).result
  }
  expect(await call({})).toMatchObject({ resultType: 'input_required' })
  const yes = { action: 'accept', content: { confirm: true } }
  const task = await call({ inputResponses: { confirm: yes } })
  expect(task).toMatchObject({ resultType: 'task' })
  expect((await ask('tasks/get', { taskId: task.taskId })).result.status).toBe('working')
})
