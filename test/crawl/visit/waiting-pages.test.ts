import { expect, it } from 'vitest'
import { storableRest } from '../../../src/crawl/run/run-options.ts'
import { LocalQueue } from '../../../src/crawl/visit/page-queue.ts'
import { WaitingPages } from '../../../src/crawl/visit/waiting-pages.ts'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import type { FrontierRecord } from '../../../src/features/executions/records.ts'
import type { VisitOutcome } from '../../../src/crawl/visit/outcome.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { normalUrl } from '../../support/normal-url.ts'

const DELAY_MS = 10_000

interface Given {
  readonly urls: readonly string[]
  readonly knownHosts?: readonly string[] | null
  /** Numbers of pages that the store no longer has. */
  readonly gone?: ReadonlySet<number>
  readonly delayMs?: number
  /** Characters that each page takes in memory besides its URL. */
  readonly padding?: number
}

/** A queue of a run whose store has these pages. */
function openQueue({
  urls,
  knownHosts = null,
  gone = new Set(),
  delayMs = DELAY_MS,
  padding = 0,
}: Given) {
  const foundOn = 'x'.repeat(padding)
  const clock = createFakeClock(0)
  const politeness = createPoliteness({ clock, delayMs })
  const entryOf = (seq: number): FrontierRecord => ({
    execution: 'run',
    seq,
    url: normalUrl(`https://${urls[seq]}`),
    label: 'start',
    depth: 0,
    hop: 1,
    foundOn,
  })
  let position = 0
  const reads: number[] = []
  const ends: ((end: 'done' | 'failed') => void)[] = []
  const queue = new LocalQueue({
    frontier: {
      get ready() {
        return urls.length - position
      },
      next: () => (position < urls.length ? entryOf(position++) : null),
      async read(seqs) {
        reads.push(seqs.length)
        return seqs.map((seq) => (gone.has(seq) ? null : entryOf(seq)))
      },
    },
    politeness,
    clock,
    concurrency: 10_000,
    isStored: () => false,
    knownHosts,
    visit: () =>
      new Promise<VisitOutcome>((_, reject) => {
        ends.push((end) => reject(new Error(end)))
      }),
  })
  let wakes = 0
  void queue.work(new AbortController().signal, () => void wakes++)
  /** All pages that may be taken now. */
  const take = async (): Promise<FrontierRecord[]> => {
    const pages: FrontierRecord[] = []
    for (;;) {
      for (let page = queue.next(); page; page = queue.next()) pages.push(page)
      if (!queue.isLow) return pages
      await queue.fill()
    }
  }
  return { queue, clock, politeness, take, reads, ends, wakes: () => wakes }
}

const pathsOf = (pages: readonly FrontierRecord[]): string[] =>
  pages.map(({ url }) => url.slice('https://'.length))

it('all hosts are kept busy, though the pages of the first ones fill the memory', async () => {
  const hosts = 1_000
  const pages = 30
  const urls = Array.from({ length: hosts * pages }, (_, seq) =>
    seq < hosts
      ? `h${seq}/`
      : `h${Math.floor((seq - hosts) / (pages - 1))}/${((seq - hosts) % (pages - 1)) + 1}`,
  )
  const { clock, take, reads, queue } = openQueue({ urls, padding: 2_000 })
  for (let round = 0; round < pages; round++) {
    const batch = await take()
    expect(batch.length).toBe(hosts)
    const page = round === 0 ? '' : round
    expect(pathsOf(batch).filter((path, host) => path !== `h${host}/${page}`)).toEqual([])
    await clock.advance(DELAY_MS)
  }
  expect([await take(), queue.waiting]).toEqual([[], 0])
  // Some 12,000 pages fit. Those of many hosts are read together.
  const read = reads.reduce((sum, count) => sum + count, 0)
  expect(read).toBeGreaterThan(10_000)
  expect(read / reads.length).toBeGreaterThan(100)
}, 30_000)

it('pages that only the store has keep their order, though others come while they are read', async () => {
  const urls = [
    ...Array.from({ length: 4_000 }, (_, page) => `a/${page}`),
    ...Array.from({ length: 400 }, (_, page) => (page % 2 === 0 ? `a/b${page}` : `c/${page}`)),
  ]
  const { clock, take, queue, reads } = openQueue({
    urls,
    delayMs: 1,
    gone: new Set([3_500]),
    padding: 8_000,
  })
  const seqs: number[] = []
  for (let round = 0; round < 4_300; round++) {
    const adding = queue.isLow ? queue.fill() : null
    seqs.push(
      ...(await take()).filter(({ url }) => url.startsWith('https://a/')).map(({ seq }) => seq),
    )
    await adding
    await clock.advance(1)
  }
  const own = urls.flatMap((url, seq) => (url.startsWith('a/') && seq !== 3_500 ? [seq] : []))
  expect(seqs).toEqual(own)
  expect(queue.waiting).toBe(0)
  // Those of a few hosts are read together, too.
  expect(reads.length).toBeGreaterThan(0)
  expect(reads.length).toBeLessThan(20)
}, 30_000)

/** Pages that wait for hosts which may be asked in ten seconds, apart from a queue. */
function openPages() {
  let now = 0
  const clock = { now: () => now, sleep: () => Promise.resolve() }
  const politeness = createPoliteness({ clock, delayMs: DELAY_MS })
  const waiting = new WaitingPages({ politeness, clock, knownHosts: null })
  const urls: string[] = []
  const read = (seq: number, padding: number): FrontierRecord => ({
    execution: 'run',
    seq,
    url: normalUrl(`https://${urls[seq]}`),
    label: 'start',
    depth: 0,
    hop: 1,
    foundOn: 'x'.repeat(padding),
  })
  return {
    waiting,
    /** Meets a page; the first one of each host is taken at once. */
    meet: (path: string, padding = 0) => waiting.pass(read(urls.push(path) - 1, padding)),
    /** Takes every page at its time. `areGone`: the store has none of them. */
    async drain(areGone = false): Promise<number> {
      let count = 0
      while (waiting.size > 0) {
        while (waiting.isLow)
          await waiting.fill(async (seqs) => seqs.map((seq) => (areGone ? null : read(seq, 0))))
        while (waiting.next()) count++
        now += DELAY_MS
      }
      return count
    },
  }
}

it('waiting pages take a bounded number of bytes, and none when they were taken', async () => {
  const { waiting, meet, drain } = openPages()
  let hosts = 0
  for (; !waiting.isFull; hosts++)
    for (let page = 0; page < 4; page++) meet(`h${hosts}/${page}`, 9_000)
  // Two pages of each host are in memory, and all of them below half of the bound.
  expect(hosts).toBeGreaterThan(2_000)
  expect(hosts).toBeLessThan(3_000)
  expect(await drain()).toBe(3 * hosts)
  expect(waiting.isFull).toBe(false)
})

it('pages that the store no longer has do not keep others out', async () => {
  const { waiting, meet, drain } = openPages()
  for (let page = 0; page < 4; page++) meet(`a/${page}`, 9_000_000)
  for (let page = 0; page < 20_100; page++) meet(`b/${page}`)
  expect(waiting.isFull).toBe(true)
  expect(waiting.size).toBeGreaterThan(20_000)
  // Two pages of each host are in memory, and a third one of the first, which came before the bound.
  expect(await drain(true)).toBe(5)
  expect(waiting.isFull).toBe(false)
})

it('the first page of a host whose robots.txt is not known is visited alone', async () => {
  const { queue, politeness, take, ends, wakes, clock } = openQueue({
    urls: ['a/1', 'a/2', 'b/1', 'b/2', 'a/3'],
    knownHosts: ['b'],
    delayMs: 0,
  })
  const batch = await take()
  expect(pathsOf(batch)).toEqual(['a/1', 'b/1', 'b/2'])
  expect([queue.waiting, queue.wait]).toEqual([2, 0])
  const signal = new AbortController().signal
  const visits = batch.map((page) => queue.visit(page, signal).catch(() => {}))
  expect(pathsOf(await take())).toEqual([])
  politeness.setCrawlDelay('https://a/1', 3_000)
  for (const end of ends) end('failed')
  await Promise.all(visits)
  expect(wakes()).toBe(1)
  expect([pathsOf(await take()), queue.wait]).toEqual([[], 3_000])
  await clock.advance(3_000)
  expect(pathsOf(await take())).toEqual(['a/2'])
  await clock.advance(3_000)
  expect(pathsOf(await take())).toEqual(['a/3'])
})

const hostsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    host: `h${index}`,
    // In no order, and each with another time.
    next: 10_000 + ((index * 7) % count),
    crawlDelayMs: 0,
    backoffMs: 0,
  }))

it('a run that is put down stores the times of its hosts, if they are not too many', () => {
  const rest = { resumeAt: 5, hosts: hostsOf(1_000) }
  expect(storableRest(rest)).toBe(rest)
})

it('a run of many hosts resumes when those without a stored time may be asked', () => {
  const hosts = hostsOf(3_001)
  const { resumeAt, hosts: stored } = storableRest({ resumeAt: 5, hosts })
  expect(stored).toHaveLength(1_000)
  const names = new Set(stored.map(({ host }) => host))
  const others = hosts.filter(({ host }) => !names.has(host))
  expect(resumeAt).toBe(Math.max(...others.map(({ next }) => next)))
  expect(Math.min(...stored.map(({ next }) => next))).toBeGreaterThan(resumeAt)
  expect(storableRest({ resumeAt: 20_000, hosts }).resumeAt).toBe(20_000)
})
