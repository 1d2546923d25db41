import { expect, it } from 'vitest'
import { Fence } from '../../../src/crawl/commit/fence.ts'
import { AssignmentStore } from '../../../src/crawl/shared/assignments.ts'
import { Coordinator } from '../../../src/crawl/shared/coordinator.ts'
import { emptyOutcome } from '../../../src/crawl/visit/outcome.ts'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import { StillLeases } from '../../../src/kernel/still-leases.ts'
import { normaliseUrl } from '../../../src/kernel/url.ts'
import { Change } from '../../../src/records/change.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { ACCOUNT, EXECUTION, openRun } from '../../support/worlds/open-run.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const urlOf = (host: number) => normaliseUrl(`https://shop${host}.example.com/`) ?? expect.fail()

function coordinatorOf(
  { records }: Pick<Awaited<ReturnType<typeof openRun>>, 'records'>,
  fence: Fence,
  clock: Clock,
  visited: number[],
): Coordinator {
  return new Coordinator({
    frontier: { next: () => null },
    assignmentStore: new AssignmentStore({
      records,
      account: ACCOUNT,
      execution: EXECUTION,
      fence,
    }),
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
}

// A computer that slept wakes up with its timers late: what stops a run has not run yet.
it('a holder that wakes up after its lease asks no host, also before its timers have run', async () => {
  const run = await openRun({ start: { urls: [urlOf(0)] }, extract: { fields: { id: 'h1' } } })
  const fence = await run.takeFence('worker 1')
  if (!(fence instanceof Fence)) throw new Error('The fence was not taken')
  let now = fence.safeUntil - 1
  const clock = { now: () => now, sleep: () => new Promise<never>(() => {}) }
  const visited: number[] = []
  const coordinator = coordinatorOf(run, fence, clock, visited)
  void coordinator.work(new AbortController().signal, () => {})
  const visit = (seq: number) =>
    coordinator.visit({
      execution: EXECUTION,
      seq,
      url: urlOf(seq),
      label: 'start',
      depth: 0,
      hop: 0,
    })
  await visit(0)
  expect(visited).toEqual([0])
  now = fence.safeUntil
  void visit(1)
  expect(visited).toEqual([0])
})

it('a helper whose clock was a year ahead is dismissed once its membership has stood still', async () => {
  const run = await openRun({ start: { urls: [urlOf(0)] }, extract: { fields: { id: 'h1' } } })
  const { records, clock } = run
  const fence = await run.takeFence('worker 1')
  if (!(fence instanceof Fence)) throw new Error('The fence was not taken')
  const coordinator = coordinatorOf(run, fence, clock, [])
  const membership = (hand: string) => ({
    execution: EXECUTION,
    hand,
    until: clock.now() + 365 * 86_400_000,
    reports: 0,
    turn: 0,
  })
  const joining = new Change()
  for (const hand of ['dead', 'alive'])
    records.memberships.insert(joining, ACCOUNT, membership(hand))
  await records.commit(joining)
  const names = async (): Promise<string[]> =>
    (await records.memberships.list(ACCOUNT, { within: [EXECUTION], limit: 9 })).map(
      ({ value }) => value.hand,
    )

  await coordinator.adopt()
  await clock.advance(4 * 60_000)
  const stored = await records.memberships.get(ACCOUNT, EXECUTION, 'alive')
  if (stored === null) throw new Error('The helper is gone')
  const renewal = new Change()
  records.memberships.update(renewal, ACCOUNT, stored, { ...membership('alive'), turn: 1 })
  await records.commit(renewal)
  await coordinator.adopt()
  expect(await names()).toEqual(['alive', 'dead'])
  await clock.advance(2 * 60_000)
  await coordinator.adopt()
  expect(await names()).toEqual(['alive'])
})
