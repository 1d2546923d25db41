import { expect, it } from 'vitest'
import { Fence } from '../../../src/crawl/commit/fence.ts'
import { AssignmentStore } from '../../../src/crawl/shared/assignments.ts'
import { Coordinator } from '../../../src/crawl/shared/coordinator.ts'
import { emptyOutcome } from '../../../src/crawl/visit/outcome.ts'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import { StillLeases } from '../../../src/kernel/still-leases.ts'
import { normaliseUrl } from '../../../src/kernel/url.ts'
import { ACCOUNT, EXECUTION, openRun } from '../../support/worlds/open-run.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const urlOf = (host: number) => normaliseUrl(`https://shop${host}.example.com/`) ?? expect.fail()

// A computer that slept wakes up with its timers late: what stops a run has not run yet.
it('a holder that wakes up after its lease asks no host, also before its timers have run', async () => {
  const run = await openRun({ start: { urls: [urlOf(0)] }, extract: { fields: { id: 'h1' } } })
  const fence = await run.takeFence('worker 1')
  if (!(fence instanceof Fence)) throw new Error('The fence was not taken')
  let now = fence.safeUntil - 1
  const clock = { now: () => now, sleep: () => new Promise<never>(() => {}) }
  const visited: number[] = []
  const coordinator = new Coordinator({
    frontier: { next: () => null },
    assignmentStore: new AssignmentStore({
      records: run.records,
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
