import { describe, expect, test } from 'vitest'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { PlanDefinition } from '../../../src/features/ledger/plans.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const HOUR = 3_600_000

/** A platform with one plan, called over HTTP; `join` makes another process on the same store. */
async function openShop(plan: Partial<PlanDefinition>, lowBalance: number | null = null) {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const web = createFakeWeb(
    Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [
        `${SITE}/p/${i}`,
        `<h1>x</h1><a rel=next href=/p/${i + 1}>Next</a>`,
      ]),
    ),
  )
  const join = (other: Partial<PlanDefinition> = {}) => {
    const platform = createPlatform({
      store,
      blobs: createMemoryBlobs(),
      fetcher: web,
      clock,
      rateLimits: false,
      authenticators: [async () => OWNER],
      billing: {
        plans: [{ id: 'pro', name: 'Pro', creditsPerMonth: 30, ...plan, ...other }],
        lowBalance,
      },
    })
    const call = async (method: string, path: string, body?: object) => {
      const response = await platform.fetch(
        new Request(`https://api.example.com/api/v1/${path}`, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        }),
      )
      return { status: response.status, body: await response.json() }
    }
    return { platform, call }
  }
  const { platform, call } = join()
  const recipe = { start: { urls: [`${SITE}/p/{0..9}`] }, extract: { fields: { title: 'h1' } } }
  const task = (await platform.api.tasks.create(OWNER, { name: 'x', recipe })).id
  const records = createRecords(store)
  const lows = async () =>
    [
      ...(await records.outbox.list(SYSTEM, { limit: 100 })),
      ...(await records.jobs.list(SYSTEM, { limit: 100 })),
    ]
      .map(({ value }) => JSON.stringify(value.data))
      .filter((data) => data.includes('balance.low'))
  return {
    clock,
    platform,
    call,
    join,
    task,
    recipe,
    records,
    lows,
    start: () => call('POST', `tasks/${task}/executions`),
  }
}

describe('the start of an execution', () => {
  test('reserves the credits that can be spent, and is refused with the figures if they pay for no page', async () => {
    const { start } = await openShop({ creditsPerMonth: 25 })
    const answers = [await start(), await start(), await start()]
    expect(answers.map(({ body }) => body.data?.cost.reserved)).toEqual([10, 10, 5])
    const { status, body } = await start()
    expect(status).toBe(402)
    expect(body).toEqual({
      success: false,
      error: expect.objectContaining({
        code: 'PAYMENT_REQUIRED',
        message:
          'The first page may cost 1 credit, but only 0 can be spent. Unfinished executions have ' +
          '25 set aside: wait until one has ended, cancel one, or add credits.',
        limit: { of: 'credits', needed: 1, available: 0 },
      }),
    })
  })

  test('without a budget succeeds with a small wallet; the run stops with a reason when that is used up', async () => {
    const { platform, clock, call } = await openShop({ creditsPerMonth: 4 })
    const recipe = {
      start: { urls: [`${SITE}/p/0`] },
      follow: [{ next: 'a[rel=next]' }],
      extract: { fields: { title: 'h1' } },
    }
    const { status, body } = await call('POST', 'executions', { recipe })
    expect([status, body.data.cost]).toEqual([201, { credits: 0, reserved: 4 }])
    await clock.runUntil(platform.worker.tick())
    const ended = (await call('GET', `executions/${body.data.id}`)).body.data
    expect(ended).toMatchObject({
      status: 'succeeded',
      reason: {
        code: 'balance_limit',
        message: 'The credits that the account could spend at the start were used up',
      },
      counters: { fetched: 4, skipped_limit: 1, rows: 4 },
      cost: { credits: 4, reserved: 4 },
    })
    const skipped = await call('GET', `executions/${body.data.id}/pages?outcome=skipped_limit`)
    expect(skipped.body.data.items).toMatchObject([
      { url: `${SITE}/p/4`, reason: { code: 'balance_limit' }, credits: 0 },
    ])
    expect((await call('GET', 'billing/balance')).body.data).toMatchObject({
      credits: { wallet: 0, held: 0 },
    })
    expect((await platform.verify()).ok).toBe(true)
  })

  test('with a budget within the wallet gives a run that stops at the budget', async () => {
    const { platform, clock, call, recipe } = await openShop({ creditsPerMonth: 4 })
    const { body } = await call('POST', 'executions', {
      recipe: { ...recipe, budget: { credits: 4 } },
    })
    await clock.runUntil(platform.worker.tick())
    const { data } = (await call('GET', `executions/${body.data.id}`)).body
    expect(data).toMatchObject({ reason: { code: 'credit_limit' }, cost: { credits: 4 } })
  })

  test('is refused above the number of executions at the same time of the plan, until one has ended', async () => {
    const { start, call } = await openShop({ concurrentExecutions: 2, creditsPerMonth: 1_000 })
    const { id } = (await start()).body.data
    expect((await start()).status).toBe(201)
    const { status, body } = await start()
    expect(status).toBe(429)
    expect(body.error).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      message: expect.stringMatching(
        /2 unfinished executions, and its plan allows 2 .*wait .* or cancel one/,
      ),
    })
    await call('POST', `executions/${id}/pause`)
    expect((await start()).status).toBe(429)
    await call('POST', `executions/${id}/cancel`)
    expect((await start()).status).toBe(201)
  })

  test.each([
    { creditsPerMonth: 1_000, concurrentExecutions: 3 },
    { creditsPerMonth: 30 },
    { creditsPerMonth: 30, concurrentExecutions: 3, overdraft: 0 },
  ])('in many processes at the same moment keeps to that number: %j', async (plan) => {
    const { join, task, records } = await openShop(plan)
    const processes = [join(), join(), join(), join()]
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        processes[i % 4]?.call('POST', `tasks/${task}/executions`),
      ),
    )
    expect(answers.filter((answer) => answer?.status === 201)).toHaveLength(3)
    expect(answers.every((answer) => [201, 402, 409, 429].includes(answer?.status ?? 0))).toBe(true)
    expect(await records.holds.list(OWNER.account, { limit: 10 })).toHaveLength(3)
    expect((await records.wallets.get(OWNER.account))?.value.unfinished).toBe(3)
  })

  test('counts on, in another process too, until the plan has no limit', async () => {
    const { start, join, task, call, records } = await openShop({ creditsPerMonth: 1_000 })
    const counted = async () => (await records.wallets.get(OWNER.account))?.value.unfinished
    const { id } = (await start()).body.data
    await call('POST', `executions/${id}/cancel`)
    expect(await counted()).toBe(1)
    await join().call('POST', `tasks/${task}/executions`)
    expect(await counted()).toBe(2)
    const unlimited = join({ concurrentExecutions: null })
    await unlimited.call('POST', `tasks/${task}/executions`)
    expect(await counted()).toBeUndefined()
    await start()
    expect(await counted()).toBe(3)
  })

  test('by the schedule shows why it was refused', async () => {
    const { platform, clock, recipe, call } = await openShop({ creditsPerMonth: 0 })
    const task = await platform.api.tasks.create(OWNER, {
      name: 'hourly',
      recipe,
      schedule: { cron: '0 * * * *', timeZone: 'UTC', missed: 'run', overlap: false },
    })
    await clock.advance(HOUR)
    await clock.runUntil(platform.worker.tick())
    expect((await call('GET', `tasks/${task.id}/schedule`)).body.data.last).toMatchObject({
      outcome: 'refused',
      message: expect.stringMatching(/may cost 1 credit, but only 0 can be spent\. Add credits\.$/),
    })
  })
})

describe('balance.low', () => {
  test('is sent once each time the wallet falls below the mark, and not while it stays there', async () => {
    const { start, call, lows } = await openShop({ creditsPerMonth: 40 }, 25)
    expect((await start()).status).toBe(201)
    expect(await lows()).toEqual([])
    const first = (await start()).body.data.id
    expect(await lows()).toEqual([expect.stringContaining('"wallet":20,"threshold":25')])
    const second = (await start()).body.data.id
    expect(await lows()).toHaveLength(1)
    await call('POST', `executions/${first}/cancel`)
    await call('POST', `executions/${second}/cancel`)
    expect(await lows()).toHaveLength(1)
    await start()
    expect(await lows()).toHaveLength(2)
  })
})
