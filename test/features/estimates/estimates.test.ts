import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { PlatformOptions } from '../../../src/platform/options.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { recordCalls } from '../../support/stores/recorded-store.ts'
import { OWNER } from '../../support/worlds/world.ts'

const shop = 'https://shop.example.com/'
const list = { start: { urls: [`${shop}list?page={1..20}`] }, extract: { fields: { title: 'h1' } } }
const crawl = { ...list, follow: [{ links: 'a' }], crawl: { maxPages: 400 } }

async function open(billing: PlatformOptions['billing'] = {}) {
  const clock = createFakeClock()
  const { store, calls } = recordCalls(createMemoryStore({ clock }))
  const web = createFakeWeb({})
  const platform = createPlatform({
    store,
    fetcher: web,
    clock,
    billing,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const { secret } = await platform.api.keys.create(OWNER, { name: 'test', scopes: ['tasks:read'] })
  return {
    platform,
    clock,
    web,
    calls,
    async estimate(path: string, body?: unknown) {
      const response = await platform.fetch(
        new Request(`https://host.test/api/v1/tasks/${path}`, {
          method: 'POST',
          headers: { 'X-API-Key': secret, 'Content-Type': 'application/json' },
          body: body === undefined ? null : JSON.stringify(body),
        }),
      )
      return { status: response.status, body: await response.json() }
    },
  }
}

const PLAN = { id: 'small', name: 'Small', creditsPerMonth: 300, dailyCap: 50 }

describe('an estimate', () => {
  it('of start URLs alone is their number', async () => {
    const { estimate } = await open()
    expect(await estimate('estimate', { recipe: list })).toEqual({
      status: 200,
      body: {
        success: true,
        data: {
          pages: 20,
          credits: 20,
          seconds: null,
          boundedBy: { pages: 'start_urls', credits: 'pages' },
          wallet: { spendable: null, leftToday: null, enough: true },
          prices: { fetched: 1, unchanged: 0 },
        },
      },
    })
  })

  it('of a crawl comes from its limits and its budget, at the highest price', async () => {
    const { estimate } = await open({ prices: { fetched: 2, unchanged: 3 } })
    expect((await estimate('estimate', { recipe: crawl })).body.data).toMatchObject({
      pages: 400,
      credits: 1_200,
      boundedBy: { pages: 'max_pages', credits: 'pages' },
      prices: { fetched: 2, unchanged: 3 },
    })
    expect(
      (
        await estimate('estimate', {
          recipe: { ...crawl, budget: { pages: 100, credits: 40, seconds: 9 } },
        })
      ).body.data,
    ).toMatchObject({
      pages: 100,
      credits: 40,
      seconds: 9,
      boundedBy: { pages: 'max_pages', credits: 'budget' },
    })
    expect(
      (await estimate('estimate', { recipe: { ...list, budget: { pages: 7 } } })).body.data,
    ).toMatchObject({ pages: 7, boundedBy: { pages: 'max_pages' } })
  })

  it('says, exactly like a start, whether the wallet has enough credits, and writes and fetches nothing', async () => {
    const { platform, estimate, web, calls } = await open({ plans: [PLAN] })
    const task = await platform.api.tasks.create(OWNER, { name: 'crawl', recipe: crawl })
    // The first use of a key is noted.
    await estimate(`${task.id}/estimate`)
    const before = calls.filter((call) => call === 'commit').length
    const dear = (await estimate(`${task.id}/estimate`)).body.data
    const fits = (await estimate(`${task.id}/estimate`, { budget: { pages: 300 } })).body.data
    expect([dear.wallet, fits.wallet]).toEqual([
      { spendable: 300, leftToday: 50, enough: false },
      { spendable: 300, leftToday: 50, enough: true },
    ])
    expect([calls.filter((call) => call === 'commit').length, web.requests.size]).toEqual([
      before,
      0,
    ])
    const { cost } = await platform.api.executions.start(OWNER, task.id)
    expect([dear.credits, cost.reserved]).toEqual([400, 300])
    await expect(platform.api.executions.start(OWNER, task.id)).rejects.toMatchObject({
      code: 'PAYMENT_REQUIRED',
    })
    expect(
      (await estimate(`${task.id}/estimate`, { urls: [shop], budget: { pages: 1 } })).body.data
        .wallet,
    ).toEqual({ spendable: 0, leftToday: 50, enough: false })
  })

  it('names what is wrong with a recipe, and treats a task of another account as unknown', async () => {
    const { platform, estimate } = await open()
    const otherTask = await platform.api.tasks.create(
      { ...OWNER, account: 'other' },
      { name: 'theirs', recipe: crawl },
    )
    expect((await estimate(`${otherTask.id}/estimate`)).status).toBe(404)
    expect(
      (await estimate('estimate', { recipe: { start: { urls: ['nowhere'] } } })).body.error
        .issues[0].path,
    ).toBe('recipe.start.urls.0')
    const mine = await platform.api.tasks.create(OWNER, { name: 'mine', recipe: crawl })
    expect(
      (await estimate(`${mine.id}/estimate`, { urls: ['nowhere'] })).body.error.issues[0].path,
    ).toBe('urls.0')
  })

  it('equals the reserved credits of an execution', async () => {
    const { platform, estimate } = await open()
    const task = await platform.api.tasks.create(OWNER, { name: 'crawl', recipe: crawl })
    const { credits } = (await estimate(`${task.id}/estimate`)).body.data
    expect((await platform.api.executions.start(OWNER, task.id)).cost).toEqual({
      credits: 0,
      reserved: credits,
    })
  })
})
