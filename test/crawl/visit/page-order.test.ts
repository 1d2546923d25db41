import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LocalQueue } from '../../../src/crawl/visit/page-queue.ts'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { normalUrl } from '../../support/normal-url.ts'

interface Page {
  readonly host: number
  readonly isStored: boolean
}
interface Given {
  readonly delayMs: number
  /** The number of pages at the same time, and the time of each visit. */
  readonly concurrency: number
  readonly visitMs: number
}
/** The number of a page in the order of discovery, and the time when it is taken. */
type Taken = readonly [page: number, ms: number]

/** The rule for a run of one process. */
function expected(pages: readonly Page[], { delayMs, concurrency, visitMs }: Given): Taken[] {
  const visits: Taken[] = []
  const nextTimes = new Map<number, number>()
  const left = new Map(pages.entries())
  let ends: number[] = []
  const next = (now: number): number | null => {
    for (const [number, { host, isStored }] of left)
      if (isStored || (nextTimes.get(host) ?? 0) <= now) return number
    return null
  }
  for (
    let now = 0;
    ;
    now = Math.min(...[...ends, ...nextTimes.values()].filter((ms) => ms > now))
  ) {
    ends = ends.filter((end) => end > now)
    while (ends.length < concurrency) {
      const number = next(now)
      const page = number === null ? undefined : left.get(number)
      if (number === null || !page) break
      left.delete(number)
      visits.push([number, now])
      ends.push(now + visitMs)
      if (!page.isStored) nextTimes.set(page.host, now + delayMs)
    }
    if (left.size === 0) return visits
  }
}

/** A clock whose sleepers a test wakes one by one. Each reading advances it by `tickMs`. */
function createStepClock(tickMs: number) {
  const sleepers: { readonly at: number; readonly wake: () => void }[] = []
  let now = 0
  const clock: Clock = {
    now: () => (now += tickMs),
    sleep: (ms) => new Promise((wake) => void sleepers.push({ at: now + ms, wake })),
  }
  return {
    clock,
    /** Wakes the next sleeper; `false` if there is none. */
    async step(): Promise<boolean> {
      const next = sleepers.toSorted((a, b) => a.at - b.at)[0]
      if (!next) return false
      sleepers.splice(sleepers.indexOf(next), 1)
      now = Math.max(now, next.at)
      next.wake()
      for (let job = 0; job < 4; job++) await Promise.resolve()
      return true
    },
  }
}

/**
 * Takes all pages of a run: one whenever fewer than `concurrency` are being visited, each for
 * `visitMs`.
 */
async function takeAll(
  pages: readonly Page[],
  { delayMs, concurrency, visitMs }: Given,
  tickMs = 0,
): Promise<Taken[]> {
  const { clock, step } = createStepClock(tickMs)
  const entries = pages.map(({ host }, seq) => ({
    execution: 'run',
    seq,
    url: normalUrl(`https://h${host}.example/${seq}`),
    label: 'start',
    depth: 0,
    hop: 1,
  }))
  const rest = entries.values()
  const queue = new LocalQueue({
    frontier: { ready: 0, next: () => rest.next().value ?? null, read: async () => [] },
    knownHosts: null,
    politeness: createPoliteness({ clock, delayMs }),
    clock,
    concurrency,
    isStored: ({ seq }) => pages[seq]?.isStored === true,
    visit: () => Promise.reject(new Error('No page is visited here')),
  })
  const pagesTaken: Taken[] = []
  let visited = 0
  const launch = (): void => {
    while (visited < concurrency) {
      const entry = queue.next()
      if (!entry) return
      pagesTaken.push([entry.seq, clock.now()])
      visited++
      void clock.sleep(visitMs).then(() => {
        visited--
        launch()
      })
    }
  }
  void queue.work(new AbortController().signal, launch)
  launch()
  while (await step());
  return pagesTaken
}

const pagesOf = (maxLength: number): fc.Arbitrary<Page[]> =>
  fc.array(
    fc.record({
      host: fc.nat(4),
      isStored: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
    }),
    { maxLength },
  )

const CALM = { delayMs: 1_000, concurrency: 1_000, visitMs: 300 }

it('pages are taken in the order of discovery, each at the time when its host is free', async () => {
  await fc.assert(
    fc.asyncProperty(pagesOf(60), fc.constantFrom(0, 1, 1_000), async (pages, delayMs) => {
      const pagesTaken = await takeAll(pages, { ...CALM, delayMs })
      expect(pagesTaken).toEqual(expected(pages, { ...CALM, delayMs }))
    }),
  )
})

it('the delay of a host is kept also if its pages have waited for other pages', async () => {
  const schedules = fc.record({
    delayMs: fc.constantFrom(0, 100, 1_000),
    concurrency: fc.integer({ min: 1, max: 4 }),
    visitMs: fc.constantFrom(10, 300, 2_700),
  })
  await fc.assert(
    fc.asyncProperty(pagesOf(60), schedules, async (pages, how) => {
      const pagesTaken = await takeAll(pages, how)
      expect(pagesTaken).toEqual(expected(pages, how))
    }),
  )
})

it('hundreds of pages of one host do not keep those of others out', async () => {
  const pages = Array.from({ length: 700 }, (_, page) => ({
    host: page < 500 ? 0 : page % 7,
    isStored: page % 50 === 0,
  }))
  expect(await takeAll(pages, CALM)).toEqual(expected(pages, CALM))
})

it('no page overtakes another one of the same host when that host becomes free', async () => {
  const pages = Array.from({ length: 50 }, () => ({ host: 0, isStored: false }))
  const pagesTaken = await takeAll(pages, { ...CALM, delayMs: 7 }, 1)
  expect(pagesTaken.map(([page]) => page)).toEqual([...pages.keys()])
})
