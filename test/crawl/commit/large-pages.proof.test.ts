import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { Fence } from '../../../src/crawl/commit/fence.ts'
import { emptyOutcome, writablePage } from '../../../src/crawl/visit/outcome.ts'
import type { VisitOutcome } from '../../../src/crawl/visit/outcome.ts'
import { startLink } from '../../../src/engine/visit/reach.ts'
import type { Row } from '../../../src/kernel/json.ts'
import { cpuFactor } from '../../support/cpu-ms.ts'
import { longestTurn } from '../../support/longest-turn.ts'
import { normalUrl } from '../../support/normal-url.ts'
import { ACCOUNT, openRun } from '../../support/worlds/open-run.ts'

// Proves that pages of the maximum size are committed in short turns. Times are processor times of
// the thread that serves.

const SITE = 'https://shop.example.com'
const LONGEST_MS = 50
/** The least of some times counts, as garbage may be collected during one of them. */
const TIMES = 3
/** An address of 2,000 characters, each of whose letters is written in a way to be normalised. */
const LONG = '%c3'.repeat(660)
const folder = mkdtempSync(join(tmpdir(), 'seine-large-'))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))

/** A run with start pages in its frontier, on a store in a file. */
async function seededRun(name: string, pages: number, isUnique: boolean) {
  const urls = Array.from({ length: pages }, (_, index) => `${SITE}/start/${index}`)
  const run = await openRun(
    {
      start: { urls },
      crawl: { scope: 'host', maxPages: 100_000 },
      extract: { fields: { f0: 'h1' } },
      ...(isUnique && { output: { unique: ['f0'] } }),
    },
    undefined,
    (options) => createSqliteStore({ ...options, path: join(folder, `${name}.db`) }),
  )
  const fence = await run.takeFence('worker 1')
  if (!(fence instanceof Fence)) throw new Error('The fence was not taken')
  const journal = await run.openJournal(fence)
  await journal.write({ seeds: urls.map((url) => startLink(normalUrl(url))), seeded: true })
  const entries = await run.records.frontier.list(ACCOUNT, { limit: 100 })
  return { journal, entries: entries.map(({ value }) => value) }
}

const rowsOf = (count: number, columns: number, text: string): Row[] =>
  Array.from({ length: count }, (_, row) =>
    Object.fromEntries(
      Array.from({ length: columns }, (_unused, column) => [
        `f${column}`,
        `${row}.${column}${text}`,
      ]),
    ),
  )
const linksOf = (page: number, count: number, text: string, carried?: Row) =>
  Array.from({ length: count }, (_, index) => ({
    ...startLink(normalUrl(`${SITE}/${page}/${index}${text}`)),
    depth: 1,
    ...(carried && { carried: structuredClone(carried) }),
  }))
const redirected = { finalUrl: `${SITE}/elsewhere` }

interface LargePages {
  readonly pages?: number
  readonly isUnique?: boolean
  readonly of: (page: number) => Partial<VisitOutcome>
}

const CASES: Readonly<Record<string, LargePages>> = {
  'rows of small fields': { of: () => ({ rows: rowsOf(50_000, 2, '') }) },
  'unique rows': { isUnique: true, of: () => ({ rows: rowsOf(50_000, 2, '') }) },
  'rows of 20 fields': { of: () => ({ rows: rowsOf(50_000, 20, ' some text') }) },
  'rows of 20 long fields': { of: () => ({ rows: rowsOf(2_000, 20, 'x'.repeat(800)) }) },
  'rows with a long list': {
    of: () => ({ rows: [{ f0: Array.from({ length: 3_000_000 }, () => 1) }] }),
  },
  links: { of: (page) => ({ links: linksOf(page, 10_000, '') }) },
  'links after a redirect': { of: (page) => ({ ...redirected, links: linksOf(page, 10_000, '') }) },
  'long links': { of: (page) => ({ links: linksOf(page, 3_900, LONG) }) },
  'long links after a redirect': {
    of: (page) => ({ ...redirected, links: linksOf(page, 3_900, LONG) }),
  },
  'links with values': {
    of: (page) => ({
      links: linksOf(page, 2_000, '', { a: Array.from({ length: 660 }, () => 1) }),
    }),
  },
  'pages with links': { pages: 50, of: (page) => ({ links: linksOf(page, 100, '') }) },
  'pages with long links': { pages: 50, of: (page) => ({ links: linksOf(page, 100, LONG) }) },
}

test.each(Object.entries(CASES))('%s are committed in short turns', async (name, large) => {
  const factor = cpuFactor()
  const { pages = 1, isUnique = false } = large
  let least = Infinity
  for (let time = 0; time < TIMES && least > LONGEST_MS * factor; time++) {
    const { journal, entries } = await seededRun(`${name} ${time}`, pages, isUnique)
    const whole = entries.map((entry) => ({
      ...emptyOutcome(entry, 'fetched', null),
      ...large.of(entry.seq),
    }))
    const longest = await longestTurn(async () => {
      const outcomes: VisitOutcome[] = []
      for (const page of whole) outcomes.push((await writablePage(page)).page)
      await journal.write({ outcomes })
    })
    least = Math.min(least, longest)
    expect(journal.progress.visited).toBe(pages)
    expect(journal.progress.rows).toBe(whole.reduce((sum, page) => sum + page.rows.length, 0))
    // The pages, their links, and where a redirect led.
    expect(journal.progress.discovered).toBe(
      whole.reduce((sum, page) => sum + 1 + page.links.length, 0),
    )
  }
  expect(least).toBeLessThan(LONGEST_MS * factor)
})
