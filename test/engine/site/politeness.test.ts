import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import type { PolitenessOptions } from '../../../src/engine/site/politeness.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'

const A = 'https://a.com/x'
const B = 'https://b.com/x'

function setUp(options: Partial<PolitenessOptions> = {}) {
  const clock = createFakeClock()
  return { clock, polite: createPoliteness({ clock, delayMs: 0, ...options }) }
}

test('no request waits without a delay', () => {
  const { clock, polite } = setUp()
  for (let index = 0; index < 100; index++) {
    expect([polite.nextDelay(A), polite.reserve(A), polite.pausedUntil(A)]).toEqual([
      0,
      clock.now(),
      0,
    ])
    polite.reserve(A)
    polite.setCrawlDelay(A, null)
    polite.finished(A, { status: 200 })
  }
})

test('requests to a host with a delay wait for each other, and other hosts go on', async () => {
  const { clock, polite } = setUp({ delayMs: 1_000 })
  const start = clock.now()
  expect(
    [polite.reserve(A), polite.reserve('https://a.com/other'), polite.reserve('https://a.com')].map(
      (time) => time - start,
    ),
  ).toEqual([0, 1_000, 2_000])
  expect(polite.nextDelay(A)).toBe(3_000)
  expect(polite.nextDelay(B)).toBe(0)
  expect(polite.nextDelay('https://a.com:8443/')).toBe(0)
  await clock.advance(5_000)
  expect(polite.nextDelay(A)).toBe(0)
  polite.reserve(A)
  expect(polite.nextDelay(A)).toBe(1_000)
})

test.for([
  [500, 1_000],
  [2_000, 2_000],
  [90_000, 30_000],
  [-5, 1_000],
] as const)('a crawl delay of %i ms makes a delay of %i ms', ([crawlDelay, wait]) => {
  const { polite } = setUp({ delayMs: 1_000 })
  polite.reserve(A)
  polite.setCrawlDelay(A, crawlDelay)
  expect(polite.nextDelay(A)).toBe(wait)
})

test('a crawl delay counts from the request that showed it', () => {
  const { polite } = setUp()
  polite.reserve(A)
  polite.setCrawlDelay(A, 5_000)
  polite.setCrawlDelay(A, 5_000)
  expect(polite.nextDelay(A)).toBe(5_000)
  polite.setCrawlDelay(A, null)
  polite.setCrawlDelay(B, null)
  expect(polite.nextDelay(B)).toBe(0)
})

test('the state of a host is given to another process, and a part of it is stored', async () => {
  const { clock, polite } = setUp()
  const start = clock.now()
  expect(polite.timingOf(A)).toEqual({ next: start, spacing: 0 })
  polite.reserve(A)
  polite.setCrawlDelay(A, 500)
  polite.finished(B, { status: 429, retryAfterMs: 5_000 })
  expect(polite.timingOf(A)).toEqual({ next: start + 500, spacing: 500 })
  expect(polite.timingOf(B)).toEqual({ next: start + 5_000, spacing: 1_000 })
  const hosts = [
    { host: 'a.com', next: start + 500, crawlDelayMs: 500, backoffMs: 0 },
    { host: 'b.com', next: start + 5_000, crawlDelayMs: 0, backoffMs: 1_000 },
  ]
  expect(polite.hosts()).toEqual(hosts)
  expect(createPoliteness({ clock, delayMs: 0, hosts }).hosts()).toEqual(hosts)
  await clock.advance(1_000)
  expect(polite.timingOf(A)).toEqual({ next: start + 1_000, spacing: 500 })
})

describe('a host that asks for fewer requests', () => {
  test.for([{ status: 429 }, { status: 503 }, { status: null, timedOut: true }])(
    'by %j is requested more and more slowly',
    (answer) => {
      const { polite } = setUp()
      const waits = Array.from({ length: 8 }, () => {
        polite.reserve(A)
        polite.finished(A, answer)
        return polite.nextDelay(A)
      })
      expect(waits[0]).toBe(1_000)
      expect(waits.every((wait, index) => wait >= (waits[index - 1] ?? 0))).toBe(true)
      expect(waits.at(-1)).toBeGreaterThanOrEqual(60_000)
      expect(polite.nextDelay(B)).toBe(0)
    },
  )

  test.for([
    [5_000, 5_000],
    [10, 1_000],
    [3_600_000, 600_000],
  ] as const)('with Retry-After %i gets no request for %i ms', ([retryAfterMs, wait]) => {
    const { clock, polite } = setUp()
    polite.reserve(A)
    polite.finished(A, { status: 429, retryAfterMs })
    expect(polite.nextDelay(A)).toBe(wait)
    expect(polite.pausedUntil(A) - clock.now()).toBe(wait)
  })

  test.for([{ status: 200 }, { status: 404 }, { status: 500 }, { status: null }])(
    'does not do so by %j',
    (answer) => {
      const { polite } = setUp()
      polite.reserve(A)
      polite.finished(A, answer)
      expect(polite.nextDelay(A)).toBe(0)
    },
  )

  test('is requested faster again step by step', async () => {
    const { clock, polite } = setUp()
    for (let index = 0; index < 4; index++) polite.finished(A, { status: 429 })
    const waits: number[] = []
    for (let index = 0; index < 60; index++) {
      await clock.advance(60_000)
      polite.reserve(A)
      waits.push(polite.nextDelay(A))
      polite.finished(A, { status: 200 })
    }
    expect(waits[0]).toBe(8_000)
    expect(waits.every((wait, index) => index === 0 || wait <= (waits[index - 1] ?? 0))).toBe(true)
    expect(waits[5]).toBeGreaterThan(3_000)
    expect(waits.at(-1)).toBe(0)
  })
})

test('a host is never requested before its delay is over or while it is paused, and never forgotten', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('ask'), host: fc.constantFrom(A, B) }),
    fc.record({
      do: fc.constant('end'),
      host: fc.constantFrom(A, B),
      status: fc.constantFrom(200, 404, 429, 503, null),
      retryAfterMs: fc.constantFrom(null, 0, 3_000, 10_000_000),
    }),
    fc.record({
      do: fc.constant('delay'),
      host: fc.constantFrom(A, B),
      ms: fc.constantFrom(null, 0, 700, 10_000_000),
    }),
    fc.record({ do: fc.constant('wait'), ms: fc.nat(5_000) }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 300),
      fc.array(step, { maxLength: 60 }),
      async (delayMs, steps) => {
        const { clock, polite } = setUp({ delayMs })
        const last = new Map<string, number>()
        for (const one of steps) {
          if ('status' in one) polite.finished(one.host, one)
          else if ('host' in one && 'ms' in one) polite.setCrawlDelay(one.host, one.ms)
          else if ('ms' in one) await clock.advance(one.ms)
          else {
            const time = polite.reserve(one.host)
            expect(time).toBeGreaterThanOrEqual(
              Math.max(
                clock.now(),
                polite.pausedUntil(one.host),
                (last.get(one.host) ?? -Infinity) + delayMs,
              ),
            )
            last.set(one.host, time)
          }
          for (const host of [A, B])
            expect(polite.nextDelay(host)).toBeLessThanOrEqual(600_000 + steps.length * 60_000)
        }
      },
    ),
    { numRuns: 60 },
  )
})
