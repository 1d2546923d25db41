import { expect, it } from 'vitest'
import { OPEN_PLAN, OPEN_TARIFF } from '../../../src/features/ledger/plans.ts'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'

const ME = '/api/v1/me'

it('the answer has the identity of the credential, its plan, and the remaining limits', async () => {
  const host = await createServiceHost({
    tariff: {
      ...OPEN_TARIFF,
      plans: [
        {
          ...OPEN_PLAN,
          id: 'small',
          name: 'Small',
          creditsPerMonth: 500,
          overdraft: 100,
          caps: { tasks: 3, keys: null, webhooks: 1 },
        },
      ],
    },
  })
  await host.call('POST', '/api/v1/tasks', { body: { recipe: recipeOf() } })
  await host.call('POST', '/api/v1/webhooks', {
    body: { url: 'https://hooks.example.com/', events: ['*'] },
  })
  const { status, body } = await host.call('GET', ME)
  expect([status, body.data]).toEqual([
    200,
    {
      account: 'acme',
      user: 'acme',
      keyId: expect.stringMatching(/^key_/),
      scopes: ['*'],
      plan: { id: 'small', name: 'Small' },
      credits: { spendable: 600 },
      abilities: { browser: false, model: false, search: false, payments: true },
      limits: {
        keys: { most: null, used: 1, left: null },
        tasks: { most: 3, used: 1, left: 2 },
        datasets: { most: 1_000, used: 0, left: 1_000 },
        webhooks: { most: 1, used: 1, left: 0 },
        bytes: { most: expect.any(Number), used: 0, left: expect.any(Number) },
      },
    },
  ])
  const balance = (await host.call('GET', '/api/v1/billing/balance')).body.data
  expect(body.data.credits.spendable).toBe(balance.spendable)
})

it('any scope may call, and credits are shown only to callers who may read them', async () => {
  const { call, keyOf } = await createServiceHost()
  for (const [scope, credits] of [
    ['mcp:search', null],
    ['audit:read', null],
    ['billing:read', { spendable: null }],
  ] as const) {
    const { status, body } = await call('GET', ME, { key: await keyOf('acme', [scope]) })
    expect([status, body.data.scopes, body.data.credits]).toEqual([200, [scope], credits])
  }
  expect((await call('GET', ME, { key: null })).status).toBe(401)
})
