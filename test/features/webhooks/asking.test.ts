/**
 * A message that asks an address goes out once more only if it was certainly not sent: a stranger
 * gets so many codes in 30 days and no more, also from servers that answer late or not at all. What
 * comes after it: an address that does not exist, and a webhook that is to stay disabled.
 */
import { expect, it } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { mailOnce } from '../../../src/features/webhooks/mail/attempt.ts'
import { MOST_UNCONFIRMED } from '../../../src/features/webhooks/mail/days.ts'
import { createCore } from '../../../src/platform/core.ts'
import type { Mailer } from '../../../src/ports/mailer.ts'
import { ANN, HOOKS, codeIn, openMailWorld } from '../../support/worlds/mail-world.ts'
import { OWNER } from '../../support/worlds/world.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const never = () => new Promise<null>(() => undefined)

it.for<readonly [how: string, reply: () => unknown, error: string]>([
  ['answers too late', never, 'timeout'],
  ['says that it was too late', () => ({ code: 'timeout', isGone: false }), 'timeout'],
  [
    'has lost the connection after the message',
    () => ({ code: 'connect', isGone: false, isUnknown: true }),
    'connect',
  ],
  ['throws', () => Promise.reject(new Error('socket hang up')), 'mailer_error'],
  ['says what nobody understands', () => 'queued', 'mailer_error'],
])('a mailer that %s asks once, and its code is good', async ([, reply, error]) => {
  const { ask, work, playOn, mailed, deliveries, call } = await openMailWorld(reply)
  const { data } = await ask(ANN)
  await work()
  await playOn(data.id)
  expect(mailed).toHaveLength(1)
  const [asking] = await deliveries(data.id)
  expect([asking?.status, asking?.attempts.map((attempt) => attempt.error)]).toEqual([
    'failed',
    [error],
  ])
  const url = `${HOOKS}/${data.id}`
  expect((await call('GET', url)).data.disabledReason).toBe('unconfirmed')
  expect((await call('POST', `${url}/confirm`, { code: codeIn(mailed[0]) })).status).toBe(200)
})

it('a mailer that certainly sent nothing is asked to send it again', async () => {
  let isDown = true
  const { ask, work, playOn, mailed, deliveries } = await openMailWorld(() =>
    isDown ? { code: 'timeout', isGone: false, isUnknown: false } : null,
  )
  const { data } = await ask(ANN)
  await work()
  isDown = false
  await playOn(data.id)
  expect(mailed).toHaveLength(2)
  expect((await deliveries(data.id)).map(({ status }) => status)).toEqual(['succeeded'])
})

it('a process that ends while it asks leaves a message that nobody sends again', async () => {
  const begun = Promise.withResolvers<void>()
  const { ask, clock, platform, join, work, playOn, mailed, deliveries } = await openMailWorld(
    () => {
      begun.resolve()
      return never()
    },
  )
  const { data } = await ask(ANN)
  const end = new AbortController()
  const working = platform.worker.tick({ signal: end.signal })
  await begun.promise
  end.abort(new Error('the process ends'))
  await clock.runUntil(working)
  await work(join())
  await playOn(data.id)
  expect(mailed).toHaveLength(1)
  const [asking] = await deliveries(data.id)
  expect([asking?.status, asking?.attempts.map(({ error }) => error)]).toEqual([
    'failed',
    ['interrupted'],
  ])
})

it('a consumer that has read the delivery before another one sent it sends nothing', async () => {
  const { ask, clock, store, records, work, mailed } = await openMailWorld()
  const { data } = await ask(ANN)
  const webhook = await records.webhooks.get(OWNER.account, data.id)
  const within = { within: [data.id], limit: 1 }
  const [early] = await records.webhookDeliveries.list(OWNER.account, within)
  if (!webhook || !early) throw new Error('A webhook with its delivery is expected')
  await work()
  expect(mailed).toHaveLength(1)
  const core = createCore({ store, blobs: createMemoryBlobs(), clock, logger: silent })
  const mailer: Mailer = {
    async send({ id, to, subject, text }) {
      mailed.push({ id, to, subject, text })
      return null
    },
  }
  const parts = { mailer, base: null, consolePath: null, secret: async () => new Uint8Array(32) }
  const { signal } = new AbortController()
  expect(
    await mailOnce(core, parts, OWNER.account, webhook.value, early.value, signal),
  ).toMatchObject({ waitUntil: clock.now() })
  expect(mailed).toHaveLength(1)
})

it('an address that does not exist ends its webhook, and does not wait any more', async () => {
  const { ask, work, mailed, call, deliveries } = await openMailWorld(() => ({
    code: 'smtp_550',
    isGone: true,
  }))
  const ids: string[] = []
  for (let nth = 0; nth < MOST_UNCONFIRMED; nth++)
    ids.push((await ask(`mailto:a${nth}@example.com`)).data.id)
  await work()
  for (const id of ids) {
    expect((await call('GET', `${HOOKS}/${id}`)).data.disabledReason).toBe('gone')
    expect((await deliveries(id)).map(({ status }) => status)).toEqual(['failed'])
    // Nobody has confirmed it, so it cannot be enabled either.
    expect((await call('PATCH', `${HOOKS}/${id}`, { enabled: true })).status).toBe(409)
  }
  expect(mailed).toHaveLength(MOST_UNCONFIRMED)
  expect((await ask('mailto:more@example.com')).status).toBe(201)
})

it.for(['created', 'changed'] as const)(
  'a webhook that was %s to be disabled is confirmed, and stays disabled',
  async (how) => {
    const { call, work, mailed, emit } = await openMailWorld()
    const input = { url: ANN, events: ['*'], ...(how === 'created' && { enabled: false }) }
    const { data } = await call('POST', HOOKS, input)
    const url = `${HOOKS}/${data.id}`
    if (how === 'changed') await call('PATCH', url, { enabled: false })
    await work()
    expect((await call('GET', url)).data.disabledReason).toBe('unconfirmed')
    const code = codeIn(mailed[0])
    for (let turn = 0; turn < 2; turn++) {
      const { data: confirmed } = await call('POST', `${url}/confirm`, { code })
      expect([confirmed.enabled, confirmed.disabledReason]).toEqual([false, 'requested'])
    }
    await emit({ id: 'evt_1' })
    await work()
    expect(mailed).toHaveLength(1)
    expect((await call('PATCH', url, { enabled: true })).data.enabled).toBe(true)
    await emit({ id: 'evt_2' })
    await work()
    expect(mailed).toHaveLength(2)
  },
)
