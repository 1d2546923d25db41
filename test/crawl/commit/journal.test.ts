import { expect, it } from 'vitest'
import { Fence, Overtaken } from '../../../src/crawl/commit/fence.ts'
import { emptyOutcome } from '../../../src/crawl/visit/outcome.ts'
import type { VisitOutcome } from '../../../src/crawl/visit/outcome.ts'
import type { FrontierRecord } from '../../../src/features/executions/records.ts'
import { ALL_USAGE } from '../../../src/features/common/usage.ts'
import { endOfMonth, monthOf } from '../../../src/features/common/time.ts'
import type { Store } from '../../../src/ports/store.ts'
import { through } from '../../support/stores/fault-store.ts'
import { ACCOUNT, EXECUTION, openRun } from '../../support/worlds/open-run.ts'
import { startLink } from '../../../src/engine/visit/reach.ts'
import { normalUrl } from '../../support/normal-url.ts'

const SITE = 'https://shop.example.com'
const RECIPE = {
  start: { urls: [0, 1, 2].map((page) => `${SITE}/${page}`) },
  extract: { fields: { id: 'h1', on: 'h2' } },
  output: { unique: ['id'] },
}

/** A run whose three start URLs are in the frontier. */
async function seededRun(spoil?: (store: Store) => Store) {
  const run = await openRun(RECIPE, spoil)
  const fence = await run.takeFence('worker 1')
  if (!(fence instanceof Fence)) throw new Error('The fence was not taken')
  const journal = await run.openJournal(fence)
  const seeds = RECIPE.start.urls.map((url) => startLink(normalUrl(url)))
  await journal.write({ seeds, seeded: true })
  const entries = (await run.records.frontier.list(ACCOUNT, { limit: 10 })).map((one) => one.value)
  return { ...run, fence, journal, entries }
}

const fetched = (entry: FrontierRecord, id: string): VisitOutcome => ({
  ...emptyOutcome(entry, 'fetched', null),
  extracted: true,
  rows: [{ id, on: entry.url }],
})

const failed = (entry: FrontierRecord): VisitOutcome =>
  emptyOutcome(entry, 'failed', { code: 'http_404', message: 'gone' })

const part = <T>(list: readonly T[], index: number): T => {
  const one = list[index]
  if (one === undefined) throw new Error(`There is no ${index}`)
  return one
}

it('the pages of a commit are settled in the order of their discovery', async () => {
  const { journal, entries, records } = await seededRun()
  expect(entries.map(({ url }) => url)).toEqual(RECIPE.start.urls)
  // The row of the last page equals that of the first, and is dropped.
  const pages = entries.map((entry, index) => fetched(entry, String(index % 2)))
  await journal.write({ outcomes: pages.toReversed() })
  const visits = await records.visits.list(ACCOUNT, { within: [EXECUTION], limit: 10 })
  expect(visits.map(({ value }) => [value.seq, value.rows])).toEqual([
    [0, 1],
    [1, 1],
    [2, 0],
  ])
})

it('a page whose commit was made, but not answered, is counted once', async () => {
  let answers = Infinity
  const { clock, journal, entries, records } = await seededRun((store) =>
    through(store, async (change) => {
      const isWritten = await store.commit(change)
      if (answers-- <= 0) {
        answers = Infinity
        throw new Error('The answer of the store was lost')
      }
      return isWritten
    }),
  )
  answers = 0
  await clock.runUntil(journal.write({ outcomes: [failed(part(entries, 0))] }))
  expect(journal.progress.visited).toBe(1)
  const usage = await records.usage.read(ACCOUNT, ALL_USAGE, 'day', 0, Number.MAX_SAFE_INTEGER)
  expect(usage.filter(({ metric }) => metric === 'page:failed').map(({ value }) => value)).toEqual([
    1,
  ])
})

it('nothing is written if another worker has changed the counters', async () => {
  const { journal, entries, fence, openJournal, progress } = await seededRun()
  const stale = await openJournal(fence)
  await journal.write({ outcomes: [failed(part(entries, 0))] })
  await expect(stale.write({ outcomes: [failed(part(entries, 1))] })).rejects.toBeInstanceOf(
    Overtaken,
  )
  expect((await progress()).value).toMatchObject({ visited: 1, outcomes: { failed: 1 } })
})

it('a page is charged to the next month if its month is closed before the commit', async () => {
  const { clock, journal, entries, ledger, records } = await seededRun()
  const { period } = ledger
  const end = endOfMonth(monthOf(clock.now()))
  let closings = 0
  ledger.period = async (account, now) => {
    const open = await period(account, now)
    if (closings++ === 0) {
      await clock.advance(end - clock.now())
      await ledger.balance(account, clock.now())
    }
    return open
  }
  await journal.write({ outcomes: [fetched(part(entries, 0), 'a')] })
  expect(closings).toBe(2)
  const settled = (await records.ledger.list(ACCOUNT, { limit: 50 }))
    .map(({ value }) => value)
    .filter(({ kind }) => kind === 'settle')
  expect(settled.map((entry) => entry.period)).toEqual([monthOf(end)])
  // Entry, receipt and counters have the same day.
  const [visit] = await records.visits.list(ACCOUNT, { within: [EXECUTION], limit: 1 })
  const days = await records.usage.read(ACCOUNT, ALL_USAGE, 'day', 0, Number.MAX_SAFE_INTEGER)
  const paid = days.filter(({ metric }) => metric === 'credits')
  expect([settled[0]?.at, visit?.value.at, ...paid.map(({ start }) => start)]).toEqual([
    end,
    end,
    end,
  ])
})

it('a page with many links that was redirected is judged before any of them is added', async () => {
  const { journal, entries, records } = await seededRun()
  const linksOf = (name: string, own: string) =>
    [own, ...Array.from({ length: 1_200 }, (_, index) => `${SITE}/${name}/${index}`)].map(
      (url) => ({ ...startLink(normalUrl(url)), depth: 1 }),
    )
  const landed = (index: number, finalUrl: string, name: string): VisitOutcome => ({
    ...fetched(part(entries, index), name),
    finalUrl,
    links: linksOf(name, finalUrl),
  })
  await journal.write({
    outcomes: [
      landed(0, `${SITE}/new`, 'a'),
      // The page before it has landed there.
      landed(1, `${SITE}/new`, 'b'),
      landed(2, 'https://other.example.com/', 'c'),
    ],
  })
  const visits = await records.visits.list(ACCOUNT, { within: [EXECUTION], limit: 10 })
  // Start pages may be redirected to other hosts.
  expect(visits.map(({ value }) => [value.seq, value.outcome])).toEqual([
    [0, 'fetched'],
    [1, 'duplicate'],
    [2, 'fetched'],
  ])
  const waiting = await records.frontier.list(ACCOUNT, { within: [EXECUTION], limit: 5_000 })
  const urls = new Set(waiting.map(({ value }) => value.url))
  expect(urls.size).toBe(waiting.length)
  expect(
    [...'abc'].map(
      (name) => waiting.filter(({ value }) => value.url.startsWith(`${SITE}/${name}/`)).length,
    ),
  ).toEqual([1_200, 0, 1_200])
  expect(urls.has(normalUrl(`${SITE}/new`))).toBe(false)
})
