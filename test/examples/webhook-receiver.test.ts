import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { start } from '../../examples/webhook-receiver/server.ts'
import type { ReceivedEvent } from '../../examples/webhook-receiver/server.ts'
import { createDefaultFetcher } from '../../adapters/node/fetcher.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import { OWNER } from '../support/worlds/world.ts'

const logger = { debug() {}, info() {}, warn() {}, error() {} }
const platform = createPlatform({
  fetcher: createDefaultFetcher(),
  allowPrivateNetwork: true,
  logger,
})
const { webhooks } = platform.api
const events: ReceivedEvent[] = []
let receiver: Awaited<ReturnType<typeof start>>
let hook: Awaited<ReturnType<typeof webhooks.create>>

beforeAll(async () => {
  // The receiver needs the secret, and the webhook needs the address of the receiver.
  hook = await webhooks.create(OWNER, { url: 'http://127.0.0.1/', events: ['*'] })
  receiver = await start({ port: 0, secret: hook.secret, onEvent: (event) => events.push(event) })
  await webhooks.update(OWNER, hook.id, { url: receiver.url })
})
afterAll(async () => {
  await receiver.close()
  await platform.close()
})

const post = async (body: string, headers: Record<string, string>): Promise<number> => {
  const response = await fetch(receiver.url, { method: 'POST', body, headers })
  await response.body?.cancel()
  return response.status
}
const signed = (body: string, index: number, id = 'evt_forged'): Record<string, string> => {
  const timestamp = String(Math.floor(index / 1_000))
  const signature = createHmac('sha256', Buffer.from(hook.secret.slice('whsec_'.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}

test('a receiver gets events over a real connection, and handles each event once', async () => {
  const sent = await webhooks.test(OWNER, hook.id)
  await platform.worker.tick()
  const { items } = await webhooks.deliveries(OWNER, hook.id)
  expect(items).toMatchObject([
    { id: sent.id, status: 'succeeded', attempts: [{ number: 1, httpStatus: 204, error: null }] },
  ])
  expect(events).toEqual([items[0]?.payload])
  await webhooks.redeliver(OWNER, hook.id, sent.id)
  await platform.worker.tick()
  expect((await webhooks.deliveries(OWNER, hook.id)).items[0]?.attempts).toHaveLength(2)
  expect(events).toHaveLength(1)
})

test('during a rotation the receiver accepts the old secret as well', async () => {
  await webhooks.rotate(OWNER, hook.id)
  await webhooks.test(OWNER, hook.id)
  await platform.worker.tick()
  expect(events).toHaveLength(2)
})

test('a forged, changed or old delivery is refused', async () => {
  const body = '{"id":"evt_forged","type":"webhook.test","timestamp":"","data":{}}'
  const now = Date.now()
  const before = events.length
  expect(await post(body, signed(body, now))).toBe(204)
  expect(events.length).toBe(before + 1)
  const other = body.replace('webhook.test', 'balance.low')
  expect(await post(other, signed(body, now))).toBe(401)
  expect(await post(body, {})).toBe(401)
  expect(await post(body, { ...signed(body, now), 'webhook-id': 'evt_other' })).toBe(401)
  expect(await post(body, signed(body, now - 3_600_000, 'evt_old'))).toBe(401)
  expect(events.length).toBe(before + 1)
})
