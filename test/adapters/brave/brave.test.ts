import { expect, test } from 'vitest'
import { createBraveSearch } from '../../../adapters/brave/index.ts'
import { searchProviderContract } from '../../contracts/search-provider.ts'
import { jsonAnswer, searchWith } from '../../support/fakes/search-call.ts'

const KEY = 'BSA-secret-7731'
/** An answer like those of the API: with much beside the results of the web. */
const ANSWER = {
  type: 'search',
  query: { original: 'fountain pens', more_results_available: true },
  mixed: { type: 'mixed', main: [{ type: 'web', index: 0, all: false }] },
  web: {
    type: 'search',
    family_friendly: true,
    results: [
      {
        type: 'search_result',
        title: 'Fountain pens',
        url: 'https://pens.example.com/',
        is_source_local: false,
        description: 'All about fountain pens.',
        extra_snippets: ['How they are filled.', 'What they cost.'],
        meta_url: { hostname: 'pens.example.com' },
      },
      { type: 'search_result', title: 'Ink', url: 'https://ink.example.com/' },
      { type: 'search_result', title: 'Nothing' },
    ],
  },
}

searchProviderContract('Brave Search', async () => ({
  factory: createBraveSearch({ key: KEY }),
  answerOf: (hits) => ({
    type: 'search',
    web: { results: hits.map(({ title, url, text }) => ({ title, url, description: text })) },
  }),
  secret: KEY,
}))

test('the key is sent in its header alone, and only results that can be fetched are returned', async () => {
  const { answer, sent } = await searchWith(
    createBraveSearch({ key: KEY, country: 'GB', language: 'en', safeSearch: 'strict' }),
    jsonAnswer(ANSWER),
  )
  expect(answer).toMatchObject({
    results: [
      {
        id: 'https://pens.example.com/',
        title: 'Fountain pens',
        text: 'All about fountain pens. … How they are filled. … What they cost.',
      },
      { id: 'https://ink.example.com/', title: 'Ink', text: '' },
    ],
  })
  const [first] = sent
  expect(first?.url.origin).toBe('https://api.search.brave.com')
  expect(Object.fromEntries(first?.url.searchParams ?? [])).toEqual({
    text_decorations: 'false',
    result_filter: 'web',
    country: 'GB',
    search_lang: 'en',
    safesearch: 'strict',
    q: 'fountain pens',
    count: '10',
  })
  expect(first?.headers).toMatchObject({ 'x-subscription-token': KEY, accept: 'application/json' })
  expect(first?.url.href).not.toContain('7731')
})

test('a query is cut to the length that the API accepts', async () => {
  const { sent } = await searchWith(
    createBraveSearch({ key: KEY }),
    jsonAnswer(ANSWER),
    Array.from({ length: 90 }, () => 'word').join(' '),
  )
  const query = sent[0]?.url.searchParams.get('q') ?? ''
  expect([query.split(' ').length, query.length]).toEqual([50, 249])
})

test.each([
  [jsonAnswer({ type: 'search', query: {} }), null],
  [jsonAnswer({ web: { results: 'none' } }), /not answer with a list of results/],
  [jsonAnswer('x'), /not answer with a list of results/],
  [
    jsonAnswer(
      {
        type: 'ErrorResponse',
        error: { code: 'SUBSCRIPTION_TOKEN_INVALID', detail: KEY, status: 401 },
      },
      401,
    ),
    /refuses this platform \(status 401\)/,
  ],
  [jsonAnswer({ error: { code: 'RATE_LIMITED' } }, 429), /too many searches/],
  [jsonAnswer({ error: { detail: KEY } }, 422), /status 422/],
] as const)('an answer that is %j is an error', async (body, message) => {
  const { answer, failure } = await searchWith(createBraveSearch({ key: KEY }), body)
  if (message === null) expect(answer?.results).toEqual([])
  else {
    expect([failure?.code, failure?.message]).toEqual([
      'SERVICE_UNAVAILABLE',
      expect.stringMatching(message),
    ])
    expect(JSON.stringify(failure)).not.toContain('7731')
  }
})

test.each(['', 'with space', 'line\nbreak', 'ü'])('%j is refused as a key', (key) => {
  expect(() => createBraveSearch({ key })).toThrow(TypeError)
})
