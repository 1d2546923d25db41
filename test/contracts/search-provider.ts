import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJson } from '../../src/kernel/json.ts'
import type { Json } from '../../src/kernel/json.ts'
import { SearchFailure } from '../../src/kernel/failures.ts'
import type {
  SearchProvider,
  SearchProviderFactory,
  SearchServiceOptions,
  WebSearchHit,
} from '../../src/ports/search-provider.ts'

/** The search provider to test. */
export interface SearchProviderSubject {
  readonly factory: SearchProviderFactory
  /** The answer of its service with these results. */
  readonly answerOf: (results: readonly WebSearchHit[]) => Json
  /** A text in its options that only the service may see. */
  readonly secret: string
}

interface Asked {
  readonly query: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

const HITS: readonly WebSearchHit[] = Array.from({ length: 5 }, (_, index) => ({
  title: `Page ${index}`,
  url: `https://pages.example.com/${index}`,
  text: `About ${index}`,
}))

/**
 * The tests that every adapter of the SearchProvider port over HTTP must pass. `make` is called
 * once for each test.
 *
 * @example
 *   declare const makeSearch: () => Promise<SearchProviderSubject>
 *   searchProviderContract('My search', makeSearch)
 */
export function searchProviderContract(
  name: string,
  make: () => Promise<SearchProviderSubject>,
): void {
  describe(`${name} keeps the SearchProvider contract`, () => {
    const open = async (answer: (subject: SearchProviderSubject) => Json | Error) => {
      const subject = await make()
      const requests: Asked[] = []
      const services: { url: URL; options: SearchServiceOptions | undefined }[] = []
      const provider: SearchProvider = subject.factory.create({
        service(url, options) {
          services.push({ url, options })
          return async (query, signal) => {
            requests.push({ query, signal })
            const content = answer(subject)
            if (content instanceof Error) throw content
            return content
          }
        },
      })
      return { subject, provider, asked: requests, services }
    }
    const here = new AbortController().signal

    it('gives the results of the service in their order, and no more than were asked for', async () => {
      const { provider } = await open(({ answerOf }) => answerOf(HITS))
      expect(await provider.search('pens', { limit: 10, signal: here })).toEqual(HITS)
      expect(await provider.search('pens', { limit: 2, signal: here })).toEqual(HITS.slice(0, 2))
      expect(provider.name).not.toBe('')
    })

    it('gives an empty list if the service finds nothing', async () => {
      const { provider } = await open(({ answerOf }) => answerOf([]))
      expect(await provider.search('pens', { limit: 10, signal: here })).toEqual([])
    })

    it('passes the query on unchanged, in one request, with the signal', async () => {
      const { provider, asked: requests } = await open(({ answerOf }) => answerOf(HITS))
      for (const query of ['pens & ink?', 'site:a.example "two words" #3', '万年筆']) {
        const { signal } = new AbortController()
        await provider.search(query, { limit: 10, signal })
        expect(Object.values(requests.at(-1)?.query ?? {})).toContain(query)
        expect(requests.at(-1)?.signal).toBe(signal)
      }
      expect(requests).toHaveLength(3)
    })

    it('has one service, which is named when it is made; its secret is in no address', async () => {
      const {
        subject,
        services,
        asked: requests,
        provider,
      } = await open(({ answerOf }) => answerOf(HITS))
      await provider.search('pens', { limit: 10, signal: here })
      expect(services).toHaveLength(1)
      expect(JSON.stringify(services[0]?.options ?? null)).toContain(subject.secret)
      expect(
        `${services[0]?.url.href ?? ''} ${JSON.stringify(requests[0]?.query)} ${provider.name}`,
      ).not.toContain(subject.secret)
    })

    it('passes a failure on unchanged', async () => {
      const failure = new SearchFailure('limited', 'Too many', { retryAfter: 30 })
      const { provider } = await open(() => failure)
      await expect(provider.search('pens', { limit: 10, signal: here })).rejects.toBe(failure)
    })

    it('turns any JSON into results or a failure', async () => {
      let body: Json = null
      const { provider, subject } = await open(() => body)
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(fc.jsonValue(), damaged(subject.answerOf(HITS))),
          async (answer) => {
            body = isJson(answer) ? answer : null
            const outcome = await provider
              .search('pens', { limit: 10, signal: here })
              .catch((error: unknown) => error)
            if (outcome instanceof SearchFailure)
              expect(outcome.message).not.toContain(subject.secret)
            else
              expect(outcome).toSatisfy(
                (hits) =>
                  Array.isArray(hits) &&
                  hits.every(({ title, url, text }) =>
                    [title, url, text].every((part) => typeof part === 'string'),
                  ),
              )
          },
        ),
      )
    })
  })
}

/** The same answer with one of its values replaced, wherever it is. */
function damaged(answer: Json): fc.Arbitrary<unknown> {
  const places: (readonly string[])[] = []
  const walk = (value: Json, path: readonly string[]): void => {
    places.push(path)
    if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name])
  }
  walk(answer, [])
  return fc
    .tuple(
      fc.constantFrom(...places),
      fc.oneof(fc.constant(null), fc.integer(), fc.constant([]), fc.constant({}), fc.constant('x')),
    )
    .map(([path, value]) => replaced(answer, path, value))
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by
  const copy: Record<string, unknown> = Object.fromEntries(Object.entries(Object(value)))
  copy[name] = replaced(copy[name], rest, by)
  return Array.isArray(value) ? Object.values(copy) : copy
}
