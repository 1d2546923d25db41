import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import type { Row } from '../../../src/kernel/json.ts'
import { Pace, SliceScheduler } from '../../../src/kernel/pace.ts'
import { emptyProgress, pendingOf } from '../../../src/features/executions/records.ts'
import type { FrontierRecord, ProgressRecord } from '../../../src/features/executions/records.ts'
import { seenIdentities } from '../../../src/crawl/commit/frontier.ts'
import { emptyOutcome } from '../../../src/crawl/visit/outcome.ts'
import { DEFAULT_PRICES } from '../../../src/kernel/price.ts'
import type { VisitOutcome } from '../../../src/crawl/visit/outcome.ts'
import { judgeScope, mentionedUrls, settle } from '../../../src/crawl/commit/settle.ts'
import { startLink } from '../../../src/engine/visit/reach.ts'
import type { FoundLink } from '../../../src/ports/page-processor.ts'
import { normalUrl } from '../../support/normal-url.ts'

const SITE = 'https://shop.example.com'
const identities = seenIdentities()
const plan = compileRecipe({
  start: { urls: [`${SITE}/0`] },
  follow: [{ links: 'a' }],
  crawl: { scope: 'host', maxDepth: 3 },
  extract: { fields: { id: 'h1' } },
  output: { unique: ['id'] },
})

/** The pages of a small made-up site: links by number, a row, or a failure. */
const site = fc.array(
  fc.record({
    links: fc.array(fc.nat(19), { maxLength: 6 }),
    foreign: fc.boolean(),
    row: fc.nat(5),
    kind: fc.constantFrom('fetched', 'failed', 'redirect'),
    target: fc.nat(19),
  }),
  { minLength: 20, maxLength: 20 },
)
type Site = typeof site extends fc.Arbitrary<infer T> ? T : never

function visitOf(pages: Site, entry: FrontierRecord): VisitOutcome {
  const page = pages[Number(new URL(entry.url).pathname.slice(1))]
  if (!page || page.kind === 'failed')
    return emptyOutcome(entry, 'failed', { code: 'http_404', message: 'gone' })
  const links = [
    ...page.links.map((id) => `${SITE}/${id}`),
    ...(page.foreign ? ['https://other.example.com/'] : []),
  ]
  return {
    ...emptyOutcome(entry, 'fetched', null),
    bytes: 10,
    extracted: true,
    filled: { id: 1 },
    rows: [{ id: String(page.row) }],
    finalUrl: page.kind === 'redirect' ? `${SITE}/${page.target}` : null,
    links: links.map((url) => ({
      ...startLink(normalUrl(url)),
      depth: entry.depth + 1,
    })),
  }
}

/** Runs a site to its end, and settles so many outcomes at a time as `groups` says. */
function crawl(
  pages: Site,
  groups: readonly number[],
): { progress: ProgressRecord; rows: Row[]; receipt: string[] } {
  const urls = new Set<string>()
  const rowKeys = new Set<string>()
  let progress = emptyProgress('exec')
  const rows: Row[] = []
  const receipt = new Map<number, string>()
  const frontier: FrontierRecord[] = []
  const commit = (outcomes: readonly VisitOutcome[], seeds: readonly FoundLink[] = []): void => {
    const unseenUrls = new Set(
      [...mentionedUrls(outcomes, seeds, identities)].filter((url) => !urls.has(url)),
    )
    const keys = new Map(
      outcomes.flatMap((page) =>
        page.rows.map((row) => [row, JSON.stringify([row['id']])] as const),
      ),
    )
    const unseenRows = new Set([...keys.values()].filter((key) => !rowKeys.has(key)))
    const settled = settle(
      plan,
      progress,
      outcomes,
      seeds,
      { unseenUrls, unseenRows, keys, identities, inScope: plan.inScope },
      DEFAULT_PRICES,
      0,
    )
    progress = settled.progress
    for (const url of settled.urls) urls.add(url)
    for (const key of settled.rowKeys) rowKeys.add(key)
    rows.push(...settled.rows.map(([, row]) => row))
    frontier.push(...settled.added)
    for (const visit of settled.visits) receipt.set(visit.seq, `${visit.url} ${visit.outcome}`)
  }
  commit([], [startLink(normalUrl(`${SITE}/0`))])
  for (let turn = 0; frontier.length > 0; turn++) {
    commit(
      frontier.splice(0, groups[turn % groups.length] ?? 1).map((entry) => visitOf(pages, entry)),
    )
    expect(pendingOf(progress)).toBe(frontier.length)
  }
  return {
    progress,
    rows,
    receipt: [...receipt].toSorted(([a], [b]) => a - b).map(([, line]) => line),
  }
}

describe('settling outcomes', () => {
  it('gives the same rows, receipt and counters however the outcomes are grouped', () => {
    fc.assert(
      fc.property(
        site,
        fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 5 }),
        (pages, groups) => {
          const alone = crawl(pages, [1])
          const grouped = crawl(pages, groups)
          expect(grouped.receipt).toEqual(alone.receipt)
          expect(grouped.rows).toEqual(alone.rows)
          expect({ ...grouped.progress, segments: 0, settled: 0 }).toEqual({
            ...alone.progress,
            segments: 0,
            settled: 0,
          })
        },
      ),
    )
  })

  it('leaves one line for every URL, one fetched page for every charge, and one place for every unique row', () => {
    fc.assert(
      fc.property(site, (pages) => {
        const { progress, rows, receipt } = crawl(pages, [3])
        expect(receipt.length).toBe(progress.discovered)
        expect(new Set(receipt.map((line) => line.split(' ')[0])).size).toBe(receipt.length)
        expect(progress.credits).toBe(receipt.filter((line) => line.endsWith(' fetched')).length)
        expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length)
        expect(progress.rows).toBe(rows.length)
      }),
    )
  })
})

it('judges the new links of a page in slices, and each link once', async () => {
  const judged: string[] = []
  const counting = {
    ...plan,
    inScope(url: string): boolean {
      judged.push(url)
      return plan.inScope(url)
    },
  }
  const entry: FrontierRecord = {
    execution: 'exec',
    seq: 0,
    url: normalUrl(`${SITE}/0`),
    label: 'start',
    depth: 0,
    hop: 1,
  }
  const urls = Array.from({ length: 1_000 }, (_, index) =>
    index % 2 === 0 ? `${SITE}/${index}` : `https://other.example.com/${index}`,
  )
  const page = {
    ...emptyOutcome(entry, 'fetched', null),
    links: [...urls, ...urls, `${SITE}/known`].map((url) => ({
      ...startLink(normalUrl(url)),
      depth: 1,
    })),
  }
  let rests = 0
  let now = 0
  const pace = new Pace({
    now: () => (now += 10),
    scheduler: new SliceScheduler(async () => void rests++),
  })
  const inScope = await judgeScope(counting, [page], [], (url) => !url.endsWith('known'), pace)
  expect(judged).toEqual(urls)
  expect(rests).toBeGreaterThan(900)
  expect(urls.filter(inScope)).toEqual(urls.filter((_, index) => index % 2 === 0))
  expect(judged).toHaveLength(urls.length)
})
