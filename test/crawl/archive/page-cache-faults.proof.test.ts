import { describe, expect, it } from 'vitest'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Store } from '../../../src/ports/store.ts'
import { createRecords } from '../../../src/features/records.ts'
import { committedApart, FAULTS } from '../../support/stores/fault-store.ts'
import type { Fault } from '../../support/stores/fault-store.ts'
import { playFaults } from '../../support/stores/play-fault.ts'
import type { OpenRuns } from '../../support/stores/play-fault.ts'
import { createWatchedWorld } from '../../support/worlds/watched-world.ts'
import { LEASE_MS, OWNER } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const LISTS = 3
const AGE = 86_400
const WEB = Object.fromEntries([
  ...Array.from({ length: LISTS }, (_, n): [string, string] => [
    `${SITE}/list/${n}`,
    `<a class="p" href="/p/${n}">p</a>${n + 1 < LISTS ? `<a class="next" href="/list/${n + 1}">n</a>` : ''}`,
  ]),
  ...Array.from({ length: LISTS }, (_, n): [string, string] => [
    `${SITE}/p/${n}`,
    `<h1>Pen ${n}</h1>`,
  ]),
])
const RECIPE = {
  start: { urls: [`${SITE}/list/0`] },
  follow: [{ links: 'a.p', as: 'detail' }, { next: 'a.next' }],
  page: { maxAgeSeconds: AGE },
  crawl: { concurrency: 2 },
  extract: { on: 'detail', fields: { title: 'h1' } },
}
const ROWS = Array.from({ length: LISTS }, (_, n) => `Pen ${n}`)

/** The contradictions among records of cached pages, the receipt and the bytes. */
async function contradictions(store: Store, blobs: Blobs): Promise<string[]> {
  const records = createRecords(store)
  const broken: string[] = []
  const fetched = new Set(
    (await records.visits.list(OWNER.account, { limit: 100 })).flatMap(({ value }) =>
      value.outcome === 'fetched' ? [value.url] : [],
    ),
  )
  const pages = await records.cachedPages.list(OWNER.account, { limit: 100 })
  if (pages.length !== fetched.size || pages.some(({ value }) => !fetched.has(value.url)))
    broken.push('not the fetched pages are cached')
  for (const { value } of pages)
    if (((await blobs.get(value.blob))?.length ?? 0) < value.offset + value.length)
      broken.push('a cached page has no bytes')
  return broken
}

type Stage = 'write' | 'read'

/** A run that caches pages and a run that reads them; a commit of one of them has a fault. */
function enumerate(fault: Fault, stage: Stage, spoil?: (store: Store) => Store) {
  let isYoung = true
  const open = () => {
    isYoung = true
    return createWatchedWorld(WEB, {
      more: async (base, blobs) => (isYoung ? contradictions(base, blobs) : []),
    })
  }
  const run = async ({ world, broken, work }: OpenRuns): Promise<void> => {
    const first = await world.start(RECIPE)
    await work(first, stage === 'write')
    const sent = requests(world)
    const second = await world.start(RECIPE)
    await work(second, stage === 'read')
    for (const [id, outcome, credits] of [
      [first, 'fetched', 2 * LISTS],
      [second, 'unchanged', 0],
    ] as const) {
      const { status, counters, cost } = await world.read(id)
      if (
        status !== 'succeeded' ||
        counters[outcome] !== 2 * LISTS ||
        counters.discovered !== 2 * LISTS ||
        cost.credits !== credits
      )
        broken.add(`the run that should have ${outcome} pages is not exact`)
      if (
        JSON.stringify((await world.rows(id)).map(({ title }) => title).toSorted()) !==
        JSON.stringify(ROWS)
      )
        broken.add('the rows are not exact')
    }
    if (requests(world) !== sent) broken.add('the web was asked')
    for (const { subject, message } of (await world.platform.verify()).differences)
      broken.add(`verify: ${subject} ${message}`)
    isYoung = false
    await world.clock.advance(AGE * 1_000 + LEASE_MS)
    await world.work()
    if ((await world.blobs.list('')).some((name) => name.includes('/cache/')))
      broken.add('a blob is left over')
  }
  return playFaults(fault, { open, run, spoil })
}

/** The URLs of pages, with the number of requests for each. */
function requests({ web }: World): string {
  return JSON.stringify([...web.requests].filter(([url]) => !url.endsWith('/robots.txt')))
}

describe.each(['write', 'read'] as const)(
  'each commit of a run with cached pages fails in each possible way: %s',
  (stage) => {
    it.each(FAULTS)('%s', async (fault) => {
      const { scenarios, broken } = await enumerate(fault, stage)
      expect(broken).toEqual([])
      expect(scenarios).toBeGreaterThan(5)
    })
  },
)

it('planted: the checks notice pages that are cached in a commit of their own', async () => {
  const spoil = committedApart('cached-pages')
  expect((await enumerate('crash-before', 'write', spoil)).broken).not.toEqual([])
})
