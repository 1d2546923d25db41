import type { DriftPolicy } from '../../../src/features/tasks/records.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { uncheckedRecipe } from './unchecked-recipe.ts'
import { OWNER, createWorld } from './world.ts'
import type { World } from './world.ts'

export const SHOP = 'https://shop.example.com'
export const NUMBERS = [1, 2, 3, 4, 5, 6]

/** Makes the page with a number. */
export type Draw = (number: number) => string

/** A task whose site has changed after two runs; the third has not begun. */
export interface DriftingTask {
  readonly world: World
  readonly task: string
  /** Starts the next run, without working on it. */
  readonly start: () => Promise<string>
  /** The sent events, oldest first. */
  readonly events: () => Promise<string[]>
}

/** A recipe that keeps its pages, with these parts. */
export const keeping = (extract: Json, page: Json = { keep: true }): Json => ({
  start: { urls: NUMBERS.map((number) => `${SHOP}/${number}`) },
  page,
  extract,
})

/** Runs a task twice on one site, and then replaces the site. */
export async function openDriftingTask(
  recipe: Json,
  first: Draw,
  last: Draw,
  options: { readonly drift?: DriftPolicy } = {},
): Promise<DriftingTask> {
  let draw = first
  const world = createWorld(
    Object.fromEntries([
      ...NUMBERS.map((number) => [`${SHOP}/${number}`, () => draw(number)]),
      ['https://hooks.example.com/', 'thanks'],
    ]),
  )
  const { api } = world.platform
  const hook = await api.webhooks.create(OWNER, {
    url: 'https://hooks.example.com/',
    events: ['task.drift', 'task.relocation', 'task.repaired'],
  })
  const task = await api.tasks.create(OWNER, {
    name: 'pens',
    recipe: uncheckedRecipe(recipe),
    ...(options.drift && { drift: options.drift }),
  })
  const start = async (): Promise<string> => (await api.executions.start(OWNER, task.id)).id
  for (let run = 0; run < 2; run++) {
    await start()
    await world.work()
  }
  draw = last
  return {
    world,
    task: task.id,
    start,
    events: async () =>
      (await api.webhooks.deliveries(OWNER, hook.id)).items.map(({ type }) => type).toReversed(),
  }
}
