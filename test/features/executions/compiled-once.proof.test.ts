import { beforeEach, expect, it, vi } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { compileContent } from '../../../src/engine/plan/compile.ts'
import { measureRecipe } from '../../../src/engine/recipe/measure-recipe.ts'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'

vi.mock('../../../src/engine/plan/compile.ts', { spy: true })
vi.mock('../../../src/engine/recipe/measure-recipe.ts', { spy: true })

/** A host whose first commit that begins an execution is refused. */
async function contendedHost() {
  const store = createMemoryStore()
  let refusals = 0
  const host = await createServiceHost({
    store: {
      ...store,
      get: (keys) => store.get(keys),
      list: (range) => store.list(range),
      close: () => store.close(),
      async commit(change) {
        const begins = change.set?.some(({ key }) => key[1] === 'executions') ?? false
        return begins && refusals++ === 0 ? false : store.commit(change)
      },
    },
  })
  return { ...host, refused: () => refusals > 1 }
}

beforeEach(() => void vi.mocked(compileContent).mockClear())

let made = 0
/** A recipe that no test has compiled before: a process keeps those of late. */
const headed = () => ({ ...recipeOf(), page: { headers: { 'X-Key': `secret ${made++}` } } })

it.each([
  ['an execution of a task takes the plan of its task', {}, 0],
  ['one with other start URLs compiles once', { urls: ['https://other.example.com/{1..20}'] }, 1],
  ['one with another budget compiles once', { budget: { pages: 3 } }, 1],
  [
    'one with both compiles once',
    { urls: ['https://other.example.com/'], budget: { pages: 3 } },
    1,
  ],
])('%s, however often its commit is tried', async (_, input, times) => {
  const host = await contendedHost()
  const task = await host.call('POST', '/api/v1/tasks', {
    body: { name: 'Shop', recipe: headed() },
  })
  vi.mocked(compileContent).mockClear()
  const started = await host.call('POST', `/api/v1/tasks/${task.body.data.id}/executions`, {
    body: input,
  })
  expect(started.status).toBe(201)
  expect(host.refused()).toBe(true)
  expect(compileContent).toHaveBeenCalledTimes(times)
})

it('a task is made of a recipe that is parsed and compiled once', async () => {
  const host = await createServiceHost()
  vi.mocked(measureRecipe).mockClear()
  const recipe = headed()
  const created = await host.call('POST', '/api/v1/tasks', { body: { name: 'Shop', recipe } })
  expect(created.status).toBe(201)
  expect(created.body.data.recipe).toEqual(recipe)
  expect(measureRecipe).toHaveBeenCalledTimes(1)
  expect(compileContent).toHaveBeenCalledTimes(1)
})

it('results are listed and exported, and steps are shown, without compiling a recipe', async () => {
  const host = await createServiceHost()
  const task = await host.call('POST', '/api/v1/tasks', {
    body: { name: 'Shop', recipe: headed() },
  })
  const { id } = (await host.call('POST', `/api/v1/tasks/${task.body.data.id}/executions`)).body
    .data
  vi.mocked(compileContent).mockClear()
  vi.mocked(measureRecipe).mockClear()
  for (const path of ['results', 'results/export?format=json', 'plan/steps'])
    expect((await host.call('GET', `/api/v1/executions/${id}/${path}`)).status).toBe(200)
  expect(compileContent).not.toHaveBeenCalled()
  expect(measureRecipe).not.toHaveBeenCalled()
})

it('a template with a budget, and an estimate, compile their recipe once', async () => {
  const host = await contendedHost()
  const params = { urls: ['https://a.example.com/'] }
  const run = await host.call('POST', '/api/v1/templates/article/executions', {
    body: { params, budget: { pages: 2 } },
  })
  expect(run.status).toBe(201)
  expect(compileContent).toHaveBeenCalledTimes(1)
  const task = await host.call('POST', '/api/v1/tasks', {
    body: { name: 'Shop', recipe: headed() },
  })
  vi.mocked(compileContent).mockClear()
  const estimate = await host.call('POST', `/api/v1/tasks/${task.body.data.id}/estimate`, {
    body: { urls: ['https://other.example.com/'], budget: { pages: 2 } },
  })
  expect(estimate.status).toBe(200)
  expect(compileContent).toHaveBeenCalledTimes(1)
})

it('an error has the place where it was written: in the overrides or in the recipe', async () => {
  const host = await createServiceHost()
  const task = await host.call('POST', '/api/v1/tasks', {
    body: { name: 'Shop', recipe: headed() },
  })
  const start = (body: unknown) =>
    host.call('POST', `/api/v1/tasks/${task.body.data.id}/executions`, { body })
  expect(
    (await start({ urls: ['https://a.example.com/', 'http://10.0.0.1/'] })).body.error.issues,
  ).toEqual([{ path: 'urls.1', message: expect.any(String) }])
  expect((await start({ budget: { pages: 0 } })).body.error.issues).toEqual([
    { path: 'budget.pages', message: expect.any(String) },
  ])
})
