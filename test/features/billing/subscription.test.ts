import { expect, it } from 'vitest'
import { createBillingHost } from './billing-host.ts'

const grants = (items: { kind: string; cause: string; moves: { wallet?: number } }[]) =>
  items.filter(({ kind }) => kind === 'grant').map(({ cause, moves }) => [cause, moves.wallet])

it('a new plan takes effect at once, and grants the difference for the rest of the month once', async () => {
  // Exactly in the middle of June: half of the difference of 900.
  const { get, call } = await createBillingHost()
  expect(await get('subscription')).toMatchObject({
    plan: { id: 'free' },
    dailyCap: null,
    since: null,
  })
  const put = await call('PUT', 'subscription', { plan: 'pro', dailyCap: 70 })
  expect(put).toMatchObject({
    status: 200,
    data: {
      plan: { id: 'pro', creditsPerMonth: 1_000 },
      dailyCap: 70,
      since: '2026-06-16T00:00:00.000Z',
    },
  })
  expect(await get('subscription')).toEqual(put.data)
  expect(await get('balance')).toMatchObject({
    credits: { wallet: 550 },
    plan: { id: 'pro' },
    dailyCap: { credits: 70 },
  })
  for (const plan of ['free', 'pro', 'free', 'pro']) await call('PUT', 'subscription', { plan })
  expect(grants((await get('ledger')).items)).toEqual([
    ['plan:2026-06:pro', 450],
    ['plan:2026-06', 100],
  ])
})

it('the grant is rounded down, and reduced by the grants of other plans in the same month', async () => {
  const { get, call, until, billing } = await createBillingHost()
  await call('PUT', 'subscription', { plan: 'pro' })
  await call('PUT', 'subscription', { plan: 'free' })
  await until('2026-06-30T23:00:00Z')
  // 5,000 instead of the 1,000 that pro had, for an hour of 720: 5.5.
  await billing.setPlan('acme', { plan: 'huge' })
  expect(grants((await get('ledger')).items)[0]).toEqual(['plan:2026-06:huge', 5])
})

it('a lower plan takes no credits away, and grants its own from the next month on', async () => {
  const { get, call, until } = await createBillingHost()
  await call('PUT', 'subscription', { plan: 'pro' })
  await until('2026-07-03T00:00:00Z')
  await call('PUT', 'subscription', { plan: 'free' })
  // The credits of free expired; those of pro never expire.
  expect(await get('balance')).toMatchObject({
    credits: { wallet: 1_450, expired: 100 },
    plan: { id: 'free' },
  })
  await until('2026-08-01T00:00:00Z')
  expect(await get('balance')).toMatchObject({ credits: { wallet: 1_550 }, period: '2026-08' })
  expect(grants((await get('ledger')).items).slice(0, 2)).toEqual([
    ['plan:2026-08', 100],
    ['plan:2026-07', 1_000],
  ])
})

it('months without a request are closed later, by the plan of that time', async () => {
  const { get, call, until } = await createBillingHost()
  await get('balance')
  await until('2026-08-16T12:00:00Z')
  await call('PUT', 'subscription', { plan: 'pro' })
  expect(grants((await get('ledger')).items).map(([cause]) => cause)).toEqual([
    'plan:2026-08:pro',
    'plan:2026-08',
    'plan:2026-07',
    'plan:2026-06',
  ])
  expect(
    (await get('statements')).items.map(({ id, plan }: { id: string; plan: string }) => [id, plan]),
  ).toEqual([
    ['2026-08', 'pro'],
    ['2026-07', 'free'],
    ['2026-06', 'free'],
  ])
})

it('a plan is changed only if If-Match has its current version', async () => {
  const { call, send } = await createBillingHost()
  const tag = (await send('GET', 'subscription')).headers.get('etag') ?? expect.fail()
  const put = await call('PUT', 'subscription', { plan: 'pro' }, { 'If-Match': tag })
  expect([put.status, put.headers.get('etag')]).toEqual([
    200,
    (await send('GET', 'subscription')).headers.get('etag'),
  ])
  expect((await call('PUT', 'subscription', { plan: 'free' }, { 'If-Match': tag })).status).toBe(
    412,
  )
  expect((await call('GET', 'subscription')).data.plan.id).toBe('pro')
})

it('an unknown plan and a plan that must be paid are refused, and private plans are shown to nobody else', async () => {
  const { get, call, billing } = await createBillingHost()
  const plans = {
    status: 400,
    error: { issues: [{ path: 'plan', message: 'is not a plan; the plans are free, pro, huge' }] },
  }
  expect(await call('PUT', 'subscription', { plan: 'none' })).toMatchObject(plans)
  expect(await call('PUT', 'subscription', { plan: 'tailored' })).toMatchObject(plans)
  expect(await call('PUT', 'subscription', { plan: 'huge' })).toMatchObject({
    status: 402,
    error: {
      code: 'PAYMENT_REQUIRED',
      message: 'The plan Huge must be paid for: ask the operator of this service',
    },
  })
  expect(await call('PUT', 'subscription', { plan: 'pro', dailyCap: -1 })).toMatchObject({
    status: 400,
    error: { issues: [{ path: 'dailyCap' }] },
  })
  expect(await get('plans')).toMatchObject({
    plans: [
      { id: 'free', access: 'self-service' },
      { id: 'pro' },
      { id: 'huge', access: 'listed', price: { amount: 9_900, currency: 'EUR' } },
    ],
    current: 'free',
    prices: { fetched: 1 },
    topUps: true,
  })
  await billing.setPlan('acme', { plan: 'tailored' })
  expect((await get('plans')).plans.map(({ id }: { id: string }) => id)).toEqual([
    'free',
    'pro',
    'huge',
    'tailored',
  ])
  // A cap of its own can be set on a plan that accounts cannot choose.
  expect(await call('PUT', 'subscription', { plan: 'tailored', dailyCap: 9 })).toMatchObject({
    status: 200,
    data: { dailyCap: 9 },
  })
})

it('many changes at the same time as the start of a run grant credits once', async () => {
  const { get, call, run } = await createBillingHost()
  const answers = await Promise.all([
    ...Array.from({ length: 8 }, () => call('PUT', 'subscription', { plan: 'pro' })),
    run(5),
  ])
  expect(answers.slice(0, 8).map((answer) => 'status' in answer && answer.status)).toEqual(
    Array.from({ length: 8 }, () => 200),
  )
  expect(await get('balance')).toMatchObject({ credits: { wallet: 545, revenue: 5, grants: -550 } })
})
