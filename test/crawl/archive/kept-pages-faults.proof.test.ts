import { describe, expect, it } from 'vitest'
import type { ExtractInput } from '../../../src/features/executions/kept-pages.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createRecords } from '../../../src/features/records.ts'
import { committedApart, FAULTS } from '../../support/stores/fault-store.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { playFaults } from '../../support/stores/play-fault.ts'
import type { OpenRuns } from '../../support/stores/play-fault.ts'
import { createWatchedWorld } from '../../support/worlds/watched-world.ts'
import { OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const LISTS = 3
const WEB = Object.fromEntries([
  ...Array.from({ length: LISTS }, (_, n): [string, string] => [
    `${SITE}/list/${n}`,
    `<a class="p" href="/p/${n}">p</a>${n + 1 < LISTS ? `<a class="next" href="/list/${n + 1}">n</a>` : ''}`,
  ]),
  ...Array.from({ length: LISTS }, (_, n): [string, string] => [
    `${SITE}/p/${n}`,
    `<h1>Pen ${n}</h1><i class="stock">${n * 3}</i>`,
  ]),
])
const RECIPE = {
  start: { urls: [`${SITE}/list/0`] },
  follow: [{ links: 'a.p', as: 'detail' }, { next: 'a.next' }],
  page: { keep: true },
  crawl: { concurrency: 2 },
  extract: { on: 'detail', fields: { title: 'h1' } },
}
const CHANGED: ExtractInput = {
  recipe: {
    extract: { on: 'detail', fields: { title: 'h1', stock: { css: '.stock', as: 'integer' } } },
  },
}
const ROWS = Array.from({ length: LISTS }, (_, n) => ({ title: `Pen ${n}`, stock: n * 3 }))

/** The contradictions among counters, records and bytes of kept pages. */
async function contradictions(store: Store, blobs: Blobs): Promise<string[]> {
  const records = createRecords(store)
  const broken: string[] = []
  for (const { value: execution } of await records.executions.list(OWNER.account, { limit: 10 })) {
    const within = [execution.id]
    const [pages, visits, progress] = await Promise.all([
      records.keptPages.list(OWNER.account, { within, limit: 100 }),
      records.visits.list(OWNER.account, { within, limit: 100 }),
      records.progress.get(OWNER.account, execution.id),
    ])
    const fetched = visits
      .filter(({ value }) => value.outcome === 'fetched')
      .map(({ value }) => value.seq)
    if (
      JSON.stringify(pages.map(({ value }) => value.seq).toSorted()) !==
      JSON.stringify(fetched.toSorted())
    )
      broken.push('not the fetched pages are kept')
    if (
      pages.some(({ value }, n) => value.number !== n) ||
      (progress?.value.kept?.pages ?? 0) !== pages.length
    )
      broken.push('kept pages are not counted')
    for (const { value } of pages)
      if (((await blobs.get(value.blob))?.length ?? 0) < value.offset + value.length)
        broken.push('a kept page has no bytes')
  }
  return broken
}

type Stage = 'keep' | 'extract'

/** A run that keeps pages and a run that reads them; a commit of one of them has a fault. */
const runBoth =
  (stage: Stage) =>
  async ({ world, broken, work }: OpenRuns): Promise<void> => {
    const first = await world.start(RECIPE)
    await work(first, stage === 'keep')
    const requests = [...world.web.requests]
    const second = (await world.platform.api.executions.extract(OWNER, first, CHANGED)).id
    await work(second, stage === 'extract')
    const { status, counters, cost } = await world.read(second)
    const rows = await world.rows(second)
    if (
      status !== 'succeeded' ||
      counters.unchanged !== 2 * LISTS ||
      counters.discovered !== 2 * LISTS ||
      cost.credits !== 0
    )
      broken.add('the second run is not exact')
    if (
      JSON.stringify(rows.toSorted((a, b) => Number(a['stock']) - Number(b['stock']))) !==
      JSON.stringify(ROWS)
    )
      broken.add('the rows are not exact')
    if (JSON.stringify([...world.web.requests]) !== JSON.stringify(requests))
      broken.add('the web was asked')
    for (const { subject, message } of (await world.platform.verify()).differences)
      broken.add(`verify: ${subject} ${message}`)
  }

const enumerate = (fault: Fault, stage: Stage, spoil?: (store: Store) => Store) =>
  playFaults(fault, {
    open: () => createWatchedWorld(WEB, { more: contradictions }),
    run: runBoth(stage),
    spoil,
  })

describe.each(['keep', 'extract'] as const)(
  'each commit of a run fails in each possible way: %s',
  (stage) => {
    it.each(FAULTS)('%s', async (fault) => {
      const { scenarios, broken } = await enumerate(fault, stage)
      expect(broken).toEqual([])
      expect(scenarios).toBeGreaterThan(5)
    })
  },
)

it('planted: the checks notice pages that are kept in a commit of their own', async () => {
  const spoil = committedApart('kept-pages')
  expect((await enumerate('crash-before', 'keep', spoil)).broken).not.toEqual([])
})
