import { Fence } from '../../../src/crawl/commit/fence.ts'
import { AssignmentStore } from '../../../src/crawl/shared/assignments.ts'
import { Coordinator } from '../../../src/crawl/shared/coordinator.ts'
import { doneOf, reportId } from '../../../src/crawl/shared/large-pages.ts'
import { Membership } from '../../../src/crawl/shared/membership.ts'
import { emptyOutcome } from '../../../src/crawl/visit/outcome.ts'
import type { VisitOutcome } from '../../../src/crawl/visit/outcome.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import type { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import type { Done, ReportedPage } from '../../../src/features/executions/crawl-records.ts'
import type { FrontierRecord } from '../../../src/features/executions/records.ts'
import { StillLeases } from '../../../src/kernel/leases.ts'
import { Change } from '../../../src/records/change.ts'
import { normalUrl } from '../normal-url.ts'
import { ACCOUNT, EXECUTION, openRun } from './open-run.ts'

export const SITE = 'https://shop.example.com'
const HELPER = 'helper'
const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Options of {@link openSharedRun}. */
export interface SharedRunOptions {
  readonly storeOf?: typeof createMemoryStore
  /** Pages that the helper has to visit. Default: 1. */
  readonly pages?: number
  /** Makes the holder's side. */
  readonly assignmentStoreOf?: (
    options: ConstructorParameters<typeof AssignmentStore>[0],
  ) => AssignmentStore
}

export function entryOf(seq: number): FrontierRecord {
  return {
    execution: EXECUTION,
    seq,
    url: normalUrl(`${SITE}/${seq === 0 ? '' : seq}`),
    label: 'start',
    depth: 0,
    hop: 0,
  }
}

/** A helper with pages to visit, and the holder, which has not met it. */
export async function openSharedRun({
  storeOf,
  pages = 1,
  assignmentStoreOf = (options) => new AssignmentStore(options),
}: SharedRunOptions = {}) {
  const run = await openRun(
    { start: { urls: [SITE] }, extract: { fields: { f0: 'h1' } } },
    undefined,
    storeOf,
  )
  const { records, clock } = run
  const fence = await run.takeFence('worker 1')
  if (!(fence instanceof Fence)) throw new Error('The fence was not taken')
  const blobs = createMemoryBlobs()
  const both = { records, blobs, clock, account: ACCOUNT, execution: EXECUTION }
  const assignmentStore = assignmentStoreOf({ ...both, fence })
  await assignmentStore.open()
  const shared = await records.sharedRuns.get(ACCOUNT, EXECUTION)
  const membership =
    shared && (await Membership.join({ ...both, membership: HELPER, leaseMs: 60_000 }, shared))
  if (!membership) throw new Error('The helper could not join')
  const entries = Array.from({ length: pages }, (_, seq) => entryOf(seq))
  const change = new Change()
  for (const entry of entries) records.frontier.put(change, ACCOUNT, entry)
  await records.commit(change)
  await assignmentStore.send(
    entries.map((entry) => ({
      execution: EXECUTION,
      hand: HELPER,
      number: entry.seq,
      id: String(entry.seq),
      task: { entry },
      lane: null,
    })),
    [],
    [],
  )
  const visitedHere: number[] = []
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
      visitedHere.push(entry.seq)
      return emptyOutcome(entry, 'fetched', null)
    },
    fetch: () => Promise.reject(new Error('There are no media')),
  })
  const reportDone = async (done: Done, seq = 0): Promise<void> => {
    await membership.report([{ id: reportId(String(seq), done), done, next: 0, spacing: 0 }])
  }
  return {
    records,
    blobs,
    clock,
    assignmentStore,
    coordinator,
    visitedHere,
    reportDone,
    /** The helper's work with a page that it has visited. */
    async report(page: ReportedPage, seq = 0): Promise<void> {
      await reportDone((await doneOf(both, { ...both, name: `${HELPER}-${seq}`, page })).done, seq)
    },
    /** The helper ends its membership. */
    leave: () => membership.leave([]),
    /** The holder's work until it has the first page. */
    async receive(): Promise<VisitOutcome> {
      await coordinator.takeOver()
      const stop = new AbortController()
      const working = coordinator.work(stop.signal, () => {})
      const page = await coordinator.visit(entryOf(0))
      stop.abort()
      await clock.runUntil(working)
      return page
    },
  }
}
