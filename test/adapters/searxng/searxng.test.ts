import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createSearxngSearch } from '../../../adapters/searxng/index.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { searchProviderContract } from '../../contracts/search-provider.ts'
import { jsonAnswer, searchWith } from '../../support/fakes/search-call.ts'
import { OWNER } from '../../support/worlds/world.ts'

/**
 * An answer like those of an instance: with more members than needed, and results without the
 * needed ones.
 */
const ANSWER = {
  query: 'fountain pens',
  number_of_results: 0,
  results: [
    {
      url: 'https://pens.example.com/',
      title: 'Fountain pens',
      content: 'All about\n fountain pens.',
      engine: 'one',
      parsed_url: ['https', 'pens.example.com', '/', '', '', ''],
      template: 'default.html',
      engines: ['one', 'two'],
      positions: [1, 3],
      publishedDate: null,
      score: 2.5,
      category: 'general',
    },
    { url: 'https://ink.example.com/#dyes', title: 'Ink', engine: 'two', score: 1 },
    { url: 'javascript:alert(1)', title: 'No page', content: '' },
    { url: 'https://torrents.example.com/', magnetlink: 'magnet:?xt=x' },
  ],
  answers: [],
  corrections: [],
  infoboxes: [],
  suggestions: ['pen'],
  unresponsive_engines: [['three', 'timeout']],
}
const instance = createSearxngSearch({
  url: 'https://search.example.com/sx/',
  engines: ['one', 'two'],
  language: 'en',
  safeSearch: 1,
  headers: { 'X-Proxy-Key': 'secret-7731' },
})

searchProviderContract('SearXNG', async () => ({
  factory: instance,
  answerOf: (hits) => ({
    results: hits.map(({ title, url, text }) => ({ title, url, content: text })),
    unresponsive_engines: [],
  }),
  secret: 'secret-7731',
}))

test('an instance is asked for JSON, and only results that can be fetched are returned', async () => {
  const { answer, sent } = await searchWith(instance, jsonAnswer(ANSWER))
  expect(answer).toMatchObject({
    results: [
      {
        id: 'https://pens.example.com/',
        title: 'Fountain pens',
        url: 'https://pens.example.com/',
        text: 'All about fountain pens.',
      },
      { id: 'https://ink.example.com/', title: 'Ink', url: 'https://ink.example.com/', text: '' },
    ],
  })
  expect(sent).toHaveLength(1)
  expect([
    sent[0]?.url.origin,
    sent[0]?.url.pathname,
    Object.fromEntries(sent[0]?.url.searchParams ?? []),
  ]).toEqual([
    'https://search.example.com',
    '/sx/search',
    { format: 'json', engines: 'one,two', language: 'en', safesearch: '1', q: 'fountain pens' },
  ])
  expect(sent[0]?.headers).toMatchObject({
    accept: 'application/json',
    'x-proxy-key': 'secret-7731',
  })
})

test.each([
  ['https://search.example.com', '/search'],
  ['https://search.example.com/search', '/search'],
  ['https://search.example.com/sx/search/', '/sx/search'],
])('%s is asked at %s', async (url, path) => {
  const { sent } = await searchWith(createSearxngSearch({ url }), jsonAnswer(ANSWER))
  expect(sent[0]?.url.pathname).toBe(path)
})

test.each([
  ['no results: none are given', jsonAnswer({ results: [], unresponsive_engines: [] }), null],
  [
    'engines that did not respond: an error',
    jsonAnswer({ results: [], unresponsive_engines: [['one', 'CAPTCHA']] }),
    /None of the search engines/,
  ],
  [
    'an object without results: an error',
    jsonAnswer({ error: 'x' }),
    /not answer with a list of results/,
  ],
  ['a list: an error', jsonAnswer([]), /not answer with a list of results/],
  ['HTML: an error', '<html>Welcome', /not answer with JSON/],
  [
    'status 403: an error',
    { status: 403, body: 'Forbidden' },
    /refuses this platform \(status 403\)/,
  ],
  [
    'status 429: an error with the time to wait',
    { status: 429, headers: { 'retry-after': '30' } },
    /too many searches/,
  ],
  [
    'a redirect: an error',
    { status: 302, headers: { location: 'http://127.0.0.1/' } },
    /status 302/,
  ],
  ['status 500: an error', { status: 500, body: 'secret-7731' }, /status 500/],
  ['no connection: an error', 'down', /could not be reached/],
  ['an answer beyond the limit: an error', { body: 'x'.repeat(3_000_000) }, /more than 2 MiB/],
] as const)('%s', async (_, body, message) => {
  const { answer, failure, sent } = await searchWith(instance, body)
  expect(sent).toHaveLength(1)
  if (message === null) expect(answer?.results).toEqual([])
  else {
    expect([failure?.code, failure?.message]).toEqual([
      'SERVICE_UNAVAILABLE',
      expect.stringMatching(message),
    ])
    expect(JSON.stringify(failure)).not.toMatch(/7731|example\.com|127\.0/)
  }
  if (message?.source.includes('too many'))
    expect(failure?.headers).toEqual({ 'Retry-After': '30' })
})

const platformWith = (
  search: ReturnType<typeof createSearxngSearch>,
  allowPrivateNetwork = false,
) =>
  createPlatform({
    store: createMemoryStore({ clock: { now: () => 0 } }),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    search,
    allowPrivateNetwork,
  })

test.each([
  ['http://search.example.com', {}, /http anyone/],
  ['http://127.0.0.1:8080', {}, /privateHost: '127\.0\.0\.1'/],
  ['https://searxng', {}, /privateHost: 'searxng'/],
  ['https://searxng', { privateHost: 'other' }, /privateHost is other/],
  ['ftp://search.example.com', {}, /cannot be requested/],
])('%s with %j is refused when the platform is made', (url, more, message) => {
  expect(() => platformWith(createSearxngSearch({ url, ...more }))).toThrow(message)
})

test('an instance on the loopback is asked if the operator allows it; other servers there are not', async () => {
  const urls: string[] = []
  const server = createServer(({ url = '' }, response) => {
    urls.push(url)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(ANSWER))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const platform = platformWith(
    createSearxngSearch({ url: `http://127.0.0.1:${port}`, privateHost: '127.0.0.1' }),
  )
  try {
    const { result } = await platform.api.agentic.call(OWNER, {
      tool: 'search',
      arguments: { query: 'pens & ink?' },
    })
    expect(result).toMatchObject({
      results: [{ title: 'Fountain pens' }, { title: 'Ink' }],
    })
    expect(urls).toEqual(['/search?format=json&q=pens+%26+ink%3F'])
    await expect(
      platform.api.agentic.call(OWNER, {
        tool: 'fetch',
        arguments: { id: `http://127.0.0.1:${port}/` },
      }),
    ).rejects.toThrow(/not on the public internet/)
    expect(urls).toHaveLength(1)
  } finally {
    await platform.close()
    server.close()
  }
})
