import { expect, test, vi } from 'vitest'
import { compileContent } from '../../../src/engine/plan/compile.ts'
import { measureRecipe } from '../../../src/engine/recipe/measure-recipe.ts'
import { createWorld } from '../../support/worlds/world.ts'

vi.mock('../../../src/engine/plan/compile.ts', { spy: true })
vi.mock('../../../src/engine/recipe/measure-recipe.ts', { spy: true })

const extract = { fields: { title: 'h1' } }
const PAGES = Object.fromEntries(
  [1, 2, 3].map((i) => [
    `https://shop.example.com/${i}`,
    { body: `<h1>Page ${i}</h1><a href="/${i + 1}">next</a>` },
  ]),
)

test.each([
  ['with its start URLs', { start: { urls: ['https://shop.example.com/{1..3}'] }, extract }],
  [
    'that follows links, within a time',
    {
      start: { urls: ['https://shop.example.com/1'] },
      follow: [{ links: 'a' }],
      extract,
      budget: { seconds: 60 },
    },
  ],
])('a recipe %s is compiled and measured once, by its task', async (_, recipe) => {
  const world = createWorld(PAGES)
  vi.mocked(compileContent).mockClear()
  vi.mocked(measureRecipe).mockClear()
  const id = await world.start(recipe)
  expect(compileContent).toHaveBeenCalledTimes(1)
  await world.work()
  expect((await world.read(id)).status).toBe('succeeded')
  expect(await world.rows(id)).toHaveLength(3)
  expect(compileContent).toHaveBeenCalledTimes(1)
  expect(measureRecipe).toHaveBeenCalledTimes(1)
})
