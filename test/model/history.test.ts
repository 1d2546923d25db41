import { expect, it } from 'vitest'
import { Fence } from '../../src/crawl/commit/fence.ts'
import { emptyOutcome } from '../../src/crawl/visit/outcome.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { Change } from '../../src/records/change.ts'
import { normalUrl } from '../support/normal-url.ts'
import { ACCOUNT, EXECUTION, openRun } from '../support/worlds/open-run.ts'
import { createSharedWorld } from '../support/worlds/shared-world.ts'
import { sharedSite } from '../support/worlds/shared-site.ts'
import { History } from './history.ts'

const START = 'https://shop.example.com/'
const RECIPE = { start: { urls: [START] }, extract: { fields: { id: 'h1' } } }

/** A run whose fence is held, and the commits that the model has refused. */
async function openFollowed() {
  const refused: string[] = []
  const history = new History((promise) => refused.push(promise))
  const run = await openRun(RECIPE, undefined, (options) =>
    history.follow(createMemoryStore(options)),
  )
  const fence = await run.takeFence('worker 1')
  if (!(fence instanceof Fence)) throw new Error('The fence was not taken')
  return { ...run, fence, refused, history }
}

it('the commits of a run are steps of the model', async () => {
  const { fence, openJournal, refused, history } = await openFollowed()
  const journal = await openJournal(fence)
  const entry = { url: normalUrl(START), label: 'start', depth: 0, hop: 0 }
  await journal.write({ seeds: [entry], seeded: true })
  await journal.write({
    outcomes: [emptyOutcome({ ...entry, execution: EXECUTION, seq: 0 }, 'fetched', null)],
  })
  await journal.beat()
  expect(refused).toEqual([])
  expect([...history.steps]).toEqual([
    ['take', 1],
    ['settle', 2],
  ])
})

it('all kinds of commits of a shared crawl are steps of the model', async () => {
  const site = sharedSite({ hosts: 3, pages: 2, concurrency: 4 })
  const shared = createSharedWorld(site.pages, { together: 4 })
  const id = await shared.world.start(site.recipe)
  shared.spawn('a')
  await shared.clock.advance(100)
  shared.spawn('b')
  await shared.until(id)
  expect(await shared.faults(id, site.rows)).toEqual([])
  const { steps } = shared.history
  for (const kind of ['take', 'open', 'join', 'send', 'report', 'settle', 'move'])
    expect(steps.get(kind) ?? 0, kind).toBeGreaterThan(0)
})

it('the model refuses counters of a holder that was overtaken, under any conditions', async () => {
  const { clock, records, progress, takeFence, refused } = await openFollowed()
  await clock.advance(30_000)
  const second = await takeFence('worker 2')
  if (!(second instanceof Fence)) throw new Error('The fence was not taken')
  const before = await progress()
  const change = new Change()
  second.require(change)
  records.progress.require(change, ACCOUNT, before)
  records.progress.put(change, ACCOUNT, { ...before.value, commit: 'worker 1:1' })
  expect(await records.commit(change)).toBe(true)
  expect(refused).toEqual(['the model refuses a commit: settle: its fence is not the present one'])
})

it('the model refuses a commit without its conditions', async () => {
  const { records, progress, fence, refused } = await openFollowed()
  const before = await progress()
  const unchecked = new Change()
  records.progress.put(unchecked, ACCOUNT, { ...before.value, commit: 'worker 1:1' })
  await records.commit(unchecked)
  const paid = new Change()
  fence.require(paid)
  records.progress.require(paid, ACCOUNT, await progress())
  records.progress.put(paid, ACCOUNT, { ...before.value, commit: 'worker 1:2', credits: 5 })
  await records.commit(paid)
  expect(refused).toEqual([
    'the model refuses a commit: settle without a check of fences, progress',
    'the model refuses a commit: the counters have other credits than the pages',
  ])
})

it('the model refuses pages that change without the counters', async () => {
  const { records, refused } = await openFollowed()
  const change = new Change()
  records.frontier.drop(change, ACCOUNT, EXECUTION, 0)
  await records.commit(change)
  expect(refused).toEqual(['the model refuses a commit: pages change without the counters'])
})
