import { expect, it } from 'vitest'
import { Fence } from '../../../src/crawl/commit/fence.ts'
import { AssignmentStore } from '../../../src/crawl/shared/assignments.ts'
import { Coordinator } from '../../../src/crawl/shared/coordinator.ts'
import type { CoordinatorOptions } from '../../../src/crawl/shared/coordinator.ts'
import { emptyOutcome } from '../../../src/crawl/visit/outcome.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import { StillLeases } from '../../../src/kernel/leases.ts'
import { normaliseUrl } from '../../../src/kernel/url.ts'
import type { FrontierRecord } from '../../../src/features/executions/records.ts'
import { Change } from '../../../src/records/change.ts'
import { ACCOUNT, EXECUTION, openRun } from '../../support/worlds/open-run.ts'

const blobs = createMemoryBlobs()
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const urlOf = (host: number) => normaliseUrl(`https://shop${host}.example.com/`) ?? expect.fail()
const entryOf = (seq: number): FrontierRecord => ({
  execution: EXECUTION,
  seq,
  url: urlOf(seq),
  label: 'start',
  depth: 0,
  hop: 0,
})

/** A coordinator, with the pages that it visits itself. */
function coordinate(
  clock: CoordinatorOptions['clock'],
  assignmentStore: AssignmentStore,
): { readonly coordinator: Coordinator; readonly visited: readonly number[] } {
  const visited: number[] = []
  const coordinator = new Coordinator({
    frontier: { next: () => null },
    assignmentStore,
    politeness: createPoliteness({ clock, delayMs: 0 }),
    clock,
    logger: silent,
    execution: EXECUTION,
    stillLeases: new StillLeases(30_000),
    concurrency: 2,
    together: true,
    firstRequestAt: 0,
    visit: async (entry) => {
      visited.push(entry.seq)
      return emptyOutcome(entry, 'fetched', null)
    },
    fetch: () => Promise.reject(new Error('There are no media')),
  })
  return { coordinator, visited }
}

async function open() {
  const run = await openRun({ start: { urls: [urlOf(0)] }, extract: { fields: { id: 'h1' } } })
  const fence = await run.takeFence('worker 1')
  if (!(fence instanceof Fence)) throw new Error('The fence was not taken')
  return { ...run, fence }
}

// On a computer that wakes up timers are late: the timer that stops the run has not fired yet.
it('a holder that wakes up after its lease sends no request, also before its timers have fired', async () => {
  const { records, clock, fence } = await open()
  let now = fence.safeUntil - 1
  const { coordinator, visited } = coordinate(
    { now: () => now, sleep: () => new Promise<never>(() => {}) },
    new AssignmentStore({ records, blobs, clock, account: ACCOUNT, execution: EXECUTION, fence }),
  )
  void coordinator.work(new AbortController().signal, () => {})
  await coordinator.visit(entryOf(0))
  expect(visited).toEqual([0])
  now = fence.safeUntil
  void coordinator.visit(entryOf(1))
  expect(visited).toEqual([0])
})

/** The store of a holder that always renews its fence in time. */
class RenewedStore extends AssignmentStore {
  override isSafe(): boolean {
    return true
  }
}

it('the holder does the pages of a dead helper whose clock was a year ahead', async () => {
  const { records, clock, fence } = await open()
  const membership = { execution: EXECUTION, hand: 'helper', reports: 0, turn: 1 }
  const until = clock.now() + 365 * 86_400_000
  const begin = new Change()
  records.frontier.put(begin, ACCOUNT, entryOf(0))
  records.memberships.put(begin, ACCOUNT, { ...membership, until })
  const task = { entry: entryOf(0) }
  records.assignments.put(begin, ACCOUNT, {
    execution: EXECUTION,
    hand: 'helper',
    number: 0,
    id: '0',
    task,
    lane: null,
  })
  await records.commit(begin)
  const { coordinator, visited } = coordinate(
    clock,
    new RenewedStore({ records, blobs, clock, account: ACCOUNT, execution: EXECUTION, fence }),
  )
  await coordinator.takeOver()
  const stop = new AbortController()
  const working = coordinator.work(stop.signal, () => {})
  const visit = coordinator.visit(entryOf(0))
  await clock.advance(4 * 60_000)
  // The helper may be alive: each of its reports and renewals begins the wait anew.
  const renew = new Change()
  records.memberships.put(renew, ACCOUNT, { ...membership, turn: 2, until: until + 1 })
  await records.commit(renew)
  await clock.advance(4 * 60_000)
  expect(visited).toEqual([])
  await clock.advance(2 * 60_000)
  expect(visited).toEqual([0])
  await visit
  stop.abort()
  await clock.runUntil(working)
})
