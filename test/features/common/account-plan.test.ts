import { expect, it } from 'vitest'
import { createMemoryLimiter } from '../../../src/defaults/memory-limiter.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { PLAN_CACHE_MS, createAccountPlans } from '../../../src/features/common/account-plan.ts'
import { tariffOf } from '../../../src/features/common/ledger/plans.ts'
import type { PlanDefinition } from '../../../src/features/common/ledger/plans.ts'
import { quotasOfPlan } from '../../../src/features/previews/preview-limits.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/records/records.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { createServiceHost } from '../../support/service-host.ts'

const FREE: PlanDefinition = { id: 'free', name: 'Free', creditsPerMonth: 10, rates: { tasks: { limit: 2, periodMs: 60_000, burst: 1 } } }
const PRO: PlanDefinition = { id: 'pro', name: 'Pro', creditsPerMonth: 1_000, rates: { tasks: { limit: 300, periodMs: 60_000, burst: 9 } }, previews: { perDay: 7 } }
const ENDLESS: PlanDefinition = { id: 'endless', name: 'Endless', creditsPerMonth: 0, rates: { tasks: false } }

/** Plans over a store that counts what is read of it. */
function setUp(plans: readonly [PlanDefinition, ...PlanDefinition[]], base: Store = createMemoryStore()) {
  const clock = createFakeClock()
  const read = { count: 0 }
  let failing = false
  const get: Store['get'] = (keys) => {
    read.count++
    return failing ? Promise.reject(new Error('away')) : base.get(keys)
  }
  const records = createRecords({ get, list: base.list.bind(base), commit: base.commit.bind(base), close: base.close.bind(base) })
  const subscribe = async (account: string, plan: string): Promise<void> => {
    const change = new Change()
    records.subscriptions.put(change, account, { plan, since: 0, dailyCap: null })
    await records.commit(change)
  }
  return { clock, read, base, subscribe, plans: createAccountPlans({ records, tariff: tariffOf({ plans }), clock }), fail: (now: boolean) => void (failing = now) }
}

it('reads nothing where there is one plan, and one record in a few seconds where there are more', async () => {
  const one = setUp([FREE])
  expect([(await one.plans.planOf('acme')).id, one.read.count]).toEqual(['free', 0])
  const { plans, read, clock } = setUp([FREE, PRO])
  const asked = await Promise.all([plans.planOf('acme'), plans.planOf('acme'), plans.planOf('acme')])
  await clock.advance(PLAN_CACHE_MS - 1)
  await plans.planOf('acme')
  expect([asked.map(({ id }) => id), read.count]).toEqual([['free', 'free', 'free'], 1])
  await plans.planOf('other')
  await clock.advance(1)
  await plans.planOf('acme')
  expect(read.count).toBe(3)
})

it('goes by a changed plan at once in the process that changed it, in others within the time of the cache', async () => {
  const here = setUp([FREE, PRO])
  const there = setUp([FREE, PRO], here.base)
  const idOf = async (process: typeof here): Promise<string> => (await process.plans.planOf('acme')).id
  expect([await idOf(here), await idOf(there)]).toEqual(['free', 'free'])
  // A read that is under way when the change comes is not remembered.
  here.plans.changed('acme')
  const early = here.plans.planOf('acme')
  await here.subscribe('acme', 'pro')
  here.plans.changed('acme')
  await early
  expect([await idOf(here), await idOf(there)]).toEqual(['pro', 'free'])
  await there.clock.advance(PLAN_CACHE_MS)
  expect(await idOf(there)).toBe('pro')
})

it('asks again after a read that failed', async () => {
  const { plans, fail } = setUp([FREE, PRO])
  fail(true)
  await expect(plans.planOf('acme')).rejects.toThrow('away')
  fail(false)
  expect((await plans.planOf('acme')).id).toBe('free')
})

it('limits calls by the plan; another plan begins with a full bucket, whichever way it goes', async () => {
  const clock = createFakeClock()
  let plan = FREE
  const host = await createServiceHost({ clock, limiter: createMemoryLimiter({ clock }), rateOf: async (_account, service) => plan.rates?.[service] ?? null })
  const ask = async (key?: string) => {
    const { status, headers } = await host.call('GET', '/api/v1/tasks', key === undefined ? {} : { key })
    return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
  }
  const asks = async (times: number) => {
    const seen = []
    for (let i = 0; i < times; i++) seen.push(await ask())
    return seen
  }
  expect(await asks(3)).toEqual([[200, '2', '1'], [200, '2', '0'], [429, '2', '0']])
  plan = PRO
  expect(await ask()).toEqual([200, '300', '9'])
  for (let i = 0; i < 12; i++) await ask()
  plan = ENDLESS
  expect(await asks(2)).toEqual([[200, null, null], [200, null, null]])
  plan = FREE
  await clock.advance(60_000)
  expect(await ask()).toEqual([200, '2', '1'])
  // Who cannot be told has the platform's own.
  expect((await ask('svc_sk_wrong'))[0]).toBe(401)
})

it('lets calls through by the platform where plans cannot be read', async () => {
  const clock = createFakeClock()
  const host = await createServiceHost({ clock, limiter: createMemoryLimiter({ clock }), rateOf: () => Promise.reject(new Error('away')) })
  expect((await host.call('GET', '/api/v1/tasks')).status).toBe(200)
  expect(host.logged.map(({ message }) => message)).toEqual(['The rate limiter failed; the call was let through'])
})

it("goes by the plan's previews where it names them", () => {
  const platform = { perDay: 100, perScope: 20, urls: 5 }
  expect([quotasOfPlan(FREE, platform), quotasOfPlan(PRO, platform)]).toEqual([platform, { ...platform, perDay: 7 }])
})

it.each([
  [{ rates: { tasks: { limit: 0, periodMs: 1, burst: 0 } } }, /rates\.tasks of free/],
  [{ previews: { perDay: -1 } }, /previews\.perDay of free/],
  [{ previews: { urls: 0 } }, /previews\.urls of free/],
  [{ retentionDays: 0 }, /retentionDays of free/],
  [{ retentionDays: 1.5 }, /retentionDays of free/],
])('refuses a plan with %j', (limits, message) => {
  expect(() => tariffOf({ plans: [{ ...FREE, ...limits }] })).toThrow(message)
})
