import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClient } from 'seine/client'
import { webClock, webRandom } from '../../src/client/web-defaults.ts'
import { serveHttp } from '../support/loopback.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

test('the clock sleeps for the wanted time, and leaves no timer or listener behind when it is woken', async () => {
  const start = webClock.now()
  const slept = webClock.sleep(1_000)
  await vi.advanceTimersByTimeAsync(1_000)
  await slept
  expect(webClock.now() - start).toBe(1_000)
  const controller = new AbortController()
  const woken = webClock.sleep(1_000, controller.signal).catch((error: unknown) => error)
  controller.abort('now')
  expect(await woken).toBe('now')
  expect(await webClock.sleep(1_000, controller.signal).catch((error: unknown) => error)).toBe(
    'now',
  )
  expect(vi.getTimerCount()).toBe(0)
})

test('random bytes differ', () => {
  expect(webRandom(16)).toHaveLength(16)
  expect(webRandom(16)).not.toEqual(webRandom(16))
})

test("with the runtime's own fetch a credential goes to the service alone, and an abort reaches it", async () => {
  vi.useRealTimers()
  const requests: (string | undefined)[] = []
  const silent = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  await using elsewhere = await serveHttp(
    (_, response) => void (requests.push('elsewhere'), response.end('{}')),
  )
  await using service = await serveHttp((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers['x-api-key']}`)
    if (request.url === '/data/api/v1/tasks')
      return void response.writeHead(307, { Location: elsewhere.origin }).end()
    response.on('close', () => closed.resolve())
    silent.resolve()
  })
  const client = createClient({
    baseUrl: new URL(`${service.origin}/data/`),
    apiKey: 'svc_sk_x',
    retries: 0,
  })
  await expect(client.tasks.list()).rejects.toMatchObject({
    code: 'UNEXPECTED_RESPONSE',
    status: 307,
  })
  const controller = new AbortController()
  const outcome = client.keys
    .list({}, { signal: controller.signal })
    .catch((error: unknown) => error)
  await silent.promise
  controller.abort('enough')
  expect(await outcome).toBe('enough')
  await closed.promise
  expect(requests).toEqual(['GET /data/api/v1/tasks svc_sk_x', 'GET /data/api/v1/keys svc_sk_x'])
})
