import { expect, test } from 'vitest'
import { SearchFailure } from '../../../../src/kernel/failures.ts'
import type { SearchProvider } from '../../../../src/ports/search-provider.ts'
import { searchWith } from '../../../support/fakes/search-call.ts'

const providerOf = (search: SearchProvider['search']): SearchProvider => ({
  name: 'Handbook',
  search,
})

test('an object of the host can be the provider; its results are cut to ten, and their sizes are bounded', async () => {
  const { answer } = await searchWith(
    providerOf(async (query, { limit }) =>
      Array.from({ length: limit + 5 }, (_, index) => ({
        title: `${query} ${index}`,
        url: `https://h.example.com/${index}`,
        text: 'x '.repeat(3_000),
      })),
    ),
    'down',
  )
  expect([answer?.results.length, answer?.results[0]?.title]).toEqual([10, 'fountain pens 0'])
  expect(Object.keys(answer ?? {})).toEqual(['results'])
  expect(answer?.results.every(({ text }) => text.length <= 1_000)).toBe(true)
})

test.each([
  [
    new Error('secret-7731'),
    'Handbook could not be searched; a page can still be fetched by its URL',
    {},
  ],
  [
    new SearchFailure('limited', 'It is closed at night', {
      retryAfter: 60,
      cause: new Error('secret-7731'),
    }),
    'Handbook could not be searched: It is closed at night',
    { 'Retry-After': '60' },
  ],
])('an error of a provider is not shown to the caller: %s', async (error, message, headers) => {
  const { failure } = await searchWith(
    providerOf(async () => Promise.reject(error)),
    'down',
  )
  expect(failure).toEqual({ code: 'SERVICE_UNAVAILABLE', message, headers })
})
