import { describe, expect, test } from 'vitest'
import { FaultStore, playEach } from '../../support/stores/fault-store.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/kernel/time.ts'
import type { Platform } from '../../../src/platform/options.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const PAGE = 'https://pens.example.com/it'
const GONE = 'https://pens.example.com/gone'
const PAGES = {
  [PAGE]: '<title>Pens</title><main><p>A page about pens that has some words in it.</p></main>',
  [GONE]: { status: 404, body: '' },
}
const billingOf = (creditsPerMonth: number) => ({
  plans: [{ id: 'few', name: 'Few', creditsPerMonth }] as const,
  prices: { fetched: 2 },
})

const fetchPage = (world: World, id = PAGE) =>
  world.clock.runUntil(world.platform.api.agentic.call(OWNER, { tool: 'fetch', arguments: { id } }))

const moneyOf = async ({ api }: Platform) => {
  const [{ items }, usage, summary] = await Promise.all([
    api.billing.ledger(OWNER, { kind: 'fetch' }),
    api.billing.usage(OWNER),
    api.analytics.summary(OWNER),
  ])
  return {
    entries: items.map(({ moves }) => moves),
    spent: usage.spent,
    byKind: usage.byKind.filter(({ kind }) => kind === 'fetch'),
    pages: summary.pages,
    failed: summary.failed,
    credits: summary.credits,
  }
}

const PAID = {
  entries: [{ wallet: -2, revenue: 2 }],
  spent: 2,
  byKind: [{ kind: 'fetch', entries: 1, wallet: -2 }],
  pages: 1,
  failed: 0,
  credits: 2,
}

describe("an agent's fetch is metered", () => {
  test('a page costs the same as in an execution, and a cached page nothing', async () => {
    const world = createWorld(PAGES, { billing: billingOf(10) })
    const { result } = await fetchPage(world)
    expect(await moneyOf(world.platform)).toEqual(PAID)
    await fetchPage(world, String(Object.entries(result).find(([name]) => name === 'id')?.[1]))
    expect(await moneyOf(world.platform)).toEqual(PAID)
    expect(await world.platform.verify()).toMatchObject({ ok: true })
  })

  test('without credits it is 402, and the site gets no request', async () => {
    const world = createWorld(PAGES, { billing: billingOf(3) })
    await fetchPage(world)
    await expect(fetchPage(world)).rejects.toMatchObject({
      status: 402,
      message: expect.stringMatching(/2 credits, but only 1 can be spent.*Add credits/),
    })
    expect(world.web.requests.get(PAGE)).toBe(1)
    expect(await moneyOf(world.platform)).toEqual(PAID)
  })

  test('its pages count for the daily cap, above which it is 402 until the next day', async () => {
    const plans = [{ id: 'capped', name: 'Capped', creditsPerMonth: 10, dailyCap: 3 }] as const
    const world = createWorld(PAGES, { billing: { plans, prices: { fetched: 2 } } })
    await fetchPage(world)
    await expect(fetchPage(world)).rejects.toMatchObject({
      status: 402,
      message: expect.stringContaining('only 1 can be spent today'),
    })
    await world.clock.advance(DAY_MS)
    await fetchPage(world)
    expect(await moneyOf(world.platform)).toMatchObject({ spent: 4, pages: 2 })
    expect(await world.platform.verify()).toMatchObject({ ok: true })
  })

  test('calls at the same time never spend more than the wallet has', async () => {
    const world = createWorld(PAGES, { billing: billingOf(5) })
    const calls = await world.clock.runUntil(
      Promise.allSettled(
        Array.from({ length: 6 }, () =>
          world.platform.api.agentic.call(OWNER, { tool: 'fetch', arguments: { id: PAGE } }),
        ),
      ),
    )
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(await moneyOf(world.platform)).toMatchObject({ spent: 4, pages: 2, credits: 4 })
    expect(await world.platform.verify()).toMatchObject({ ok: true })
  })

  test('a page that could not be read is counted, but costs nothing', async () => {
    const world = createWorld(PAGES, { billing: billingOf(10) })
    await expect(fetchPage(world, GONE)).rejects.toMatchObject({ status: 422 })
    expect(await moneyOf(world.platform)).toMatchObject({ spent: 0, pages: 1, failed: 1 })
    expect(await world.platform.verify()).toMatchObject({ ok: true })
  })

  test.each<Fault>(['fail-before', 'fail-after', 'crash-before', 'crash-after'])(
    'a call is paid once, with %s at each commit and a retry',
    async (fault) => {
      const { scenarios } = await playEach(fault, async (k) => {
        const world = createWorld(PAGES, { billing: billingOf(10) })
        const { secret } = await world.platform.api.keys.create(OWNER, {
          name: 'agent',
          scopes: ['mcp:*'],
        })
        const faulty = new FaultStore(world.store, k, fault)
        const call = (platform: Platform): Promise<Response> =>
          world.clock.runUntil(
            platform.fetch(
              new Request('http://localhost/api/v1/mcp/agentic-executions', {
                method: 'POST',
                headers: {
                  'x-api-key': secret,
                  'content-type': 'application/json',
                  'idempotency-key': 'once',
                },
                body: JSON.stringify({ tool: 'fetch', arguments: { id: PAGE } }),
              }),
            ),
          )
        await call(world.join(faulty))
        await world.clock.advance(10 * MINUTE_MS)
        expect((await call(world.platform)).status).toBe(201)
        expect(await moneyOf(world.platform), `${fault} at ${k}`).toEqual(PAID)
        expect(await world.platform.verify()).toMatchObject({ ok: true })
        return { fired: faulty.fired, broken: [] }
      })
      // The reservation of the key, the call with its price, and the answer.
      expect(scenarios).toBeGreaterThan(1)
    },
  )
})
