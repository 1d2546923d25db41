import type { Extraction } from 'seine'
import { describe, expect, it } from 'vitest'
import { tariffOf } from '../../../src/features/ledger/plans.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'
import { connect, keyOf } from '../../mcp/mcp-world.ts'

const URL = 'https://shop.example.com/'
const PAGES = {
  [URL]:
    '<title>Shop</title><main><h1>Shop</h1>' +
    '<p>Some words of a sentence, and some more of them.</p>'.repeat(200) +
    '</main>',
}
const RECIPE = {
  start: { urls: [URL] },
  page: { keep: true },
  extract: { items: 'p', fields: { text: ':scope' } },
}
const LITTLE = { account: 'little', user: 'ann', scopes: ['*'] }
const STEPS = 2_000
const PLANS = {
  plans: [
    { id: 'whole', name: 'Whole', creditsPerMonth: 1_000 },
    { id: 'little', name: 'Little', creditsPerMonth: 1_000, page: { steps: STEPS } },
  ],
} as const
const MESSAGE = `The page used up its ${STEPS.toLocaleString('en')} steps of work at`

async function worldWithPlans(): Promise<World> {
  const world = createWorld(PAGES, { billing: PLANS })
  await world.platform.api.billing.setPlan('little', { plan: 'little' })
  return world
}

async function reasonOf({ platform }: World, who: typeof OWNER, execution: string) {
  const { items } = await platform.api.executions.pages(who, execution, {})
  return items[0]?.reason ?? null
}

describe('the page budget of a plan', () => {
  it('limits executions and re-extraction, for accounts of that plan only', async () => {
    const world = await worldWithPlans()
    const { executions, tasks } = world.platform.api
    for (const [who, reason] of [
      [LITTLE, { code: 'page_too_costly', message: expect.stringContaining(MESSAGE) }],
      [OWNER, null],
    ] as const) {
      const task = await tasks.create(who, { name: 'test', recipe: RECIPE })
      const { id } = await executions.start(who, task.id)
      await world.work()
      expect(await reasonOf(world, who, id)).toEqual(reason)
      const again = await executions.extract(who, id, { recipe: { formats: null } })
      await world.work()
      expect(await reasonOf(world, who, again.id)).toEqual(
        reason ?? { code: 'kept_page', message: expect.any(String) },
      )
    }
  })

  it('limits executions that detect their columns', async () => {
    const world = await worldWithPlans()
    const task = await world.platform.api.tasks.create(LITTLE, {
      name: 'test',
      recipe: { start: { urls: [URL] }, extract: 'auto' },
    })
    const { id } = await world.platform.api.executions.start(LITTLE, task.id)
    await world.work()
    expect(await reasonOf(world, LITTLE, id)).toMatchObject({ code: 'page_too_costly' })
  })

  it('limits previews and detection', async () => {
    const {
      clock,
      platform: {
        api: { previews },
      },
    } = await worldWithPlans()
    const look = (who: typeof OWNER, extract: Extraction = RECIPE.extract) =>
      clock.runUntil(previews.run(who, { recipe: { ...RECIPE, extract }, scope: 'recipe' }))
    const reason = { code: 'page_too_costly', message: expect.stringContaining(MESSAGE) }
    expect((await look(LITTLE)).pages).toMatchObject([{ outcome: 'fetched', reason }])
    expect((await look(OWNER)).pages).toMatchObject([{ outcome: 'fetched', reason: null }])
    // No recipe can be proposed for half a page.
    expect(await look(LITTLE, 'auto')).toMatchObject({
      proposal: null,
      pages: [{ outcome: 'failed', reason }],
    })
    expect(await look(OWNER, 'auto')).toMatchObject({
      proposal: { kind: 'page' },
      pages: [{ outcome: 'fetched', reason: null }],
    })
    await expect(previews.detect(LITTLE, URL)).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: expect.stringMatching(new RegExp(`${MESSAGE}.*page_too_costly`)),
    })
    expect(await previews.detect(OWNER, URL)).toMatchObject({ kind: 'page' })
  })

  it('limits fetches of agents', async () => {
    const world = await worldWithPlans()
    const fetched = async (who: typeof OWNER) => {
      const client = await connect(world.platform.fetch, await keyOf(world, ['mcp:*'], who))
      return JSON.stringify(
        await world.clock.runUntil(client.callTool({ name: 'fetch', arguments: { id: URL } })),
      )
    }
    expect(await fetched(LITTLE)).toMatch(/page_too_costly|too costly/)
    expect(await fetched(OWNER)).not.toMatch(/page_too_costly|too costly/)
  })

  it('is shown with the plan, with defaults for what the plan does not name', async () => {
    const { platform } = await worldWithPlans()
    const { plans } = await platform.api.billing.plans(LITTLE)
    expect(plans.map(({ page }) => page)).toEqual([
      { steps: 60_000_000, bytes: 33_554_432 },
      { steps: STEPS, bytes: 33_554_432 },
    ])
  })

  it.each([
    [{ steps: 0 }, 'steps'],
    [{ steps: 60_000_001 }, 'steps'],
    [{ bytes: 1.5 }, 'bytes'],
    [{ bytes: Infinity }, 'bytes'],
  ])('may not be %o', (page, name) => {
    expect(() =>
      tariffOf({ plans: [{ id: 'odd', name: 'Odd', creditsPerMonth: 0, page }] }),
    ).toThrow(
      new RegExp(
        `page\\.${name} of odd must be a whole number from 1 to \\d+, which is the default`,
      ),
    )
  })
})
