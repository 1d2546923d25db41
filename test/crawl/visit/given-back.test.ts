import { expect, test } from 'vitest'
import type { Json } from '../../../src/kernel/json.ts'
import type { HopResponse } from '../../../src/ports/fetcher.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { createWorld } from '../../support/worlds/world.ts'

// Who gives the memory of a page back after its visit, and what of the page is left.

const URL = 'https://shop.example.com/'
const recipe: Json = { start: { urls: [URL] }, extract: { fields: { title: 'h1' } } }

/** Visits a page and returns its rows, and the bytes that are left of each body. */
async function run(recipeOfRun: Json, isOwned?: boolean) {
  const web = createFakeWeb({ [URL]: '<h1>Net</h1>' })
  const bodies: Uint8Array[] = []
  const world = createWorld(
    {},
    {
      fetcher: {
        ...web,
        async send(hop): Promise<HopResponse> {
          const { isOwned: _, ...answer } = await web.send(hop)
          if (hop.url.href === URL) bodies.push(answer.body)
          return { ...answer, ...(isOwned !== undefined && { isOwned }) }
        },
      },
    },
  )
  const execution = await world.start(recipeOfRun)
  await world.work()
  return { rows: await world.rows(execution), left: bodies.map(({ byteLength }) => byteLength) }
}

test('the memory of a page that nobody else uses is freed, and its rows are there', async () => {
  expect(await run(recipe, true)).toEqual({ rows: [{ title: 'Net' }], left: [0] })
})

test('the memory of a page that somebody else may use is not freed', async () => {
  for (const isOwned of [false, undefined])
    expect(await run(recipe, isOwned)).toEqual({ rows: [{ title: 'Net' }], left: [12] })
})
