import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CallerUsage, UsedByDay } from '../../../src/features/billing/caller-usage.ts'
import { ALL_USAGE, addUsage } from '../../../src/features/common/usage.ts'
import { createRecords } from '../../../src/features/records.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/kernel/time.ts'
import type { Principal } from '../../../src/kernel/http/route.ts'
import { Change } from '../../../src/records/change.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com/'
const PAGES = {
  [SITE]: '<title>Pens</title><h1>Pens</h1><p>Some words about pens.</p>',
  [`${SITE}2`]: '<h1>Inks</h1>',
  [`${SITE}gone`]: { status: 404, body: '' },
}
const recipe = {
  start: { urls: [SITE, `${SITE}2`, `${SITE}gone`] },
  crawl: { robots: false },
  extract: { fields: { title: 'h1' } },
}
/** Pages with a minute between them, so that a run goes on into the next day and month. */
const slow = { ...recipe, crawl: { robots: false, delayMs: MINUTE_MS, concurrency: 1 } }
const CALLERS: readonly Principal[] = [
  { account: 'acme', user: 'ann', scopes: ['*'] },
  { account: 'acme', user: 'ann', key: 'key_1', scopes: ['*'] },
  { account: 'acme', user: 'ann', key: 'key_2', scopes: ['*'] },
  { account: 'acme', user: 'b o b ', key: 'key 3', scopes: ['*'] },
  { account: 'acme', user: '', key: 'key_4', scopes: ['*'] },
]
const BILLING = { prices: { fetched: 2, rendered: 3 } }
const METRICS = ['credits', 'pages', 'bytes'] as const

type Amounts = Record<(typeof METRICS)[number], number>

/** All ways in which a caller causes usage. */
const WAYS = {
  run: async ({ platform }: World, caller: Principal) =>
    void (await platform.api.executions.run(caller, { recipe })),
  slowRun: async ({ platform }: World, caller: Principal) =>
    void (await platform.api.executions.run(caller, { recipe: slow })),
  async task({ platform }: World, caller: Principal) {
    const { id } = await platform.api.tasks.create(caller, { name: 'shop', recipe })
    const execution = await platform.api.executions.start(caller, id)
    await platform.api.executions.cancel(caller, execution.id)
    await platform.api.executions.retry(caller, execution.id)
  },
  fetch: async ({ platform, clock }: World, caller: Principal) =>
    void (await clock.runUntil(
      platform.api.agentic.call(caller, { tool: 'fetch', arguments: { id: SITE } }),
    )),
  preview: async ({ platform, clock }: World, caller: Principal) =>
    void (await clock.runUntil(platform.api.previews.run(caller, { recipe, scope: 'recipe' }))),
}

const none = (): Amounts => ({ credits: 0, pages: 0, bytes: 0 })
const sumOf = (all: readonly Readonly<Amounts>[]): Amounts => {
  const sum = none()
  for (const one of all) for (const metric of METRICS) sum[metric] += one[metric]
  return sum
}
const linesOf = ({ callers, others }: CallerUsage): UsedByDay[] => [
  ...callers,
  ...(others ? [others] : []),
]

describe('usage by caller', () => {
  it('shows the usage of each caller, and adds up to the account by day', async () => {
    const step = fc.record({
      caller: fc.nat(CALLERS.length - 1),
      way: fc.constantFrom(...(['run', 'slowRun', 'task', 'fetch', 'preview'] as const)),
      hours: fc.nat(30),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.nat(62), async (steps, minute) => {
        const clock = createFakeClock(Date.UTC(2026, 0, 31, 23) + minute * MINUTE_MS)
        const world = createWorld(PAGES, { clock, billing: BILLING })
        const { billing, analytics } = world.platform.api
        const everything = { from: '2026-01-01', to: '2026-04-01' }
        const expected = new Map<string, Amounts>()
        for (const { caller: index, way, hours } of steps) {
          const caller = CALLERS[index] ?? OWNER
          const before = await analytics.summary(OWNER, everything)
          await WAYS[way](world, caller)
          for (let tick = 0; tick < 5; tick++) {
            await world.work()
            await clock.advance(MINUTE_MS)
          }
          const after = await analytics.summary(OWNER, everything)
          for (const name of [`key ${caller.key ?? null}`, `user ${caller.user}`]) {
            const amounts = expected.get(name) ?? none()
            for (const metric of METRICS) amounts[metric] += after[metric] - before[metric]
            expected.set(name, amounts)
          }
          await clock.advance(hours * HOUR_MS)
        }
        for (const by of ['key', 'user'] as const) {
          const amounts = new Map<string, Amounts>()
          for (const period of ['2026-01', '2026-02', '2026-03']) {
            const usage = await billing.callers(OWNER, { period, by })
            const { spent, byDay } = await billing.usage(OWNER, { period })
            expect([usage.credits, sumOf(linesOf(usage))]).toEqual([
              spent,
              { credits: usage.credits, pages: usage.pages, bytes: usage.bytes },
            ])
            const days = linesOf(usage).flatMap((line) => line.byDay)
            for (const { day, spent: credits } of byDay)
              expect([day, sumOf(days.filter((one) => one.day === day)).credits]).toEqual([
                day,
                credits,
              ])
            for (const { id, ...line } of usage.callers) {
              const name = `${by} ${id}`
              amounts.set(name, sumOf([amounts.get(name) ?? none(), sumOf(line.byDay)]))
            }
          }
          const used = [...expected].filter(
            ([name, { pages }]) => name.startsWith(`${by} `) && pages > 0,
          )
          expect(amounts).toEqual(new Map(used))
        }
        expect((await world.platform.verify()).differences).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('has a line for usage from before callers were counted, and no name for deleted keys', async () => {
    const world = createWorld(PAGES, { billing: BILLING })
    const { api } = world.platform
    const key = await api.keys.create(OWNER, { name: 'nightly', scopes: ['tasks:*'] })
    await api.executions.run({ ...OWNER, key: key.id }, { recipe })
    await world.work()
    const records = createRecords(world.store)
    const change = new Change()
    const earlier = new Map([
      ['pages', 5],
      ['credits', 3],
      ['bytes', 70],
    ])
    addUsage(records, change, 'acme', ALL_USAGE, world.clock.now(), earlier)
    await records.commit(change)
    const usage = await api.billing.callers(OWNER)
    expect(usage).toMatchObject({ by: 'key', credits: 7, pages: 8, others: null })
    expect(usage.callers).toMatchObject([
      { id: key.id, name: 'nightly', credits: 4, pages: 3 },
      { id: null, name: null, credits: 3, pages: 5, bytes: 70 },
    ])
    expect(await api.billing.callers({ ...OWNER, account: 'other' })).toMatchObject({
      credits: 0,
      callers: [],
    })
  })

  it('a scheduled run counts for the caller that has set the schedule', async () => {
    const world = createWorld(PAGES)
    const { api } = world.platform
    const { secret, id: key } = await api.keys.create(OWNER, { name: 'set', scopes: ['*'] })
    const response = await world.platform.fetch(
      new Request('http://localhost/api/v1/tasks', {
        method: 'POST',
        headers: { 'x-api-key': secret, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'daily', recipe, schedule: { cron: '0 6 * * *' } }),
      }),
    )
    expect(response.status).toBe(201)
    await world.work()
    await world.clock.advance(DAY_MS)
    await world.work()
    const { callers } = await api.billing.callers(OWNER)
    expect(callers).toMatchObject([{ id: key, name: 'set', pages: 3 }])
  })

  it('shows the hundred most expensive callers, and the sum of the others', async () => {
    const world = createWorld(PAGES, { billing: BILLING })
    for (let n = 0; n < 103; n++)
      await WAYS.preview(world, { ...OWNER, user: `user ${String(n).padStart(3, '0')}` })
    await WAYS.fetch(world, { ...OWNER, user: 'zoe' })
    const usage = await world.platform.api.billing.callers(OWNER, { by: 'user' })
    expect(usage.callers).toHaveLength(100)
    expect(usage.callers[0]).toMatchObject({ id: 'zoe', credits: 2 })
    expect(usage.others).toMatchObject({ callers: 4, pages: 12, credits: 0 })
    expect(usage.pages).toBe(103 * 3 + 1)
  })
})
