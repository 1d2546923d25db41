import {
  isCreateTaskResultV2,
  isDetailedTaskV2,
  isTaskStatusNotificationV2,
  readAcceptedTaskIdsV2,
} from '@modelcontextprotocol/ext-tasks/core/v2'
import { isSpecType } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { createMcpHandler } from '../../src/mcp/handler.ts'
import { readEvents } from '../../src/kernel/http/event-reader.ts'
import { createWorld } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'
import {
  createMcpWorld,
  KNOWS_TASKS,
  keyOf,
  modernRequest,
  PAGES,
  TASKS,
  until,
} from './mcp-world.ts'

type Message = Record<string, unknown> & { readonly params?: Record<string, unknown> }
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

const requestOf = (
  key: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
  knows = true,
) =>
  modernRequest(key, method, params, {
    id: 'listen-1',
    capabilities: knows ? KNOWS_TASKS : {},
  })

async function crawl(world: World, key: string, url: string): Promise<string> {
  const params = { name: 'crawl', arguments: { url, maxPages: 5 } }
  const response = await world.clock.runUntil(
    world.platform.fetch(requestOf(key, 'tools/call', params)),
  )
  const { result } = await response.json()
  expect(isCreateTaskResultV2(result)).toBe(true)
  return result.taskId
}

/** Listens to tasks; the messages grow as they come. */
async function listen(world: World, key: string, taskIds: readonly string[], knows = true) {
  const request = requestOf(key, 'subscriptions/listen', { notifications: { taskIds } }, knows)
  const response = await world.platform.fetch(request)
  const messages: Message[] = []
  const { body } = response
  const ended = (async () => {
    if (response.status !== 200 || body === null) return
    for await (const { data } of readEvents(body)) if (data !== '') messages.push(JSON.parse(data))
  })()
  return { response, messages, ended }
}

const PENS = 'https://pens.example.com/'

test('a client that listens is told when a task ends, with what tasks/get answers', async () => {
  const world = createMcpWorld()
  const key = await keyOf(world)
  const taskId = await crawl(world, key, PENS)
  const { response, messages, ended } = await listen(world, key, [taskId, 'crawl.20.exe_none'])
  expect(response.headers.get('content-type')).toMatch('text/event-stream')
  await until(world, () => messages.length >= 2)
  const [accepted, present] = messages
  expect(isSpecType.SubscriptionsAcknowledgedNotification(accepted)).toBe(true)
  expect(accepted?.params).toEqual({
    notifications: { taskIds: [taskId] },
    _meta: { [SUBSCRIPTION]: 'listen-1' },
  })
  expect(readAcceptedTaskIdsV2(accepted?.params)).toEqual([taskId])
  expect(present).toMatchObject({ method: 'notifications/tasks', params: { status: 'working' } })
  await world.clock.advance(30_000)
  await world.work()
  const workedAt = new Date(world.clock.now()).toISOString().slice(0, -4)
  await world.clock.runUntil(ended)
  for (const message of messages.slice(1, -1)) {
    expect(isTaskStatusNotificationV2(message)).toBe(true)
    expect(message.params?.['_meta']).toEqual({ [SUBSCRIPTION]: 'listen-1' })
  }
  const [last, end] = messages.slice(-2)
  expect(last?.params).toMatchObject({
    taskId,
    status: 'completed',
    lastUpdatedAt: expect.stringContaining(workedAt),
    result: { structuredContent: { done: true, rowsFound: 2 } },
  })
  const read = await world.platform.fetch(requestOf(key, 'tasks/get', { taskId }))
  const { result } = await read.json()
  expect(isDetailedTaskV2(result)).toBe(true)
  const { resultType, _meta, ...state } = result
  expect(resultType).toBe('complete')
  expect(last?.params).toEqual({ ...state, _meta: { [SUBSCRIPTION]: 'listen-1' } })
  expect(_meta).not.toHaveProperty(SUBSCRIPTION)
  expect(isSpecType.SubscriptionsListenResult(end?.['result'])).toBe(true)
  expect(end).toMatchObject({ id: 'listen-1', result: { _meta: { [SUBSCRIPTION]: 'listen-1' } } })
})

test('an unchanged state is not sent again, and a stream outlives long waits', async () => {
  const world = createMcpWorld()
  const key = await keyOf(world)
  const taskId = await crawl(world, key, PENS)
  const { messages, ended } = await listen(world, key, [taskId])
  await world.clock.advance(10 * 60_000)
  expect(messages.map(({ method }) => method)).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/tasks',
  ])
  await world.platform.fetch(requestOf(key, 'tasks/cancel', { taskId }))
  await world.clock.runUntil(ended)
  expect(messages.at(-2)?.params).toMatchObject({ taskId, status: 'cancelled' })
})

test('a stream that follows nothing ends at once, and a client that leaves ends its own', async () => {
  const world = createMcpWorld()
  const key = await keyOf(world)
  const strange = await listen(world, key, ['crawl.20.exe_none', 'nonsense'])
  await strange.ended
  expect(strange.messages).toMatchObject([
    { params: { notifications: { taskIds: [] } } },
    { id: 'listen-1', result: { resultType: 'complete' } },
  ])
  const taskId = await crawl(world, key, PENS)
  const params = { notifications: { taskIds: [taskId] } }
  const { sleeping } = world.clock
  const response = await world.platform.fetch(requestOf(key, 'subscriptions/listen', params))
  await until(world, () => world.clock.sleeping !== sleeping)
  await response.body?.cancel()
  await until(world, () => world.clock.sleeping <= sleeping)
})

test('tasks are listened to with the extension and a key that may read them alone', async () => {
  const world = createMcpWorld()
  const key = await keyOf(world)
  const taskId = await crawl(world, key, PENS)
  const { response } = await listen(world, key, [taskId], false)
  expect([response.status, await response.json()]).toMatchObject([
    400,
    {
      id: 'listen-1',
      error: { code: -32_021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } },
    },
  ])
  const other = await listen(world, await keyOf(world, ['mcp:templates']), [taskId])
  await other.ended
  expect(other.messages[0]?.params?.['notifications']).toEqual({ taskIds: [] })
  const unknown = await listen(world, 'svc_sk_none', [taskId])
  expect(unknown.response.status).toBe(401)
})

test('an account has as many streams as its plan allows, also with several keys', async () => {
  const plan = { id: 'one', name: 'One', creditsPerMonth: 1_000, caps: { streams: 2 } }
  const world = createWorld(PAGES, { billing: { plans: [plan] } })
  const keys = [await keyOf(world), await keyOf(world)] as const
  const taskId = await crawl(world, keys[0], PENS)
  const first = await listen(world, keys[0], [taskId])
  const second = await listen(world, keys[1], [taskId])
  expect([first.response.status, second.response.status]).toEqual([200, 200])
  const { response } = await listen(world, keys[0], [taskId])
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5'])
  expect(await response.json()).toMatchObject({
    id: 'listen-1',
    error: { code: -32_000, message: expect.stringMatching(/already has 2 event streams/) },
  })
  const params = { notifications: { taskIds: ['nonsense'] } }
  await world.platform.fetch(requestOf(keys[0], 'tasks/cancel', { taskId }))
  await world.clock.runUntil(Promise.all([first.ended, second.ended]))
  for (let i = 0; i < 3; i++)
    expect(
      (await world.platform.fetch(requestOf(keys[0], 'subscriptions/listen', params))).status,
    ).toBe(200)
})

test('the tasks that a stream follows take no places, and its stream ends with the platform', async () => {
  const plan = { id: 'one', name: 'One', creditsPerMonth: 1_000, caps: { streams: 2 } }
  const world = createWorld(PAGES, { billing: { plans: [plan] } })
  const key = await keyOf(world)
  const taskIds = [await crawl(world, key, PENS), await crawl(world, key, PENS)]
  const first = await listen(world, key, taskIds)
  // Each task is read with a wait by now.
  await world.clock.advance(10_000)
  const second = await listen(world, key, taskIds)
  expect([first.response.status, second.response.status]).toEqual([200, 200])
  await world.clock.advance(10_000)
  expect((await listen(world, key, taskIds)).response.status).toBe(429)
  const before = world.clock.now()
  await world.platform.close()
  await Promise.all([first.ended, second.ended])
  expect(world.clock.now()).toBe(before)
  expect(first.messages.at(-1)).toMatchObject({ method: 'notifications/tasks' })
})

test('an endpoint apart from the platform counts the streams of each credential', async () => {
  const world = createMcpWorld()
  const [key, other] = [await keyOf(world), await keyOf(world)]
  const apart = createMcpHandler({
    baseUrl: 'http://localhost/',
    fetch: world.platform.fetch,
    clock: world.clock,
  })
  const params = { notifications: { taskIds: [await crawl(world, key, PENS)] } }
  const open = (own: string) => apart(requestOf(own, 'subscriptions/listen', params))
  const streams = await Promise.all(Array.from({ length: 100 }, () => open(key)))
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await open(key)).status).toBe(429)
  const strange = await open(other)
  expect(strange.status).toBe(200)
  await streams[0]?.body?.cancel()
  const next = await open(key)
  expect(next.status).toBe(200)
  await Promise.all([...streams, strange, next].slice(1).map(({ body }) => body?.cancel()))
})
