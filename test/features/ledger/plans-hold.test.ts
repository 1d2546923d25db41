import { expect, it } from 'vitest'
import type { PlanDefinition } from '../../../src/features/ledger/plans.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { OWNER } from '../../support/worlds/world.ts'

const FREE: PlanDefinition = {
  id: 'free',
  name: 'Free',
  creditsPerMonth: 10,
  concurrentExecutions: 1,
  rates: { tasks: { limit: 4, periodMs: 60_000, burst: 3 } },
  previews: { perDay: 1 },
}
const PRO: PlanDefinition = {
  id: 'pro',
  name: 'Pro',
  creditsPerMonth: 1_000,
  concurrentExecutions: 2,
  rates: { tasks: { limit: 400, periodMs: 60_000, burst: 399 } },
  previews: { perDay: 3 },
}
const recipe = {
  start: { urls: ['https://shop.example.com/'] },
  extract: { fields: { title: 'h1' } },
}

it('rates, previews and executions at the same time of a chosen plan hold from the next call on', async () => {
  const clock = createFakeClock()
  const platform = createPlatform({
    clock,
    fetcher: createFakeWeb({ 'https://shop.example.com/': '<h1>Shop</h1>' }),
    billing: { plans: [FREE, PRO] },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const { secret } = await platform.api.keys.create(OWNER, { name: 'test', scopes: ['*'] })
  const ask = async (method: string, path: string, body?: object) => {
    const request = new Request(`https://host.test/api/v1/${path}`, {
      method,
      headers: { 'X-API-Key': secret, 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const response = await clock.runUntil(platform.fetch(request))
    const { data, error }: { data?: { id: string }; error?: { code: string } | string } =
      await response.json()
    return {
      status: response.status,
      id: data?.id ?? '',
      code: typeof error === 'object' ? error.code : error,
    }
  }
  const { id } = await ask('POST', 'tasks', { recipe })
  expect([
    (await ask('POST', `tasks/${id}/preview`)).status,
    (await ask('POST', `tasks/${id}/preview`)).code,
  ]).toEqual([200, 'preview_limit_exceeded'])
  expect((await ask('POST', `tasks/${id}/executions`)).status).toBe(201)
  expect(await ask('GET', 'tasks')).toMatchObject({ status: 429, code: 'RATE_LIMIT_EXCEEDED' })

  expect((await ask('PUT', 'billing/subscription', { plan: 'pro' })).status).toBe(200)
  expect([
    (await ask('POST', `tasks/${id}/preview`)).status,
    (await ask('POST', `tasks/${id}/executions`)).status,
    (await ask('POST', `tasks/${id}/executions`)).code,
  ]).toEqual([200, 201, 'TOO_MANY_REQUESTS'])

  expect((await ask('PUT', 'billing/subscription', { plan: 'free' })).status).toBe(200)
  // The bucket of this plan was used up at the same moment.
  expect((await ask('GET', 'tasks')).code).toBe('RATE_LIMIT_EXCEEDED')
  await clock.advance(60_000)
  expect([
    (await ask('POST', `tasks/${id}/preview`)).code,
    (await ask('POST', `tasks/${id}/executions`)).code,
  ]).toEqual(['preview_limit_exceeded', 'TOO_MANY_REQUESTS'])
})
