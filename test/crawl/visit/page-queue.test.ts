import { expect, it } from 'vitest'
import { LocalQueue } from '../../../src/crawl/visit/page-queue.ts'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { normalUrl } from '../../support/normal-url.ts'

const START = Date.UTC(2026, 0, 1)

/** A queue of URLs on hosts that want a second between two requests. */
function openQueue(urls: readonly string[], isStored: (url: string) => boolean = () => false) {
  const clock = createFakeClock(START)
  const politeness = createPoliteness({ clock, delayMs: 1_000 })
  const entries = urls.map((url, seq) => ({
    execution: 'run',
    seq,
    url: normalUrl(`https://${url}`),
    label: 'start',
    depth: 0,
    hop: 1,
  }))
  const rest = entries.toReversed()
  const queue = new LocalQueue({
    frontier: {
      get ready() {
        return rest.length
      },
      next: () => rest.pop() ?? null,
      read: async () => [],
    },
    knownHosts: null,
    politeness,
    clock,
    concurrency: 8,
    isStored: (entry) => isStored(entry.url),
    visit: () => Promise.reject(new Error('No page is visited here')),
  })
  const stop = new AbortController()
  let wakes = 0
  void queue.work(stop.signal, () => void wakes++)
  return {
    queue,
    clock,
    politeness,
    stop: () => stop.abort(),
    wakes: () => wakes,
    /** All pages that may be visited now. */
    take(): string[] {
      const addresses: string[] = []
      for (let entry = queue.next(); entry; entry = queue.next())
        addresses.push(entry.url.slice('https://'.length))
      return addresses
    },
    /** How many pages wait, and the shortest of their waits. */
    waiting: () => [queue.waiting, queue.wait],
  }
}

it('pages are taken in the order of discovery, and the queue wakes for pages that wait', async () => {
  const { take, waiting, clock, wakes } = openQueue(['a/1', 'a/2', 'b/1', 'a/3', 'b/2'])
  expect(take()).toEqual(['a/1', 'b/1'])
  expect(waiting()).toEqual([3, 1_000])
  expect(wakes()).toBe(0)
  await clock.advance(1_000)
  expect(wakes()).toBe(1)
  expect(take()).toEqual(['a/2', 'b/2'])
  await clock.advance(1_000)
  expect(wakes()).toBe(2)
  expect(take()).toEqual(['a/3'])
  expect(waiting()).toEqual([0, 0])
  await clock.advance(10_000)
  expect(wakes()).toBe(2)
})

it('pages wait longer if their host has asked for a pause, and the delay holds after it', async () => {
  const { take, waiting, clock, politeness } = openQueue(['a/1', 'a/2', 'a/3'])
  expect(take()).toEqual(['a/1'])
  politeness.finished('https://a/1', { status: 429, retryAfterMs: 5_000 })
  await clock.advance(1_000)
  expect(take()).toEqual([])
  expect(waiting()).toEqual([2, 4_000])
  await clock.advance(4_000)
  expect(take()).toEqual(['a/2'])
  expect(waiting()).toEqual([1, 1_000])
})

it('a delay that becomes known while pages wait is kept, and media of their host go first', async () => {
  const { take, waiting, clock, politeness } = openQueue(['a/1', 'a/2', 'a/3'])
  expect(take()).toEqual(['a/1'])
  politeness.setCrawlDelay('https://a/1', 3_000)
  await clock.advance(1_000)
  expect([take(), waiting()]).toEqual([[], [2, 2_000]])
  expect(politeness.reserve('https://a/1.png')).toBe(START + 3_000)
  await clock.advance(2_000)
  expect([take(), waiting()]).toEqual([[], [2, 3_000]])
  await clock.advance(3_000)
  expect([take(), waiting()]).toEqual([['a/2'], [1, 3_000]])
})

it('a stored page does not wait for its host', () => {
  const { take, waiting } = openQueue(['a/1', 'a/2', 'a/3'], (url) => url.endsWith('/2'))
  expect(take()).toEqual(['a/1', 'a/2'])
  expect(waiting()).toEqual([1, 1_000])
})

it('the number of waiting pages is bounded, and a stopped queue wakes no sleeper', async () => {
  const { queue, take, clock, stop, wakes } = openQueue(
    Array.from({ length: 21_000 }, (_, index) => `a/${index}`),
  )
  expect(take()).toEqual(['a/0'])
  expect([queue.waiting, queue.wait]).toEqual([20_000, 1_000])
  stop()
  await clock.advance(10_000)
  expect(wakes()).toBe(0)
})
