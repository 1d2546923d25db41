import { expect, it } from 'vitest'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createFakePayments } from '../../support/fakes/fake-payments.ts'
import { createBillingHost } from './billing-host.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const topUps = (items: { kind: string; cause: string; moves: object }[]) =>
  items.filter(({ kind }) => kind === 'top_up').map(({ cause, moves }) => [cause, moves])

it('a top-up that is paid at once is in the wallet at once', async () => {
  const payments = createFakePayments()
  const { call, get } = await createBillingHost({ payments })
  const { status, data } = await call('POST', 'top-ups', {
    credits: 250,
    returnUrl: 'https://app.example.com/back',
  })
  expect([status, data]).toEqual([
    201,
    {
      id: expect.stringMatching(/^top_/),
      credits: 250,
      status: 'completed',
      url: null,
      returnUrl: 'https://app.example.com/back',
      reason: null,
      createdAt: '2026-06-16T00:00:00.000Z',
      completedAt: '2026-06-16T00:00:00.000Z',
    },
  ])
  expect(payments.orders).toEqual([
    {
      id: data.id,
      account: 'acme',
      user: 'ann',
      credits: 250,
      returnUrl: 'https://app.example.com/back',
    },
  ])
  expect(await get(`top-ups/${data.id}`)).toEqual(data)
  expect(await get('balance')).toMatchObject({
    credits: { wallet: 350 },
    lots: [{ id: 'plan:2026-06' }, { id: `top-up:${data.id}`, credits: 250, expiresAt: null }],
  })
})

it('a top-up that is paid later is credited once, however often the payment is reported', async () => {
  const payments = createFakePayments('pending')
  const { call, get, billing, clock, world } = await createBillingHost({ payments })
  const { data } = await call('POST', 'top-ups', { credits: 40 })
  expect(data).toMatchObject({
    status: 'pending',
    url: `https://pay.example.com/${data.id}`,
    completedAt: null,
  })
  expect(await get('balance')).toMatchObject({ credits: { wallet: 100 } })
  await clock.advance(60_000)
  const other = world.join()
  const answers = await Promise.all([
    billing.confirmTopUp(data.id),
    other.api.billing.confirmTopUp(data.id),
    billing.confirmTopUp(data.id),
  ])
  for (const one of answers)
    expect(one).toEqual({ ...data, status: 'completed', completedAt: '2026-06-16T00:01:00.000Z' })
  await billing.confirmTopUp(data.id)
  expect(topUps((await get('ledger')).items)).toEqual([
    [`top-up:${data.id}`, { grants: -40, wallet: 40 }],
  ])
  await expect(billing.failTopUp(data.id, 'Charged back')).rejects.toMatchObject({
    code: 'CONFLICT',
  })
  await expect(billing.confirmTopUp('top_unknown')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('an abandoned top-up is not credited, unless it is paid after all', async () => {
  const { call, get, billing } = await createBillingHost({
    payments: createFakePayments('pending'),
  })
  const { data } = await call('POST', 'top-ups', { credits: 40 })
  expect(await billing.failTopUp(data.id, 'The card was refused')).toMatchObject({
    status: 'failed',
    reason: 'The card was refused',
  })
  expect(await billing.failTopUp(data.id, 'Again')).toMatchObject({
    reason: 'The card was refused',
  })
  expect(await get('balance')).toMatchObject({ credits: { wallet: 100 } })
  expect(await billing.confirmTopUp(data.id)).toMatchObject({ status: 'completed', reason: null })
  expect(await get('balance')).toMatchObject({ credits: { wallet: 140 } })
})

it('a repeated request is one payment, also if the provider failed in between', async () => {
  const payments = createFakePayments()
  const { call, get } = await createBillingHost({ payments })
  const once = { 'Idempotency-Key': 'buy-1' }
  payments.answer = new Error('timeout')
  expect(await call('POST', 'top-ups', { credits: 40 }, once)).toMatchObject({
    status: 503,
    error: { code: 'SERVICE_UNAVAILABLE' },
  })
  payments.answer = 'completed'
  const { data } = await call('POST', 'top-ups', { credits: 40 }, once)
  expect((await call('POST', 'top-ups', { credits: 40 }, once)).data).toEqual(data)
  expect((await call('POST', 'top-ups', { credits: 41 }, once)).status).toBe(422)
  expect([...payments.charged]).toEqual([[data.id, 40]])
  expect(new Set(payments.orders.map(({ id }) => id))).toEqual(new Set([data.id]))
  expect(await get('balance')).toMatchObject({ credits: { wallet: 140 } })
})

it('an Idempotency-Key that is used again a day later makes a new payment', async () => {
  const payments = createFakePayments()
  const { call, clock } = await createBillingHost({ payments })
  const buy = async () =>
    (await call('POST', 'top-ups', { credits: 40 }, { 'Idempotency-Key': 'monthly' })).data.id
  const first = await buy()
  await clock.advance(2 * 86_400_000)
  expect(await buy()).not.toBe(first)
  expect(payments.charged.size).toBe(2)
})

it('a payment that is reported before its order is answered is credited, and its page is stored', async () => {
  const confirmed: string[] = []
  const host = await createBillingHost({
    payments: {
      async createTopUp({ id }) {
        confirmed.push((await host.billing.confirmTopUp(id)).status)
        return { status: 'pending', url: 'https://pay.example.com/1' }
      },
    },
  })
  expect((await host.call('POST', 'top-ups', { credits: 40 })).data).toMatchObject({
    status: 'completed',
    url: 'https://pay.example.com/1',
  })
  expect(confirmed).toEqual(['completed'])
  expect(topUps((await host.get('ledger')).items)).toHaveLength(1)
})

it('a top-up that cannot be bought is refused with the reason', async () => {
  const payments = createFakePayments()
  const { call } = await createBillingHost({ payments })
  for (const [body, path] of [
    [{}, 'credits'],
    [{ credits: 0 }, 'credits'],
    [{ credits: 1.5 }, 'credits'],
    [{ credits: 5, returnUrl: 'javascript:alert(1)' }, 'returnUrl'],
    [{ credits: 5, reference: 'x' }, 'reference'],
  ]) {
    expect([body, await call('POST', 'top-ups', body)]).toMatchObject([
      body,
      { status: 400, error: { issues: [{ path }] } },
    ])
  }
  expect(payments.orders).toEqual([])
})

it('a top-up is 404 if the host takes no payments', async () => {
  const platform = createPlatform({ logger: silent })
  const principal = { account: 'acme', user: 'ann', scopes: ['*'] }
  await expect(platform.api.billing.topUp(principal, { credits: 5 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
    status: 404,
  })
  expect(await platform.api.billing.plans(principal)).toMatchObject({
    topUps: false,
    plans: [{ id: 'open' }],
  })
  await platform.close()
})
