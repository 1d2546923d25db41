import { expect, test } from 'vitest'
import type { Tariff } from '../../../src/features/ledger/plans.ts'
import { OPEN_PLAN, OPEN_TARIFF } from '../../../src/features/ledger/plans.ts'
import { openOperatorRecords } from '../../../src/features/operator/records.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createOperatorHost } from '../../support/worlds/operator-host.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

const REASON = { reason: 'Unpaid since December' }
const tariff: Tariff = {
  ...OPEN_TARIFF,
  plans: [
    { ...OPEN_PLAN, id: 'free', name: 'Free', creditsPerMonth: 100, overdraft: 0 },
    { ...OPEN_PLAN, id: 'pro', name: 'Pro', creditsPerMonth: 1_000, overdraft: 0 },
  ],
}

test('while the API of operators is off, its paths are 404 like unknown ones, with every credential', async () => {
  const host = await createServiceHost()
  const unknown = await host.call('GET', '/api/v1/nothing')
  for (const scopes of [['operator'], ['*', 'operator']]) {
    const key = await host.keyOf('staff', scopes)
    for (const path of ['/api/v1/operator/accounts', '/api/v1/operator/health'])
      expect(await host.call('GET', path, { key })).toMatchObject({
        status: 404,
        body: unknown.body,
      })
  }
})

test('the scope of operators is granted only by its name, and only by a caller who has it', async () => {
  const { host, key, ask } = await createOperatorHost()
  const make = (scopes: string[], by: string) =>
    host.call('POST', '/api/v1/keys', { body: { name: 'k', scopes }, key: by })
  expect((await make(['operator'], await host.keyOf('acme'))).status).toBe(403)
  // A session with all scopes of its account is not an operator either.
  const session = { account: 'acme', user: 'ann', scopes: ['*'] }
  await expect(host.keys.create(session, { name: 'k', scopes: ['operator'] })).rejects.toThrow(
    'operator',
  )
  expect(
    (await ask('POST', '/accounts/acme/keys', { name: 'k', scopes: ['operator'], ...REASON }))
      .status,
  ).toBe(403)
  const staff = await host.keyOf('staff', ['operator', 'keys:*'])
  expect((await make(['operator'], staff)).status).toBe(201)
  expect((await host.call('GET', '/api/v1/tasks', { key })).status).toBe(403)
})

test('accounts are listed by name, page by page, and filtered by name, state and plan', async () => {
  const { host, ask, all } = await createOperatorHost({ tariff })
  for (const name of ['beta', 'gamma', 'delta', 'Étoile', 'zz']) await host.keyOf(name)
  const names = async (query: string) =>
    (await all(`/accounts?limit=2${query}`)).items.map(({ id }) => id)
  expect(await names('')).toEqual(['acme', 'beta', 'delta', 'gamma', 'staff', 'zz', 'Étoile'])
  expect(await names('&q=ET')).toEqual(['beta'])
  await ask('POST', '/accounts/beta/suspend', REASON)
  await ask('PUT', '/accounts/zz/plan', { plan: 'pro', ...REASON })
  expect(await names('&state=suspended')).toEqual(['beta'])
  expect(await names('&plan=pro')).toEqual(['zz'])
  expect(await names('&plan=free&q=a')).toEqual(['acme', 'beta', 'delta', 'gamma', 'staff'])
  const { body } = await ask('GET', '/accounts?q=beta')
  expect(body.data.items).toEqual([
    {
      id: 'beta',
      state: 'suspended',
      reason: REASON.reason,
      plan: { id: 'free', name: 'Free' },
      wallet: 100,
      held: 0,
      runs: { queued: 0, running: 0, paused: 0 },
    },
  ])
})

test('a list of very many accounts is read a few hundred at a time', async () => {
  const { host, all, ask } = await createOperatorHost()
  for (let index = 0; index < 900; index++) await host.keyOf(`c${String(index).padStart(4, '0')}`)
  await ask('POST', '/accounts/c0899/suspend', REASON)
  const { items, pages } = await all('/accounts?state=suspended')
  expect(items.map(({ id }) => id)).toEqual(['c0899'])
  expect(pages).toBe(3)
})

test('an account shows its plan, credits, runs and holdings', async () => {
  const { host, ask } = await createOperatorHost({ tariff })
  const { id } = await host.executionWith([])
  const { body } = await ask('GET', '/accounts/acme')
  expect(body.data).toMatchObject({
    id: 'acme',
    state: 'active',
    set: null,
    plan: { id: 'free' },
    runs: { queued: 1 },
    holds: { keys: 1, tasks: 1, datasets: 0, bytes: 0 },
    subscription: { plan: { id: 'free' }, dailyCap: null },
  })
  expect(body.data.balance.credits.held).toBe(body.data.held)
  expect(body.data.held).toBeGreaterThan(0)
  expect(id).toMatch(/^exec_/)
  for (const unknown of ['nobody', '~', 'acm', 'acmee'])
    expect((await ask('GET', `/accounts/${encodeURIComponent(unknown)}`)).status).toBe(404)
})

test('from the next call on a suspended account is refused and a closed one unknown; both can return', async () => {
  const { host, ask } = await createOperatorHost()
  const otherKey = await host.keyOf('beta')
  const status = async () => (await host.call('GET', '/api/v1/tasks', { key: otherKey })).status
  expect(await status()).toBe(200)
  const suspended = await ask('POST', '/accounts/beta/suspend', REASON)
  expect(suspended.body.data).toMatchObject({
    id: 'beta',
    state: 'suspended',
    ...REASON,
    by: { account: 'staff', user: 'staff' },
  })
  expect(await status()).toBe(403)
  await ask('POST', '/accounts/beta/close', REASON)
  expect(await status()).toBe(401)
  await ask('POST', '/accounts/beta/resume', { reason: 'Paid' })
  expect(await status()).toBe(200)
})

test('operators cannot suspend their own account, and a reason is required', async () => {
  const { ask } = await createOperatorHost()
  for (const verb of ['suspend', 'close'])
    expect((await ask('POST', `/accounts/staff/${verb}`, REASON)).status).toBe(409)
  for (const body of [{}, { reason: '' }, { reason: '  ' }, { reason: 'x'.repeat(501) }])
    expect(await ask('POST', '/accounts/acme/suspend', body)).toMatchObject({
      status: 400,
      body: { error: { issues: [{ path: 'reason' }] } },
    })
})

test('every act has one entry in the audit log, in the same commit, and a repeated act has none', async () => {
  const { host, ask } = await createOperatorHost({ tariff })
  const otherKey = await host.call('POST', '/api/v1/keys', {
    body: { name: 'k', scopes: ['tasks:read'] },
  })
  const once = { 'Idempotency-Key': 'one' }
  await ask('POST', '/accounts/acme/suspend', REASON, once)
  await ask('POST', '/accounts/acme/suspend', REASON, once)
  await ask('POST', '/accounts/acme/suspend', { reason: 'Again' })
  await ask('POST', '/accounts/acme/resume', REASON)
  await ask('PUT', '/accounts/acme/plan', { plan: 'pro', ...REASON })
  await ask('POST', '/accounts/acme/adjustments', { id: 'a1', credits: 7, ...REASON })
  await ask('POST', `/accounts/acme/keys/${otherKey.body.data.id}/revoke`, REASON)
  const { body } = await ask('GET', '/log?account=acme&sort=createdAt')
  const acts: { operation: string; changed: boolean; subject: string | null; detail: object }[] =
    body.data.items
  expect(acts.map(({ operation, changed }) => [operation, changed])).toEqual([
    ['operator.suspend', true],
    ['operator.suspend', false],
    ['operator.resume', true],
    ['operator.setPlan', true],
    ['operator.adjust', true],
    ['operator.revokeKey', true],
  ])
  expect(acts[3]?.detail).toEqual({ from: 'free', to: 'pro' })
  expect(acts[4]).toMatchObject({ subject: 'a1', detail: { credits: 7 } })
  expect(body.data.items[0]).toMatchObject({ ...REASON, by: { account: 'staff', user: 'staff' } })
  expect((await ask('GET', '/log?account=beta')).body.data.items).toEqual([])
  expect((await ask('GET', '/log?operation=operator.adjust')).body.data.items).toHaveLength(1)
})

test('a refused act has neither an effect nor an entry', async () => {
  const { host, ask } = await createOperatorHost({ tariff })
  expect((await ask('PUT', '/accounts/acme/plan', { plan: 'gold', ...REASON })).status).toBe(400)
  expect((await ask('PUT', '/accounts/nobody/plan', { plan: 'pro', ...REASON })).status).toBe(404)
  const short = await ask('POST', '/accounts/acme/adjustments', { credits: -101, ...REASON })
  expect([short.status, short.body.error.code]).toEqual([409, 'CONFLICT'])
  for (const body of [
    { credits: 0, ...REASON },
    { credits: 1.5, ...REASON },
    { credits: 1 },
    { credits: -1, expiresAt: '2030-01-01T00:00:00Z', ...REASON },
    { credits: 1, expiresAt: '2030-02-30T00:00:00Z', ...REASON },
  ])
    expect([body, (await ask('POST', '/accounts/acme/adjustments', body)).status]).toEqual([
      body,
      400,
    ])
  const { acts } = openOperatorRecords(host.store)
  expect(await acts.list(SYSTEM, { limit: 10 })).toEqual([])
})

test('an adjustment makes one entry in the ledger for its id, and the books agree', async () => {
  const { host, ask } = await createOperatorHost({ tariff })
  const give = () => ask('POST', '/accounts/acme/adjustments', { id: 'a1', credits: 25, ...REASON })
  const [first, second] = [await give(), await give()]
  expect(first.status).toBe(201)
  expect(first.body.data).toMatchObject({
    kind: 'adjust',
    cause: 'adjust:a1',
    moves: { wallet: 25, grants: -25 },
    note: REASON.reason,
  })
  expect(second.body.data).toEqual(first.body.data)
  const { body } = await host.call('GET', '/api/v1/billing/balance')
  expect(body.data.credits.wallet).toBe(125)
})

test('the cap that an account has set itself stays when its plan changes', async () => {
  const { host, ask } = await createOperatorHost({ tariff })
  await host.call('PUT', '/api/v1/billing/subscription', { body: { plan: 'free', dailyCap: 9 } })
  const { body } = await ask('PUT', '/accounts/acme/plan', { plan: 'pro', ...REASON })
  expect(body.data).toMatchObject({ plan: { id: 'pro' }, dailyCap: 9 })
})

test('the first key of an account works, and puts the account on the list', async () => {
  const { host, ask } = await createOperatorHost()
  expect((await ask('GET', '/accounts/new')).status).toBe(404)
  const created = await ask('POST', '/accounts/new/keys', {
    name: 'first',
    scopes: ['tasks:*'],
    user: 'nora',
    ...REASON,
  })
  expect(created.status).toBe(201)
  const { secret, id } = created.body.data
  expect((await host.call('GET', '/api/v1/tasks', { key: secret })).status).toBe(200)
  expect((await ask('GET', '/accounts/new/keys')).body.data.items).toMatchObject([
    { id, name: 'first' },
  ])
  expect((await ask('POST', `/accounts/new/keys/${id}/revoke`, REASON)).status).toBe(200)
  expect((await host.call('GET', '/api/v1/tasks', { key: secret })).status).toBe(401)
  const { body } = await ask('GET', '/log')
  expect(JSON.stringify(body)).not.toContain(secret)
})
