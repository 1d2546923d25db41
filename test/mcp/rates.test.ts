import { expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/platform.ts'
import type { PlatformOptions } from '../../src/platform/options.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'

const LOGGER = { debug() {}, info() {}, warn() {}, error() {} }

async function ask(options: PlatformOptions, ...methods: readonly string[]) {
  const platform = createPlatform({ logger: LOGGER, clock: createFakeClock(), ...options })
  const { secret } = await platform.api.keys.create(
    { account: 'acme', user: 'ann', scopes: ['*'] },
    { name: 'agent', scopes: ['mcp:*'] },
  )
  const answers = []
  for (const [index, method] of methods.entries()) {
    const params =
      method === 'tools/call' ? { name: 'search_templates', arguments: { query: 'shop' } } : {}
    const response = await platform.fetch(
      new Request('http://host.test/mcp', {
        method: 'POST',
        headers: {
          'X-API-Key': secret,
          'Content-Type': 'application/json',
          Accept: 'application/json',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: index, method, params }),
      }),
    )
    const { status, headers } = response
    answers.push({ status, headers, text: await response.text() })
  }
  await platform.close()
  return answers
}

test('an answer of the endpoint has the rate headers of its call of the service', async () => {
  const answers = await ask(
    { rateLimits: { mcp: { limit: 3, periodMs: 60_000, burst: 2 } } },
    'ping',
    'tools/list',
    'tools/call',
    'tools/call',
    'tools/list',
    'ping',
  )
  const of = (name: string) => answers.map(({ headers }) => headers.get(name))
  expect(of('x-ratelimit-limit')).toEqual(Array.from({ length: 6 }, () => '3'))
  expect(of('x-ratelimit-remaining')).toEqual(['2', '1', '0', '0', '0', '0'])
  expect(of('retry-after')).toEqual([null, null, null, '20', '20', '20'])
  expect(of('x-ratelimit-reset').map((reset) => reset === null)).toEqual(
    of('retry-after').map((wait) => wait === null),
  )
})

test('wrong requests are counted as well, in both eras, and their answers say how many calls are left', async () => {
  const platform = createPlatform({
    logger: LOGGER,
    clock: createFakeClock(),
    maxBodyBytes: 2_000,
    rateLimits: { mcp: { limit: 8, periodMs: 60_000, burst: 7 } },
  })
  const owner = { account: 'acme', user: 'ann', scopes: ['*'] }
  const { secret } = await platform.api.keys.create(owner, { name: 'agent', scopes: ['mcp:*'] })
  const type = { 'content-type': 'application/json' }
  const era = { 'mcp-protocol-version': '2026-07-28' }
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const wrong = [
    [406, list, { ...type, accept: 'text/html' }, ''],
    [415, list, { 'content-type': 'text/plain' }, ''],
    [413, { ...list, params: 'x'.repeat(3_000) }, type, ''],
    [400, '{', type, ''],
    [400, { ...list, jsonrpc: '1.0' }, type, ''],
    [400, list, type, '?tools=none'],
    [415, list, { ...era, 'content-type': 'text/plain' }, ''],
    [400, list, { ...type, ...era }, ''],
    [429, list, { ...type, accept: 'text/html' }, ''],
  ] as const
  const seen = []
  const strangers = []
  for (const [, message, headers, query] of wrong) {
    const answerTo = (key: string) =>
      platform.fetch(
        new Request(`http://host.test/mcp${query}`, {
          method: 'POST',
          headers: { accept: 'application/json', ...headers, 'x-api-key': key },
          body: typeof message === 'string' ? message : JSON.stringify(message),
        }),
      )
    const answer = await answerTo(secret)
    seen.push([answer.status, answer.headers.get('x-ratelimit-remaining')])
    strangers.push((await answerTo('svc_sk_unknown')).status)
  }
  await platform.close()
  const left = ['7', '6', '5', '4', '3', '2', '1', '0', '0']
  expect(seen).toEqual(wrong.map(([status], index) => [status, left[index]]))
  expect(new Set(strangers)).toEqual(new Set([401]))
})

test('without limits there are no such headers', async () => {
  const [answer] = await ask({ rateLimits: false }, 'tools/call')
  expect([answer?.status, answer?.headers.get('x-ratelimit-limit')]).toEqual([200, null])
})

test.each(['tools/list', 'tools/call'])(
  'an agent of a suspended account is refused with that reason by %s, not for a missing scope',
  async (method) => {
    const [answer] = await ask({ accountStatus: () => 'suspended' }, method)
    expect(answer?.status).toBe(403)
    expect(answer?.text).toContain('The account is suspended')
    expect(answer?.text).not.toContain('scope')
  },
)
