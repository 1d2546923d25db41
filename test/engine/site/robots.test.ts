import { expect, test } from 'vitest'
import { createRobots } from '../../../src/engine/site/robots.ts'
import { EgressError } from '../../../src/engine/egress/types.ts'
import type { Egress, EgressRequest } from '../../../src/engine/egress/types.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { normalUrl } from '../../support/normal-url.ts'

const { signal } = new AbortController()
const DAY = 24 * 60 * 60 * 1_000

function setUp(
  answer: (request: EgressRequest, nth: number) => Promise<{ status?: number; body?: string }>,
  maxOrigins: number | null = 10,
) {
  const clock = createFakeClock()
  const urls: string[] = []
  const egress: Egress = async (request) => {
    urls.push(request.url)
    expect(request.purpose).toBe('robots')
    const { status = 200, body = '' } = await answer(request, urls.length)
    return {
      url: request.url,
      status,
      headers: {},
      body: new TextEncoder().encode(body),
      truncated: false,
      redirects: [],
      durationMs: 0,
    }
  }
  return {
    clock,
    asked: urls,
    robots: createRobots({
      egress,
      clock,
      userAgentToken: 'seine',
      ...(maxOrigins && { maxOrigins }),
    }),
  }
}
const failing = (reason: EgressError['reason']) => async () => {
  throw new EgressError(reason, 'The connection was refused.')
}

test('the files of some thousand origins are asked for once', async () => {
  const { asked, robots } = setUp(async () => ({}), null)
  for (let round = 0; round < 2; round++)
    for (let origin = 0; origin < 3_000; origin++)
      await robots.check(normalUrl(`https://h${origin}.com/`), signal)
  expect(asked).toHaveLength(3_000)
})

test('a URL is judged by the file of its origin', async () => {
  const { asked, robots } = setUp(async () => ({
    body: '\ufeffUser-agent: *\nDisallow: /x?y\nCrawl-delay: 2\nSitemap: /s.xml',
  }))
  expect(await robots.check(normalUrl('https://a.com:8443/b'), signal)).toEqual({
    allowed: true,
    crawlDelayMs: 2_000,
    sitemaps: ['https://a.com:8443/s.xml'],
  })
  expect(await robots.check(normalUrl('https://a.com:8443/x?y=1'), signal)).toMatchObject({
    allowed: false,
    reason: 'disallowed',
    rule: 'Disallow: /x?y',
  })
  expect(asked).toEqual(['https://a.com:8443/robots.txt'])
})

test.for([
  [404, true],
  [403, true],
  [410, true],
  [302, true],
  [204, true],
  [408, false],
  [429, false],
  [500, false],
  [503, false],
] as const)('status %i: allowed %j', async ([status, allowed]) => {
  const { robots } = setUp(async () => ({
    status,
    body: 'User-agent: *\nDisallow: /\n'.repeat(Number(status >= 300)),
  }))
  expect(await robots.check(normalUrl('https://a.com/'), signal)).toMatchObject({
    allowed,
    // It forbids nothing by a rule.
    ...(!allowed && { reason: 'unreachable', failure: 'protocol' }),
  })
})

test('a site that is down is unreachable, with the reason, and is requested again after a minute', async () => {
  const { clock, asked, robots } = setUp(failing('connection'))
  const answer = {
    allowed: false,
    reason: 'unreachable',
    failure: 'connection',
    detail: expect.stringContaining('The connection was refused.'),
  }
  const check = () => clock.runUntil(robots.check(normalUrl('https://a.com/'), signal))
  expect(await check()).toEqual(answer)
  expect(await check()).toEqual(answer)
  expect(asked).toHaveLength(3)
  await clock.advance(60_000)
  await check()
  expect(asked).toHaveLength(6)
})

test('a connection that is lost twice is no reason to leave out a site', async () => {
  const { clock, asked, robots } = setUp(async (_, nth) => {
    if (nth < 3) throw new EgressError('connection', 'The connection was lost.')
    return { body: 'User-agent: *\nDisallow: /x' }
  })
  const check = (path: string) =>
    clock.runUntil(robots.check(normalUrl(`https://a.com${path}`), signal))
  expect(await check('/')).toMatchObject({ allowed: true })
  expect(await check('/x')).toMatchObject({ reason: 'disallowed' })
  expect(asked).toHaveLength(3)
})

test.for(['timeout', 'too_large', 'dns'] as const)(
  '%s is not tried again at once',
  async (reason) => {
    const { asked, robots } = setUp(failing(reason))
    expect(await robots.check(normalUrl('https://a.com/'), signal)).toMatchObject({
      failure: reason,
    })
    expect(asked).toHaveLength(1)
  },
)

test('the pause between two tries ends with the last caller', async () => {
  const { clock, robots } = setUp(failing('connection'))
  const caller = new AbortController()
  const answer = robots.check(normalUrl('https://a.com/'), caller.signal)
  await clock.advance(100)
  caller.abort(new Error('Enough'))
  await expect(answer).rejects.toThrow('Enough')
  expect(clock.sleeping).toBe(0)
})

test('more redirects than five count as no file', async () => {
  expect(
    (await setUp(failing('too_many_redirects')).robots.check(normalUrl('https://a.com/'), signal))
      .allowed,
  ).toBe(true)
})

test('a file is kept for a day', async () => {
  const { clock, asked, robots } = setUp(async () => ({}))
  await robots.check(normalUrl('https://a.com/'), signal)
  await clock.advance(DAY - 1)
  await robots.check(normalUrl('https://a.com/'), signal)
  expect(asked).toHaveLength(1)
  await clock.advance(1)
  await robots.check(normalUrl('https://a.com/'), signal)
  expect(asked).toHaveLength(2)
})

test('the files of the origins that were used last are kept', async () => {
  const { asked, robots } = setUp(async () => ({}), 2)
  for (const host of ['a', 'b', 'a', 'c', 'a', 'b'])
    await robots.check(normalUrl(`https://${host}.com/`), signal)
  expect(asked.map((url) => new URL(url).hostname)).toEqual(['a.com', 'b.com', 'c.com', 'b.com'])
})

test('callers at the same time share one fetch, which ends when the last of them aborts', async () => {
  const { promise, resolve } = Promise.withResolvers<{ body: string }>()
  const signals: AbortSignal[] = []
  const { asked, robots } = setUp((request) => {
    if (request.signal) signals.push(request.signal)
    return signals.length === 2 ? Promise.resolve({}) : promise
  })
  const [first, second] = [new AbortController(), new AbortController()]
  const left = robots.check(normalUrl('https://a.com/x'), first.signal)
  const stays = robots.check(normalUrl('https://a.com/y'), second.signal)
  first.abort(new Error('gave up'))
  await expect(left).rejects.toThrow('gave up')
  expect(signals[0]?.aborted).toBe(false)
  resolve({ body: 'User-agent: *\nDisallow: /y' })
  expect((await stays).allowed).toBe(false)
  expect(asked).toHaveLength(1)

  const third = new AbortController()
  const alone = setUp(
    (request) =>
      new Promise((_, reject) =>
        request.signal?.addEventListener('abort', () => reject(new EgressError('aborted', 'x'))),
      ),
  )
  const pending = alone.robots.check(normalUrl('https://a.com/'), third.signal)
  third.abort(new Error('gave up'))
  await expect(pending).rejects.toThrow('gave up')
  void alone.robots.check(normalUrl('https://a.com/'), signal)
  expect(alone.asked).toHaveLength(2) // Nothing of it is remembered.
  await expect(
    robots.check(normalUrl('https://b.com/'), AbortSignal.abort(new Error('before'))),
  ).rejects.toThrow('before')
})

test('an internal error is thrown, and does not count as an answer of the site', async () => {
  const { asked, robots } = setUp(async () => {
    throw new TypeError('defect')
  })
  await expect(robots.check(normalUrl('https://a.com/'), signal)).rejects.toThrow('defect')
  await expect(robots.check(normalUrl('https://a.com/'), signal)).rejects.toThrow('defect')
  expect(asked).toHaveLength(2)
})
