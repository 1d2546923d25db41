import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { billing } from '../../examples/guides/billing.ts'
import { isObject } from '../../src/kernel/json.ts'
import { createFakeBrowser } from '../support/fakes/fake-browser.ts'
import { failingCases } from '../support/failing-cases.ts'
import { blocksOf, docPages } from '../support/sources/doc-blocks.ts'
import { root } from '../support/sources/sources.ts'
import { createWorld } from '../support/worlds/world.ts'
import { uncheckedRecipe } from '../support/worlds/unchecked-recipe.ts'

// Proves that an account with the free plan of the documentation can start each of its recipes.

/** All whole recipes that the pages show: those of files, and those that stand in a page. */
function recipesOfDocs(): Map<string, unknown> {
  const folder = join(root, 'examples/recipes')
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])
  const blocks = [...docPages()].flatMap(([path, page]) =>
    blocksOf(page)
      .filter(({ marker }) => marker === 'recipe')
      .map(({ line, code }) => [`${path}:${line}`, code]),
  )
  return new Map(
    [...files, ...blocks].flatMap(([name = '', text = '']) => {
      // `.example` is not a name of the internet, so the platform refuses it.
      const value: unknown = JSON.parse(text.replaceAll('pencil.example', 'pencil.example.com'))
      const recipe = isObject(value) && 'recipe' in value ? value['recipe'] : value
      return isObject(recipe) && 'start' in recipe ? [[name, recipe] as const] : []
    }),
  )
}

/** Values for parameters that have no default. */
const PARAMS: Readonly<Record<string, string>> = { city: 'Graz', session: 'ann' }

function paramsOf(recipe: unknown): Record<string, string> {
  const params = isObject(recipe) && isObject(recipe['params']) ? recipe['params'] : {}
  return Object.fromEntries(Object.entries(PARAMS).filter(([name]) => name in params))
}

const plansOfServe = JSON.parse(readFileSync(join(root, 'examples/guides/plans.json'), 'utf8'))

test.for([
  ['of createPlatform', billing],
  ['of seine serve', { plans: plansOfServe }],
] as const)('the free plan %s admits each recipe of the docs', async ([, options]) => {
  const { platform } = createWorld(
    {},
    {
      billing: options ?? {},
      browser: createFakeBrowser(() => ({})),
      model: { ask: async () => ({ json: {}, inputTokens: null, outputTokens: null }) },
    },
  )
  const recipes = recipesOfDocs()
  expect(recipes.size).toBeGreaterThan(12)
  const failing = await failingCases(
    recipes,
    ([name]) => name,
    async ([name, recipe]) => {
      // Each begins with the credits of a new account.
      const caller = { account: name.replaceAll(/\W/g, '-'), user: 'ann', scopes: ['*'] }
      expect((await platform.api.billing.subscription(caller)).plan.id).toBe('free')
      const run = await platform.api.executions.run(caller, {
        recipe: uncheckedRecipe(JSON.parse(JSON.stringify(recipe))),
        params: paramsOf(recipe),
      })
      expect(run.status).toBe('queued')
    },
  )
  expect(failing).toEqual([])
})

test('the recipe of the README gives its rows under the free plan, and stops at its cap', async () => {
  const recipe = recipesOfDocs().get('pages.json')
  const site = 'https://pencil.example.com/category/pens'
  const page = (number: number): string =>
    `<div class="product"><h2>Pen ${number}</h2><i class="price">1.00</i></div>` +
    `<a class="next" href="${site}?page=${number + 1}">Next</a>`
  const pages = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      index === 0 ? site : `${site}?page=${index + 1}`,
      page(index + 1),
    ]),
  )
  const [free, ...others] = billing?.plans ?? []
  if (free?.id !== 'free') throw new Error('The first plan of the docs is not the free one')
  const run = async (creditsPerMonth: number) => {
    const world = createWorld(pages, {
      billing: { ...billing, plans: [{ ...free, creditsPerMonth }, ...others] },
    })
    const id = await world.start(JSON.parse(JSON.stringify(recipe)))
    await world.work()
    const { status, reason } = await world.read(id)
    return { status, reason: reason?.code ?? null, rows: (await world.rows(id)).length }
  }
  expect(await run(1_000)).toMatchObject({ status: 'succeeded', rows: 10 })
  expect(await run(4)).toMatchObject({ reason: 'balance_limit', rows: 4 })
})
