import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { emptyOutcome } from '../../../src/crawl/visit/outcome.ts'
import type { VisitOutcome } from '../../../src/crawl/visit/outcome.ts'
import { startLink } from '../../../src/engine/visit/reach.ts'
import type { ReportedPage } from '../../../src/features/executions/crawl-records.ts'
import { sweepBlobs } from '../../../src/features/executions/sweep.ts'
import { Change } from '../../../src/records/change.ts'
import { cpuFactor } from '../../support/cpu-ms.ts'
import { longestTurn } from '../../support/longest-turn.ts'
import { normalUrl } from '../../support/normal-url.ts'
import { ACCOUNT, EXECUTION } from '../../support/worlds/open-run.ts'
import { SITE, entryOf, openSharedRun } from '../../support/worlds/open-shared-run.ts'
import { sharedSite } from '../../support/worlds/shared-site.ts'
import { createSharedWorld } from '../../support/worlds/shared-world.ts'

// The page of a helper may have 64 Mi characters. Times are processor times of the thread that
// serves.

const LONGEST_MS = 50
/** The least of some times counts, as garbage may be collected during one of them. */
const TIMES = 3
const encoder = new TextEncoder()
const folder = mkdtempSync(join(tmpdir(), 'seine-reports-'))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))

const openOnDisk = (name: string) =>
  openSharedRun({
    storeOf: (options) => createSqliteStore({ ...options, path: join(folder, `${name}.db`) }),
  })

function pageOf(content: Partial<ReportedPage>): ReportedPage {
  const { entry: _, media: _media, ...page } = emptyOutcome(entryOf(0), 'fetched', null)
  return { ...page, ...content }
}
const rows = Array.from({ length: 50_000 }, (_, row) =>
  Object.fromEntries(
    Array.from({ length: 20 }, (_unused, column) => [`f${column}`, `${row}.${column} some text`]),
  ),
)
const links = Array.from({ length: 10_000 }, (_, index) => ({
  ...startLink(normalUrl(`${SITE}/${index}`)),
  carried: { from: `list ${index} – é` },
}))

it('a page of 50,000 rows of 20 fields goes from a helper to the holder in short turns', async () => {
  const factor = cpuFactor()
  const page = pageOf({ rows, links, sources: [['c'.repeat(20), 50_000]] })
  let least = Infinity
  for (let time = 0; time < TIMES && least > LONGEST_MS * factor; time++) {
    const { report, receive, blobs } = await openOnDisk(`large ${time}`)
    let whole: VisitOutcome | null = null
    const longest = await longestTurn(async () => {
      await report(page)
      whole = await receive()
    })
    least = Math.min(least, longest)
    const [blob] = await blobs.list('')
    expect(whole).toStrictEqual({
      ...emptyOutcome(entryOf(0), 'fetched', null),
      ...page,
      assignment: { membership: 'helper', number: 0, report: 0, blob },
    })
  }
  expect(least).toBeLessThan(LONGEST_MS * factor)
})

it('a page whose blob is gone, or damaged, is visited again by the holder', async () => {
  for (const damage of ['gone', 'cut', 'wrong'] as const) {
    const { blobs, records, report, receive, visitedHere } = await openOnDisk(damage)
    await report(pageOf({ rows: rows.slice(0, 1_000) }))
    const [blob = ''] = await blobs.list('')
    const bytes = await blobs.get(blob)
    const text = new TextDecoder().decode(bytes ?? expect.fail())
    if (damage === 'gone') await blobs.remove(blob)
    else if (damage === 'cut') await blobs.put(blob, encoder.encode(text.slice(0, 1_000)))
    // As long as it was, and JSON.
    else await blobs.put(blob, encoder.encode(text.replace('"rows":', '"rowz":')))
    expect((await receive()).rows).toEqual([])
    expect(visitedHere).toEqual([0])
    expect(await records.frontier.get(ACCOUNT, EXECUTION, 0)).not.toBeNull()
  }
})

it('a holder of an earlier version gets large pages in their reports', async () => {
  const { blobs, records, report, receive, visitedHere } = await openOnDisk('earlier')
  const change = new Change()
  records.sharedRuns.put(change, ACCOUNT, { execution: EXECUTION, closed: false })
  await records.commit(change)
  await report(pageOf({ rows: rows.slice(0, 1_000) }))
  expect(await blobs.list('')).toEqual([])
  expect((await receive()).rows).toStrictEqual(rows.slice(0, 1_000))
  expect(visitedHere).toEqual([])
})

it('the sweep takes the page of a helper only after the execution has ended', async () => {
  const { blobs, records, report, receive, visitedHere } = await openOnDisk('sweep')
  await report(pageOf({ rows: rows.slice(0, 1_000) }))
  await sweepBlobs(records, blobs, ACCOUNT, EXECUTION, new AbortController().signal)
  expect((await receive()).rows).toHaveLength(1_000)
  expect(visitedHere).toEqual([])
  const execution = await records.executions.get(ACCOUNT, EXECUTION)
  const end = new Change()
  records.executions.put(end, ACCOUNT, {
    ...(execution?.value ?? expect.fail()),
    finishedAt: 1,
  })
  await records.commit(end)
  await sweepBlobs(records, blobs, ACCOUNT, EXECUTION, new AbortController().signal)
  expect(await blobs.list('')).toEqual([])
})

it('pages of helpers are in blobs while they are needed, and no blob is left over', async () => {
  const site = sharedSite({ hosts: 4, pages: 3, titleLength: 120_000 })
  const shared = createSharedWorld(site.pages, { latencyMs: 1_200 })
  const put: string[] = []
  const putBlob = shared.blobs.put.bind(shared.blobs)
  shared.blobs.put = (name, bytes) => {
    put.push(name)
    return putBlob(name, bytes)
  }
  const id = await shared.world.start(site.recipe)
  for (const name of ['a', 'b', 'c']) shared.spawn(name)
  await shared.until(id)
  expect(await shared.faults(id, site.rows)).toEqual([])
  expect(put.filter((name) => name.includes('/reports/')).length).toBeGreaterThan(2)
})
