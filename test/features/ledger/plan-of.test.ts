import { expect, it } from 'vitest'
import { createMemoryLimiter } from '../../../src/defaults/memory-limiter.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createPlanOf } from '../../../src/features/ledger/account-plan.ts'
import { tariffOf } from '../../../src/features/ledger/plans.ts'
import type { PlanDefinition } from '../../../src/features/ledger/plans.ts'
import { quotasOfPlan } from '../../../src/features/previews/quotas.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

const FREE: PlanDefinition = {
  id: 'free',
  name: 'Free',
  creditsPerMonth: 10,
  rates: { tasks: { limit: 2, periodMs: 60_000, burst: 1 } },
}
const PRO: PlanDefinition = {
  id: 'pro',
  name: 'Pro',
  creditsPerMonth: 1_000,
  rates: { tasks: { limit: 300, periodMs: 60_000, burst: 9 } },
  previews: { perDay: 7 },
}
const ENDLESS: PlanDefinition = {
  id: 'endless',
  name: 'Endless',
  creditsPerMonth: 0,
  rates: { tasks: false },
}

/** Plans on a store that counts its reads. */
function setUp(
  plans: readonly [PlanDefinition, ...PlanDefinition[]],
  base: Store = createMemoryStore(),
) {
  const read = { count: 0 }
  const get: Store['get'] = (keys) => {
    read.count++
    return base.get(keys)
  }
  const records = createRecords({
    get,
    list: base.list.bind(base),
    commit: base.commit.bind(base),
    close: base.close.bind(base),
  })
  const subscribe = async (account: string, plan: string): Promise<void> => {
    const change = new Change()
    records.subscriptions.put(change, account, { plan, since: 0, dailyCap: null })
    await records.commit(change)
  }
  return { read, base, subscribe, planOf: createPlanOf({ records, tariff: tariffOf({ plans }) }) }
}

it('nothing is read if there is one plan, and one record if there are more', async () => {
  const one = setUp([FREE])
  expect([(await one.planOf('acme')).id, one.read.count]).toEqual(['free', 0])
  const { planOf, read } = setUp([FREE, PRO])
  expect([(await planOf('acme')).id, read.count]).toEqual(['free', 1])
})

it('a changed plan takes effect at once, in the same process and in others', async () => {
  const here = setUp([FREE, PRO])
  const there = setUp([FREE, PRO], here.base)
  const ids = async (): Promise<string[]> => [
    (await here.planOf('acme')).id,
    (await there.planOf('acme')).id,
  ]
  expect(await ids()).toEqual(['free', 'free'])
  await here.subscribe('acme', 'pro')
  expect(await ids()).toEqual(['pro', 'pro'])
})

it('calls are limited by the plan, and any other plan begins with a full bucket', async () => {
  const clock = createFakeClock()
  let plan = FREE
  const host = await createServiceHost({
    clock,
    limiter: createMemoryLimiter({ clock }),
    rateOf: async (_account, service) => plan.rates?.[service] ?? null,
  })
  const ask = async (key?: string) => {
    const { status, headers } = await host.call(
      'GET',
      '/api/v1/tasks',
      key === undefined ? {} : { key },
    )
    return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
  }
  const asks = async (times: number) => {
    const seen = []
    for (let i = 0; i < times; i++) seen.push(await ask())
    return seen
  }
  expect(await asks(3)).toEqual([
    [200, '2', '1'],
    [200, '2', '0'],
    [429, '2', '0'],
  ])
  plan = PRO
  expect(await ask()).toEqual([200, '10', '9'])
  for (let i = 0; i < 12; i++) await ask()
  plan = ENDLESS
  expect(await asks(2)).toEqual([
    [200, null, null],
    [200, null, null],
  ])
  plan = FREE
  await clock.advance(60_000)
  expect(await ask()).toEqual([200, '2', '1'])
  // A call without a known plan has the rates of the platform.
  expect((await ask('svc_sk_wrong'))[0]).toBe(401)
})

it('calls are limited by the rates of the platform if plans cannot be read', async () => {
  const clock = createFakeClock()
  const host = await createServiceHost({
    clock,
    limiter: createMemoryLimiter({ clock }),
    rateOf: () => Promise.reject(new Error('away')),
  })
  expect((await host.call('GET', '/api/v1/tasks')).status).toBe(200)
  expect(host.logged.map(({ message }) => message)).toEqual([
    'The rate limiter failed; the call was let through',
  ])
})

it('previews are limited by the plan if it names a limit', () => {
  const platform = { perDay: 100, perScope: 20, urls: 5 }
  expect([quotasOfPlan(FREE, platform), quotasOfPlan(PRO, platform)]).toEqual([
    platform,
    { ...platform, perDay: 7 },
  ])
})

it.each([
  [{ rates: { tasks: { limit: 0, periodMs: 1, burst: 0 } } }, /rates\.tasks of free/],
  [{ previews: { perDay: -1 } }, /previews\.perDay of free/],
  [{ previews: { urls: 0 } }, /previews\.urls of free/],
  [{ retentionDays: 0 }, /retentionDays of free/],
  [{ retentionDays: 1.5 }, /retentionDays of free/],
])('a plan with %j is refused', (limits, message) => {
  expect(() => tariffOf({ plans: [{ ...FREE, ...limits }] })).toThrow(message)
})
