import { expect, test } from 'vitest'
import { createEgress } from '../../../src/engine/egress/egress.ts'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import { fetchPage } from '../../../src/engine/visit/fetch-page.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import type { Answer } from '../../support/fakes/fake-web.ts'
import { normalUrl } from '../../support/normal-url.ts'

// Pages of one host are asked for with the delay between them, whatever comes before each request.

const SITE = 'https://a.example.com'
const DELAY = 3_000

/**
 * Visits pages of a host in turns, and returns the times of its requests for pages, and the reasons
 * of their outcomes.
 */
async function visitAll(
  pages: Record<string, Answer>,
  robotsMs: number,
): Promise<{ times: number[]; reasons: (string | undefined)[] }> {
  const clock = createFakeClock()
  const start = clock.now()
  const times: number[] = []
  const politeness = createPoliteness({ clock, delayMs: DELAY })
  const egress = createEgress({ fetcher: createFakeWeb(pages), clock })
  const learned = clock.sleep(robotsMs, new AbortController().signal)
  const visits = Object.keys(pages).map(async (page) => {
    const url = normalUrl(page)
    // As a queue does: a page begins when its host's turn has come.
    const { signal } = new AbortController()
    await clock.sleep(politeness.reserve(url) - clock.now(), signal)
    return fetchPage(url, {
      egress: async (request) => {
        times.push(clock.now() - start)
        return egress(request)
      },
      robots: {
        check: async () => {
          await learned
          return { allowed: true, crawlDelayMs: null, sitemaps: [] }
        },
      },
      politeness,
      headers: {},
      timeoutMs: 30_000,
      clock,
      signal,
    })
  })
  const visited = await clock.runUntil(Promise.all(visits))
  return { times, reasons: visited.map(({ reason }) => reason?.code) }
}

async function timesOf(pages: Record<string, Answer>, robotsMs: number): Promise<number[]> {
  return (await visitAll(pages, robotsMs)).times
}

const PAGES = { [`${SITE}/1`]: 'one', [`${SITE}/2`]: 'two', [`${SITE}/3`]: 'three' }

test('the delay counts from the request for a page, not from the one for robots.txt', async () => {
  expect(await timesOf(PAGES, 250)).toEqual([250, 3_250, 6_250])
})

test('pages that waited for one robots.txt are not asked for at once', async () => {
  expect(await timesOf(PAGES, 20_000)).toEqual([20_000, 23_000, 26_000])
})

test('a page that is asked for again keeps the delay to the others', async () => {
  const busy = (nth: number): Answer => (nth === 1 ? { status: 500 } : 'one')
  const times = await timesOf({ ...PAGES, [`${SITE}/1`]: busy }, 0)
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  expect(times).toHaveLength(4)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(DELAY)
})

/** The first answer asks for a pause, the next one is a page. */
const asksFor =
  (seconds: number): Answer =>
  (nth: number) =>
    nth === 1 ? { status: 429, headers: { 'retry-after': String(seconds) } } : 'one'

test('a pause that begins while pages wait for their turn is kept, and the delay after it', async () => {
  const { times, reasons } = await visitAll({ ...PAGES, [`${SITE}/1`]: asksFor(10) }, 20_000)
  expect(times).toEqual([20_000, 30_000, 33_000, 36_000])
  expect(reasons).toEqual([undefined, undefined, undefined])
})

test('a page whose turn comes during a long pause is not asked for', async () => {
  const { times, reasons } = await visitAll({ ...PAGES, [`${SITE}/1`]: asksFor(60) }, 20_000)
  expect(times).toEqual([20_000])
  expect(reasons).toEqual(['http_429', 'host_paused', 'host_paused'])
})
