import { beforeEach, expect, test, vi } from 'vitest'
import { firstRows } from '../../../src/features/previews/report.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const { steps } = vi.hoisted(() => ({ steps: { count: 0 } }))

// Counts the steps of slices instead of real pauses, which a fake clock would not notice.
vi.mock('../../../src/kernel/pace.ts', async (original) => ({
  ...(await original<object>()),
  Pace: class {
    step(): null {
      steps.count++
      return null
    }
  },
}))

beforeEach(() => void (steps.count = 0))

const SITE = 'https://shop.example.com'
const ROWS = 400
const LINKS = 700
const page =
  `${'<li>pen</li>'.repeat(ROWS)}` +
  Array.from({ length: LINKS }, (_, index) => `<a href="/p/${index}">p</a>`).join('')

async function stepsOf(more: { readonly [part: string]: Json }): Promise<number> {
  const world = createWorld({ [`${SITE}/`]: page })
  const recipe = {
    start: { urls: [`${SITE}/`] },
    extract: { items: 'li', fields: { name: ':scope' } },
    crawl: { maxPages: 1 },
    ...more,
  }
  steps.count = 0
  await world.clock.runUntil(world.platform.api.previews.run(OWNER, { recipe, scope: 'recipe' }))
  return steps.count
}

test('the work of a preview on links and rows is done in slices', async () => {
  const plain = await stepsOf({})
  // The rows that are shown.
  expect(plain).toBeGreaterThanOrEqual(100)
  // Each row is compared with those before it.
  expect((await stepsOf({ output: { unique: ['name'] } })) - plain).toBeGreaterThanOrEqual(
    ROWS - 100,
  )
  // Each link is judged by the scope, and counted in the report.
  expect((await stepsOf({ follow: [{ links: 'a' }] })) - plain).toBeGreaterThanOrEqual(2 * LINKS)
})

test('a value of a million parts is shown in part', async () => {
  const parts = (width: number, depth: number): Json =>
    depth === 0
      ? 7
      : Object.fromEntries(
          Array.from({ length: width }, (_, index) => [`m${index}`, parts(width, depth - 1)]),
        )
  const [row] = await firstRows([{ document: parts(12, 5), name: 'pen' }], 100)
  expect(JSON.stringify(row).length).toBeGreaterThan(400_000)
  expect(JSON.stringify(row).length).toBeLessThan(1_000_000)
  const rows = await firstRows(
    Array.from({ length: 100 }, () => ({
      list: Array.from({ length: 50 }, () => 'x'.repeat(6_000)),
    })),
    100,
  )
  expect(rows.length).toBeGreaterThan(1)
  expect(JSON.stringify(rows).length).toBeLessThan(2_700_000)
})
