import { expect, it } from 'vitest'
import { createEgress } from '../../../src/engine/egress/egress.ts'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import { createRobots } from '../../../src/engine/site/robots.ts'
import { fetchPage } from '../../../src/engine/visit/fetch-page.ts'
import {
  MOST_TRAIL_BYTES,
  TOLD_HEADERS,
  VisitNotes,
} from '../../../src/engine/visit/visit-trail.ts'
import type { VisitTrail } from '../../../src/engine/visit/visit-trail.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import type { Answer } from '../../support/fakes/fake-web.ts'
import { normalUrl } from '../../support/normal-url.ts'

// Proves what a receipt tells of the way to a page, and how much of it.

const SITE = 'https://a.example.com'
const START = normalUrl(`${SITE}/`)

/** The trail of a page that is fetched, and read in 7 ms. */
async function trailOf(pages: Record<string, Answer>): Promise<VisitTrail | null> {
  const clock = createFakeClock()
  const fetcher = createFakeWeb(pages)
  const { send } = fetcher
  const egress = createEgress({
    clock,
    fetcher: {
      ...fetcher,
      // A name takes 2 ms, and each request 10.
      async resolve(host, signal) {
        await clock.sleep(2, signal)
        return fetcher.resolve(host, signal)
      },
      async send(hop) {
        await clock.sleep(10, hop.signal)
        const answer = await send(hop)
        return { ...answer, timings: { connectMs: 3.4, firstByteMs: 8.6 } }
      },
    },
  })
  const politeness = createPoliteness({ clock, delayMs: 0 })
  politeness.reserve(START)
  const notes = new VisitNotes(START)
  const startedAt = clock.now()
  const robots = createRobots({ egress, clock, userAgentToken: 'Seine' })
  const { signal } = new AbortController()
  await clock.runUntil(
    fetchPage(START, {
      egress,
      robots,
      clock,
      politeness,
      headers: {},
      timeoutMs: 100,
      signal,
      notes,
    }),
  )
  return notes.trail(startedAt, clock.now() + 7)
}

const robotsTxt = (...lines: string[]): Answer => ({
  headers: { 'content-type': 'text/plain' },
  body: ['User-agent: *', ...lines].join('\n'),
})

it('a page tells its robots rule, its times and some headers, and never a cookie', async () => {
  expect(
    await trailOf({
      [`${SITE}/robots.txt`]: robotsTxt('Disallow: /x', 'Allow: /'),
      [START]: { headers: { etag: '"1"', server: 'nginx', 'set-cookie': 'a=secret' }, body: 'x' },
    }),
  ).toEqual({
    robots: { allowed: true, rule: 'Allow: /' },
    // robots.txt takes 12 ms, and the page as many.
    ms: { wait: 12, dns: 2, connect: 3, firstByte: 9, fetch: 12, read: 7 },
    headers: { 'content-type': 'text/html; charset=utf-8', etag: '"1"', server: 'nginx' },
  })
})

it('the redirects are those of the last try, and its pauses are time that was waited', async () => {
  expect(
    await trailOf({
      [START]: (nth) => ({ status: 302, headers: { location: nth === 1 ? '/down' : '/moved' } }),
      [`${SITE}/down`]: { status: 503 },
      [`${SITE}/moved`]: { status: 301, headers: { location: '/end' } },
      [`${SITE}/end`]: 'end',
    }),
  ).toEqual({
    tries: 2,
    redirects: [
      [START, 302],
      [`${SITE}/moved`, 301],
    ],
    robots: { allowed: true, url: `${SITE}/end` },
    ms: { wait: 12 + 24 + 1_000, dns: 2, connect: 3, firstByte: 9, fetch: 36, read: 7 },
    headers: { 'content-type': 'text/html; charset=utf-8' },
  })
})

it('a page that robots.txt forbids tells the rule, and one that fails tells how far it came', async () => {
  expect(await trailOf({ [`${SITE}/robots.txt`]: robotsTxt('Disallow: /') })).toEqual({
    tries: 0,
    robots: { allowed: false, rule: 'Disallow: /' },
    ms: { wait: 19 },
  })
  expect(
    await trailOf({
      [`${SITE}/robots.txt`]: robotsTxt('Disallow: /private'),
      [START]: { status: 302, headers: { location: '/private/1' } },
    }),
  ).toMatchObject({
    redirects: [[START, 302]],
    robots: { allowed: false, rule: 'Disallow: /private', url: `${SITE}/private/1` },
  })
  expect(await trailOf({ [START]: 'down' })).toMatchObject({ tries: 3 })
  // A robots.txt that cannot be reached judges nothing, and nothing else was asked.
  expect(await trailOf({ [`${SITE}/robots.txt`]: 'down' })).toBeNull()
})

it('the robots rule is that of the last address, not of an earlier try or an earlier redirect', async () => {
  const other = 'https://b.example.com'
  const led = { status: 302, headers: { location: `${other}/x` } }
  const web = {
    [`${SITE}/robots.txt`]: robotsTxt('Allow: /'),
    [`${other}/robots.txt`]: robotsTxt('Allow: /x'),
    [`${other}/x`]: { status: 503 },
  }
  expect(await trailOf({ ...web, [START]: (nth) => (nth === 1 ? led : 'page') })).toMatchObject({
    tries: 2,
    robots: { allowed: true, rule: 'Allow: /' },
  })
  expect(await trailOf({ ...web, [START]: led })).toMatchObject({
    tries: 3,
    robots: { allowed: true, rule: 'Allow: /x', url: `${other}/x` },
  })
  // A file that cannot be read says nothing, and what is said of the page is not said of another.
  const unread = await trailOf({ ...web, [START]: led, [`${other}/robots.txt`]: 'down' })
  expect(unread).toMatchObject({ redirects: [[START, 302]] })
  expect(unread).not.toHaveProperty('robots')
})

it('a trail is small, whatever a site answers', () => {
  const notes = new VisitNotes(START)
  const long = '語\u0001\u{1F600}'.repeat(10_000)
  const longUrl = `${SITE}/${'x'.repeat(8_000)}`
  notes.judged(longUrl, {
    allowed: false,
    reason: 'disallowed',
    detail: '',
    rule: `Disallow: ${long}`,
  })
  notes.sent(0)
  for (let hop = 0; hop < 100; hop++)
    notes.came({ url: longUrl, status: 302, headers: {}, leadsOn: true })
  notes.came({
    url: START,
    status: 200,
    headers: Object.fromEntries([...TOLD_HEADERS, 'x-own'].map((name) => [name, long])),
    leadsOn: false,
  })
  notes.ended(5)
  const trail = notes.trail(0, 10)
  if (trail === null) throw new Error('There is no trail')
  expect(Buffer.byteLength(JSON.stringify(trail))).toBeLessThan(MOST_TRAIL_BYTES)
  expect(trail.redirects).toHaveLength(10)
  const texts = [trail.robots?.rule ?? '', ...Object.values(trail.headers ?? {})]
  for (const text of [...texts, ...(trail.redirects ?? []).map(([url]) => url)]) {
    expect(text).toMatch(/[^\p{Cc}]…$/u)
    expect(text.isWellFormed()).toBe(true)
  }
  expect(Object.keys(trail.headers ?? {})).toEqual([...TOLD_HEADERS])
})
