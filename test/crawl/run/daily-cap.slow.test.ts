import { describe, expect, it } from 'vitest'
import type { PlanDefinition } from '../../../src/features/ledger/plans.ts'
import type { PriceTable } from '../../../src/kernel/price.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import type { Answer } from '../../support/fakes/fake-web.ts'
import { FAULTS } from '../../support/stores/fault-store.ts'
import { playFaults } from '../../support/stores/play-fault.ts'
import type { OpenRuns } from '../../support/stores/play-fault.ts'
import { createWatchedWorld } from '../../support/worlds/watched-world.ts'
import { OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const urls = (count: number) => Array.from({ length: count }, (_, i) => `${SITE}/p/${i}`)
const recipe = (count: number, more: object = {}) => ({
  start: { urls: urls(count) },
  crawl: { concurrency: 5, delayMs: 0 },
  extract: { fields: { title: 'h1' } },
  ...more,
})
const page = (url: string): [string, Answer] => [url, `<h1>${url}</h1>`]

function openWorld({
  plan = {},
  prices,
  pages = Object.fromEntries(urls(400).map(page)),
  start,
}: {
  plan?: Partial<PlanDefinition>
  prices?: PriceTable
  pages?: Record<string, Answer>
  start?: number
} = {}) {
  const watched = createWatchedWorld(pages, {
    clock: createFakeClock(start),
    billing: {
      plans: [{ id: 'capped', name: 'Capped', creditsPerMonth: 10_000, ...plan }],
      ...(prices && { prices }),
    },
  })
  const records = createRecords(watched.base)
  return {
    ...watched,
    records,
    taken: async (day: string) => (await records.days.get(OWNER.account, day))?.value.taken ?? 0,
  }
}

describe('a daily cap', () => {
  it.each([1, 7, 99, 100, 101, 250])(
    'of %i credits stops a run at exactly that page, and the receipt has the rest',
    async (dailyCap) => {
      const { world, taken, broken } = openWorld({ plan: { dailyCap } })
      const id = await world.start(recipe(300))
      await world.work()
      expect(await world.read(id)).toMatchObject({
        status: 'succeeded',
        reason: { code: 'daily_cap' },
        counters: { fetched: dailyCap, skipped_limit: 300 - dailyCap, pending: 0 },
        cost: { credits: dailyCap },
      })
      expect((await world.receipt(id)).filter(({ code }) => code === 'daily_cap')).toHaveLength(
        300 - dailyCap,
      )
      expect(await taken('2026-01-01')).toBe(dailyCap)
      expect([...broken]).toEqual([])
    },
  )

  it('that is used up makes a run fail with that reason', async () => {
    const { world } = openWorld({ plan: { dailyCap: 0 } })
    const id = await world.start(recipe(3))
    await world.work()
    expect(await world.read(id)).toMatchObject({
      status: 'failed',
      reason: { code: 'daily_cap' },
      counters: { skipped_limit: 3 },
    })
  })

  it('does not count free pages, and gets the unused credits of a run back', async () => {
    const { world, taken } = openWorld({
      plan: { dailyCap: 10 },
      pages: Object.fromEntries(
        urls(400).map((url, i) => (i % 2 === 0 ? page(url) : [url, { status: 404 }])),
      ),
    })
    const first = await world.start(recipe(12))
    await world.work()
    expect(await world.read(first)).toMatchObject({
      reason: null,
      counters: { fetched: 6, failed: 6 },
    })
    expect(await taken('2026-01-01')).toBe(6)
    const second = await world.start(recipe(40))
    await world.work()
    expect(await world.read(second)).toMatchObject({
      reason: { code: 'daily_cap' },
      counters: { fetched: 4 },
    })
    expect(await taken('2026-01-01')).toBe(10)
  })

  it('is shared by the executions of an account', async () => {
    const { world, taken, broken } = openWorld({ plan: { dailyCap: 60 } })
    const ids = [
      await world.start(recipe(100)),
      await world.start(recipe(100)),
      await world.start(recipe(100)),
    ]
    await world.work()
    const spent = await Promise.all(ids.map(async (id) => (await world.read(id)).cost.credits))
    const sum = spent.reduce((total, one) => total + one, 0)
    expect(sum).toBeLessThanOrEqual(60)
    expect(sum).toBeGreaterThan(40)
    expect(await taken('2026-01-01')).toBe(sum)
    expect([...broken]).toEqual([])
  })

  it('is the lower one of the plan and the account', async () => {
    const { world, records } = openWorld({ plan: { dailyCap: 50 } })
    const change = new Change()
    records.subscriptions.insert(change, OWNER.account, { plan: 'capped', since: 0, dailyCap: 20 })
    expect(await records.commit(change)).toBe(true)
    const id = await world.start(recipe(100))
    await world.work()
    expect((await world.read(id)).cost.credits).toBe(20)
  })

  it('begins anew at midnight, UTC; a page counts for the day on which its visit began', async () => {
    const { world, taken, broken } = openWorld({
      plan: { dailyCap: 10 },
      start: Date.parse('2026-01-01T23:59:56.500Z'),
    })
    const id = await world.start(recipe(100, { crawl: { concurrency: 3, delayMs: 1_000 } }))
    await world.work()
    expect([await taken('2026-01-01'), await taken('2026-01-02')]).toEqual([4, 10])
    expect(await world.read(id)).toMatchObject({
      reason: { code: 'daily_cap' },
      cost: { credits: 14 },
    })
    expect([...broken]).toEqual([])
  })

  it('does not limit free pages', async () => {
    const { world } = openWorld({ plan: { dailyCap: 0 }, prices: { fetched: 0 } })
    const id = await world.start(recipe(20))
    await world.work()
    expect(await world.read(id)).toMatchObject({
      status: 'succeeded',
      reason: null,
      counters: { fetched: 20 },
      cost: { credits: 0 },
    })
  })

  it('also limits pages of a higher price, and pays for whole pages only', async () => {
    const { world, taken } = openWorld({ plan: { dailyCap: 100 }, prices: { fetched: 7 } })
    const id = await world.start(recipe(30))
    await world.work()
    expect(await world.read(id)).toMatchObject({
      reason: { code: 'daily_cap' },
      counters: { fetched: 14 },
      cost: { credits: 98 },
    })
    expect(await taken('2026-01-01')).toBe(98)
  })

  it('gets back the unused credits of a cancelled execution', async () => {
    const { world, records, taken, broken } = openWorld({ plan: { dailyCap: 200 } })
    const id = await world.start(recipe(300, { crawl: { concurrency: 2, delayMs: 500 } }))
    const stop = new AbortController()
    const working = world.platform.worker.tick({ signal: stop.signal })
    await world.clock.advance(5_000)
    expect((await records.holds.get(OWNER.account, id))?.value.share).toMatchObject({
      day: '2026-01-01',
      from: 0,
    })
    await world.platform.api.executions.cancel(OWNER, id)
    stop.abort()
    await world.clock.runUntil(working)
    const { cost } = await world.read(id)
    expect(cost.credits).toBeGreaterThan(0)
    expect(await taken('2026-01-01')).toBe(cost.credits)
    expect([...broken]).toEqual([])
  })
})

describe('each commit of a capped run fails in each possible way', () => {
  const pages = Object.fromEntries(
    urls(9).map((url, i) => (i === 2 ? [url, { status: 404 }] : page(url))),
  )
  const run = async ({ world, base, k, work }: OpenRuns): Promise<void> => {
    const id = await world.start(recipe(9, { crawl: { concurrency: 2, delayMs: 0 } }))
    await work(id)
    const { counters, cost } = await world.read(id)
    const day = await createRecords(base).days.get(OWNER.account, '2026-01-01')
    expect({
      k,
      fetched: counters.fetched,
      cost: cost.credits,
      taken: day?.value.taken,
    }).toEqual({ k, fetched: 5, cost: 5, taken: 5 })
  }

  it.each(FAULTS)(
    '%s: the run spends the cap and no more, and the record of the day agrees',
    async (fault) => {
      const { scenarios, broken } = await playFaults(fault, {
        open: () => openWorld({ plan: { dailyCap: 5 }, pages }),
        run,
      })
      expect(broken).toEqual([])
      expect(scenarios).toBeGreaterThan(5)
    },
  )
})

describe('a budget of credits', () => {
  it.each([
    { prices: { fetched: 3 }, credits: 10, fetched: 3 },
    { prices: { fetched: 3 }, credits: 2, fetched: 0 },
    { prices: { fetched: 5, unchanged: 1 }, credits: 25, fetched: 5 },
    { prices: { fetched: 1 }, credits: 29, fetched: 29 },
    { prices: { fetched: 0 }, credits: 1, fetched: 30 },
  ])(
    'of $credits pays for $fetched pages at $prices.fetched',
    async ({ prices, credits, fetched }) => {
      const { world, broken } = openWorld({ prices })
      const id = await world.start(recipe(30, { budget: { credits } }))
      await world.work()
      const { counters, cost } = await world.read(id)
      expect({
        fetched: counters.fetched,
        skipped: counters.skipped_limit,
        cost: cost.credits,
      }).toEqual({ fetched, skipped: 30 - fetched, cost: fetched * prices.fetched })
      expect([...broken]).toEqual([])
    },
  )
})
