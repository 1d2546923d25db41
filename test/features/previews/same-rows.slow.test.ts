import { expect, test } from 'vitest'
import { listPage } from '../../support/fakes/list-pages.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const URL = 'https://list.example.com/all'
const SEEDS = Array.from({ length: 60 }, (_, index) => index + 1)

test('a preview, its proposal and an execution of either give the same rows of 60 lists', async () => {
  const differing: string[] = []
  for (const seed of SEEDS) {
    const page = listPage(seed)
    // A day has 20 previews, so each list has a world of its own.
    const world = createWorld({ [URL]: page.html })
    const { previews } = world.platform.api
    const recipe = { start: { urls: [URL] }, extract: 'auto' as const }
    const report = await world.clock.runUntil(previews.run(OWNER, { recipe, scope: 'recipe' }))
    // The proposal may lead to further pages, which a list by itself does not have.
    const proposed = { ...recipe, extract: report.proposal?.recipe.extract ?? recipe.extract }
    const again = await world.clock.runUntil(
      previews.run(OWNER, { recipe: proposed, scope: 'recipe' }),
    )
    const executions = [await world.start(recipe), await world.start(proposed)]
    await world.work()
    const rows = await Promise.all(executions.map((id) => world.rows(id)))
    const all = [report.rows, again.rows, ...rows].map((one) => JSON.stringify(one))
    if (report.rows.length < page.rows.length || new Set(all).size > 1)
      differing.push(`${seed}: ${[report.rows, again.rows, ...rows].map(({ length }) => length)}`)
  }
  expect(differing).toEqual([])
})
