import { expect, it } from 'vitest'
import { archivePages } from '../../../src/crawl/archive/archive-pages.ts'
import type { ArchivePolicy } from '../../../src/crawl/archive/archive-pages.ts'
import { emptyOutcome } from '../../../src/crawl/visit/outcome.ts'
import type { VisitOutcome } from '../../../src/crawl/visit/outcome.ts'
import { emptyProgress } from '../../../src/features/executions/records.ts'
import type { Outcome, ProgressRecord } from '../../../src/features/executions/records.ts'
import { normalUrl } from '../../support/normal-url.ts'

const CACHE = { settings: 'settings', maxAgeMs: 1_000 }

/** A page whose body has `length` bytes, each of which is its number. */
function pageOf(seq: number, outcome: Outcome, length: number, isCached = false): VisitOutcome {
  const url = normalUrl(`https://a.example.com/${seq}`)
  const body = new Uint8Array(length).fill(seq)
  const entry = { execution: 'run', seq, url, label: 'start', depth: 0, hop: 1 }
  return {
    ...emptyOutcome(entry, outcome, null),
    cached: isCached,
    kept: { url, status: 200, contentType: 'text/html', body, at: 5, rendered: false },
  }
}

function archive(policy: Partial<ArchivePolicy>, before: Partial<ProgressRecord> = {}) {
  const outcomes = [
    pageOf(1, 'fetched', 4),
    pageOf(2, 'failed', 4),
    pageOf(3, 'unchanged', 3, true),
    pageOf(4, 'fetched', 9),
    pageOf(5, 'fetched', 2),
  ]
  const visits = outcomes.map(({ entry, ...page }) => ({ ...entry, ...page, credits: 0, at: 9 }))
  const archived = archivePages(
    outcomes,
    visits.map((visit) => ({ ...visit, rows: 0 })),
    { keeps: false, cache: null, maxBytes: 100, ...policy },
    { ...emptyProgress('run'), ...before },
    'holder:7',
  )
  return (
    archived && {
      ...archived,
      bytes: archived.bytes.join(''),
      kept: archived.kept.map(({ number, seq, offset, length }) => [number, seq, offset, length]),
      cached: archived.cached.map(({ url, offset, length }) => [url.at(-1), offset, length]),
    }
  )
}

it('nothing is archived if the recipe does not ask for it', () => {
  expect(archive({})).toBeNull()
})

it('pages that were fetched or came from the cache are kept, until the bytes are used up', () => {
  expect(
    archive({ keeps: true, maxBytes: 16 }, { kept: { pages: 3, bytes: 6, omitted: 1 } }),
  ).toEqual({
    blob: 'rows/run/pages/holder-7.bin',
    bytes: '111133355',
    kept: [
      [3, 1, 0, 4],
      [4, 3, 4, 3],
      [5, 5, 7, 2],
    ],
    cached: [],
    counts: { kept: { pages: 6, bytes: 15, omitted: 2 } },
  })
})

it('fetched pages are cached, and pages that came from the cache are not', () => {
  expect(archive({ cache: CACHE, maxBytes: 16 }, { cachedBytes: 6 })).toEqual({
    blob: 'rows/run/cache/holder-7.bin',
    bytes: '111155',
    kept: [],
    cached: [
      ['1', 0, 4],
      ['5', 4, 2],
    ],
    counts: { cachedBytes: 12 },
  })
})

it('a page that is both kept and cached is stored once', () => {
  expect(archive({ keeps: true, cache: CACHE, maxBytes: 10 })).toEqual({
    blob: 'rows/run/pages/holder-7.bin',
    bytes: '111133355',
    kept: [
      [0, 1, 0, 4],
      [1, 3, 4, 3],
      [2, 5, 7, 2],
    ],
    cached: [
      ['1', 0, 4],
      ['5', 7, 2],
    ],
    counts: { kept: { pages: 3, bytes: 9, omitted: 1 }, cachedBytes: 0 },
  })
})
