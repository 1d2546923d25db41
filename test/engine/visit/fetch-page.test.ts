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

/** Visits pages of a host in turns, and returns the times of its requests for pages. */
async function timesOf(pages: Record<string, Answer>, robotsMs: number): Promise<number[]> {
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
  await clock.runUntil(Promise.all(visits))
  return times
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
