import { expect, it } from 'vitest'
import { AssignmentStore } from '../../../src/crawl/shared/assignments.ts'
import { emptyOutcome } from '../../../src/crawl/visit/outcome.ts'
import type { LargePage, ReportedPage } from '../../../src/features/executions/crawl-records.ts'
import { nextTurn } from '../../../src/kernel/pace.ts'
import { ACCOUNT, EXECUTION } from '../../support/worlds/open-run.ts'
import { entryOf, openSharedRun } from '../../support/worlds/open-shared-run.ts'

const {
  entry: _,
  media: _media,
  rows: _rows,
  links: _links,
  ...head
} = emptyOutcome(entryOf(0), 'fetched', null)
const rows = [{ f0: 'x'.repeat(120_000) }]

/** Notes which large pages are read. */
class WatchedStore extends AssignmentStore {
  readonly read: string[] = []

  override async largePage({ blob, head: rest }: LargePage): Promise<ReportedPage> {
    this.read.push(blob)
    return { ...rest, rows: [], links: [] }
  }
}

it('a holder reads large pages of helpers only as long as the run has room for them', async () => {
  let watched: WatchedStore | null = null
  const { clock, coordinator, reportDone } = await openSharedRun({
    pages: 4,
    assignmentStoreOf: (options) => (watched = new WatchedStore(options)),
  })
  const { read } = watched ?? expect.fail()
  for (let seq = 0; seq < 4; seq++)
    await reportDone({ blob: `page ${seq}`, bytes: 20 * 1_024 * 1_024, head }, seq)
  await coordinator.takeOver()
  const stop = new AbortController()
  const working = coordinator.work(stop.signal, () => {})
  const pages = Promise.all(Array.from({ length: 4 }, (__, seq) => coordinator.visit(entryOf(seq))))
  await clock.advance(5_000)
  expect(read).toEqual(['page 0', 'page 1'])
  coordinator.settled([entryOf(1)])
  await clock.advance(200)
  expect(read).toEqual(['page 0', 'page 1', 'page 2'])
  coordinator.settled([entryOf(0), entryOf(2)])
  await clock.runUntil(pages)
  expect(read).toEqual(['page 0', 'page 1', 'page 2', 'page 3'])
  stop.abort()
  await clock.runUntil(working)
})

it('the pages of a helper that is dismissed are removed, and those that it still writes are swept', async () => {
  const { records, blobs, assignmentStore, report } = await openSharedRun()
  await report({ ...head, rows, links: [] })
  expect(await blobs.list('')).toHaveLength(1)
  const membership = await records.memberships.get(ACCOUNT, EXECUTION, 'helper')
  expect(await assignmentStore.dismiss(membership ?? expect.fail())).toBe(true)
  await nextTurn()
  expect(await blobs.list('')).toEqual([])
  const execution = await records.executions.get(ACCOUNT, EXECUTION)
  expect(execution?.value.interrupted).toBe(true)
})

it('the page of a report that no assignment asks for is removed with the report', async () => {
  const { records, blobs, clock, coordinator, report, assignmentStore } = await openSharedRun()
  await report({ ...head, rows, links: [] })
  await assignmentStore.send([], [{ membership: 'helper', number: 0 }], [])
  const stop = new AbortController()
  const working = coordinator.work(stop.signal, () => {})
  await clock.advance(300)
  stop.abort()
  await clock.runUntil(working)
  expect(await records.reports.list(ACCOUNT, { within: [EXECUTION], limit: 1 })).toEqual([])
  expect(await blobs.list('')).toEqual([])
})

it('the large pages of a helper that leaves are read, and not visited again', async () => {
  const { blobs, clock, coordinator, visitedHere, report, leave } = await openSharedRun({
    pages: 4,
  })
  await coordinator.takeOver()
  const stop = new AbortController()
  const working = coordinator.work(stop.signal, () => {})
  const pages = Promise.all(Array.from({ length: 4 }, (__, seq) => coordinator.visit(entryOf(seq))))
  for (let seq = 0; seq < 4; seq++) await report({ ...head, rows, links: [] }, seq)
  await leave()
  await clock.runUntil(pages)
  expect((await pages).map((page) => page.rows.length)).toEqual([1, 1, 1, 1])
  expect(visitedHere).toEqual([])
  // The commits of the pages would remove them.
  expect(await blobs.list('')).toHaveLength(4)
  stop.abort()
  await clock.runUntil(working)
})
