import { expect, test, vi } from 'vitest'
import { CountingBudget, pageOf, runOn } from '../../support/worlds/page-run.ts'

const RECIPE = { extract: { fields: { price: { product: 'price' } } } }
const OBJECTS = 1_000

/** A page whose title is one letter that stands for eighteen, and the objects of its state. */
function pageWith(names: string, objects = OBJECTS) {
  const title = '\ufdfa'.repeat(300)
  const state = JSON.stringify(Array.from({ length: objects }, () => ({ name: names })))
  return pageOf(
    `<meta property="og:title" content="${title}"><h1>${title}</h1>` +
      `<script type="application/json">${state}</script>`,
  )
}

test('the names of a page are folded once, and not for each object that they are compared with', async () => {
  const spy = vi.spyOn(String.prototype, 'normalize')
  try {
    await runOn(RECIPE, pageWith('x'))
    const letters = spy.mock.contexts.reduce<number>((sum, text) => sum + String(text).length, 0)
    expect(letters).toBeGreaterThan(OBJECTS)
    expect(letters).toBeLessThan(10 * OBJECTS)
  } finally {
    spy.mockRestore()
  }
})

test('the comparison of names is paid from the budget', async () => {
  const stepsWith = async (names: string, objects: number): Promise<number> => {
    const budget = new CountingBudget()
    await runOn(RECIPE, pageWith(names, objects), budget)
    return budget.steps
  }
  const long = 'a'.repeat(300)
  const [short, more] = [await stepsWith('b', OBJECTS), await stepsWith(long, OBJECTS)]
  // Reading the state takes some two steps for each letter.
  expect(more - short).toBeGreaterThan(3 * 299 * OBJECTS)
})
