import { expect, it } from 'vitest'
import { createRobots } from '../../../src/engine/site/robots.ts'
import { EgressError } from '../../../src/engine/egress/types.ts'
import type { EgressRequest, EgressResponse } from '../../../src/engine/egress/types.ts'
import { PageRequests } from '../../../src/engine/render/page-requests.ts'
import type { PageRequestsOptions } from '../../../src/engine/render/page-requests.ts'
import type { BrowserRequest } from '../../../src/ports/browser.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const response = (fields: Partial<EgressResponse> = {}): EgressResponse => ({
  url: 'https://shop.example/',
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: bytes('ours'),
  truncated: false,
  redirects: [],
  durationMs: 1,
  ...fields,
})
const fullRequest = (fields: Partial<BrowserRequest>): BrowserRequest => ({
  url: 'https://shop.example/data',
  method: 'GET',
  headers: {},
  body: null,
  kind: 'data',
  ...fields,
})

function setUp(
  options: Partial<PageRequestsOptions> = {},
  answer: (request: EgressRequest) => EgressResponse | Promise<EgressResponse> = (request) =>
    response({ url: request.url }),
) {
  const sent: EgressRequest[] = []
  const egress = async (request: EgressRequest) => {
    sent.push(request)
    return answer(request)
  }
  const requests = new PageRequests({
    page: response(),
    egress,
    robots: null,
    headers: {},
    withAssets: true,
    signal: new AbortController().signal,
    ...options,
  })
  return {
    requests,
    sent,
    ask: (one: Partial<BrowserRequest>) => requests.answer(fullRequest(one)),
  }
}

it('the fetched page is used once, and all other requests are sent', async () => {
  const { requests, sent, ask } = setUp({
    page: response({
      headers: {
        'content-type': 'text/html',
        'content-encoding': 'br',
        'content-length': '9',
        'x-own': '1',
      },
    }),
  })
  expect(await ask({ url: 'https://shop.example/', kind: 'document' })).toEqual({
    status: 200,
    headers: { 'content-type': 'text/html', 'x-own': '1' },
    body: bytes('ours'),
  })
  expect(sent).toEqual([])
  await ask({ url: 'https://shop.example/', kind: 'document' })
  await ask({ url: 'https://shop.example/', kind: 'data' })
  expect(sent.map(({ url, purpose }) => [url, purpose])).toEqual([
    ['https://shop.example/', 'page'],
    ['https://shop.example/', 'media'],
  ])
  expect([requests.count, requests.bytes]).toEqual([2, 8])
})

it('a redirected document gets the URL at the end of its redirects', async () => {
  const { ask, sent } = setUp({}, () =>
    response({ url: 'https://other.example/</script>/', body: bytes('there') }),
  )
  const hop = await ask({ url: 'https://shop.example/out', kind: 'document' })
  expect(new TextDecoder().decode(hop?.body)).toBe(
    '<script>location.replace("https://other.example/\\u003c/script>/")</script>',
  )
  expect((await ask({ url: 'https://other.example/</script>/', kind: 'document' }))?.body).toEqual(
    bytes('there'),
  )
  expect(sent).toHaveLength(1)
  expect((await ask({ url: 'https://shop.example/out', kind: 'script' }))?.body).toEqual(
    bytes('there'),
  )
})

it('a request that is refused, too large, of another method or not wanted has no response', async () => {
  const refused = setUp({}, () => Promise.reject(new EgressError('refused', 'no')))
  expect(await refused.ask({})).toBeNull()
  expect(await setUp({}, () => response({ truncated: true })).ask({})).toBeNull()
  const { ask, sent } = setUp({ withAssets: false })
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT', '__proto__'])
    expect(await ask({ method })).toBeNull()
  expect(await ask({ kind: 'asset' })).toBeNull()
  expect(sent).toEqual([])
  expect(await ask({ method: 'POST', body: bytes('q') })).not.toBeNull()
  expect(sent[0]).toMatchObject({ method: 'POST', body: bytes('q') })
  const broken = setUp({}, () => Promise.reject(new TypeError('a bug')))
  await expect(broken.ask({})).rejects.toThrow('a bug')
})

it('robots.txt is checked for every request and every redirect', async () => {
  const rules = createRobots({
    egress: async ({ url }) =>
      response({
        url,
        headers: { 'content-type': 'text/plain' },
        body: bytes('User-agent: *\nDisallow: /hidden'),
      }),
    clock: createFakeClock(),
    userAgentToken: 'Seine',
  })
  const { ask, sent } = setUp({ robots: rules }, async (request) => {
    if (request.url.endsWith('/redirects'))
      await request.onRedirect?.(new URL('https://shop.example/hidden/b'))
    return response({ url: request.url })
  })
  expect(await ask({ url: 'https://shop.example/hidden/a' })).toBeNull()
  expect(sent).toEqual([])
  expect(await ask({ url: 'https://shop.example/redirects' })).toBeNull()
  expect(await ask({ url: 'https://shop.example/open' })).not.toBeNull()
})

it('a page has at most 500 requests and 50 MiB', async () => {
  const many = setUp()
  for (let nth = 0; nth < 500; nth++) expect(await many.ask({})).not.toBeNull()
  expect(await many.ask({})).toBeNull()
  const body = new Uint8Array(10 * 1024 * 1024)
  const large = setUp({}, () => response({ body }))
  for (let nth = 0; nth < 5; nth++) expect(await large.ask({})).not.toBeNull()
  expect(await large.ask({})).toBeNull()
  expect(large.sent.every(({ maxBytes = Infinity }) => maxBytes <= body.length)).toBe(true)
})

it("the recipe's headers go to the origin of the page only, and headers of the browser are not sent", async () => {
  const { ask, sent } = setUp({ headers: { 'X-Key': 'k', Cookie: 'own=1', Accept: 'text/html' } })
  const headers = {
    accept: 'application/json',
    'user-agent': 'HeadlessChrome',
    'sec-ch-ua': '"Chromium"',
    'x-mine': '1',
    cookie: 'set=2',
  }
  await ask({ headers })
  await ask({ headers, url: 'https://shop.example/next', kind: 'document' })
  await ask({ headers, url: 'https://cdn.example/data' })
  expect(sent.map((one) => one.headers)).toEqual([
    { 'x-key': 'k', cookie: 'own=1; set=2', accept: 'application/json', 'x-mine': '1' },
    { 'x-key': 'k', cookie: 'own=1; set=2', accept: 'text/html', 'x-mine': '1' },
    { accept: 'application/json', 'x-mine': '1', cookie: 'set=2' },
  ])
})
