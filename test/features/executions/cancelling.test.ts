import { expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createRecords } from '../../../src/features/records.ts'
import { isObject } from '../../../src/kernel/json.ts'
import type { Commit } from '../../../src/ports/store.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { through } from '../../support/stores/fault-store.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const URL = 'https://shop.example.com/'
const RECIPE = { start: { urls: [URL] }, extract: { fields: { title: 'h1' } } }

/** The kinds of commits whose order matters here. */
function purposeOf({ set = [], delete: deleted = [] }: Commit): 'page' | 'cancel' | 'end' | null {
  if (set.some(({ key }) => key[1] === 'visits')) return 'page'
  if (!deleted.some((key) => key[1] === 'holds')) return null
  const isCancelled = set.some(
    ({ key, value }) =>
      key[1] === 'executions' && isObject(value) && value['status'] === 'cancelled',
  )
  return isCancelled ? 'cancel' : 'end'
}

/**
 * Cancels an execution from another process while its worker commits a page. `first` is the commit
 * that reaches the store first. The worker's own end of the execution comes last.
 */
async function cancelBeside(first: 'page' | 'cancel') {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  const reached = { page: Promise.withResolvers<void>(), cancel: Promise.withResolvers<void>() }
  const isFirstDone = Promise.withResolvers<void>()
  const isCancelled = Promise.withResolvers<void>()
  const commits: string[] = []
  const store = through(base, async (change) => {
    const purpose = purposeOf(change)
    if (purpose === null) return base.commit(change)
    if (purpose === 'end') await isCancelled.promise
    else {
      reached[purpose].resolve()
      await Promise.all([reached.page.promise, reached.cancel.promise])
      if (purpose !== first) await isFirstDone.promise
    }
    const isWritten = await base.commit(change)
    commits.push(`${purpose}: ${isWritten ? 'written' : 'refused'}`)
    if (purpose === first) isFirstDone.resolve()
    if (purpose === 'cancel' && isWritten) isCancelled.resolve()
    return isWritten
  })
  const world = createWorld(
    { [URL]: '<h1>Pen</h1>' },
    { clock, store, billing: { plans: [{ id: 'pro', name: 'Pro', creditsPerMonth: 100 }] } },
  )
  const id = await world.start(RECIPE)
  const working = world.work()
  await reached.page.promise
  await world.join().api.executions.cancel(OWNER, id)
  await working
  const { status, counters, cost } = await world.read(id)
  return {
    commits,
    execution: { status, fetched: counters.fetched, credits: cost.credits },
    credits: (await createRecords(base).wallets.get(OWNER.account))?.value.credits,
    differences: (await world.platform.verify()).differences,
  }
}

it('a page whose commit comes before the cancel stays paid', async () => {
  expect(await cancelBeside('page')).toMatchObject({
    commits: ['page: written', 'cancel: refused', 'cancel: written', 'end: refused'],
    execution: { status: 'cancelled', fetched: 1, credits: 1 },
    credits: { wallet: 99, held: 0, revenue: 1 },
    differences: [],
  })
})

it('a page whose commit comes after the cancel is neither stored nor paid', async () => {
  expect(await cancelBeside('cancel')).toMatchObject({
    commits: ['cancel: written', 'page: refused'],
    execution: { status: 'cancelled', fetched: 0, credits: 0 },
    credits: { wallet: 100, held: 0, revenue: 0 },
    differences: [],
  })
})
