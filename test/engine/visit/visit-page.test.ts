import { expect, it, vi } from 'vitest'
import { createEgress } from '../../../src/engine/egress/egress.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { createPoliteness } from '../../../src/engine/site/politeness.ts'
import { createRobots } from '../../../src/engine/site/robots.ts'
import type { Refused } from '../../../src/engine/visit/reach.ts'
import { failedRow, visitPage } from '../../../src/engine/visit/visit-page.ts'
import type { VisitedPage, VisitPageOptions } from '../../../src/engine/visit/visit-page.ts'
import { PageFailure } from '../../../src/kernel/failures.ts'
import type { Page } from '../../../src/ports/page-processor.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import type { Answer } from '../../support/fakes/fake-web.ts'
import { startLink } from '../../../src/engine/visit/reach.ts'
import { normalUrl } from '../../support/normal-url.ts'

const SITE = 'https://a.example.com'
const START = startLink(normalUrl(`${SITE}/`))
const PLAN = compileRecipe(
  parseRecipe({
    start: { urls: [START.url] },
    extract: { fields: { title: 'h1', status: { page: 'status' } }, failed: true },
  }),
)
const TOO_COSTLY = new PageFailure('time', 'The page took too much time')
const REASON = { code: 'page_too_costly', message: TOO_COSTLY.message }

/** Visits the start page of a web; `read` gives the text of the page. */
async function visitStart(
  pages: Record<string, Answer>,
  options: Partial<VisitPageOptions<string>> = {},
): Promise<VisitedPage<string>> {
  const clock = createFakeClock()
  const egress = createEgress({ fetcher: createFakeWeb(pages), clock })
  const { signal } = new AbortController()
  const politeness = createPoliteness({ clock, delayMs: 0 })
  politeness.reserve(START.url)
  return clock.runUntil(
    visitPage(START.url, {
      egress,
      robots: createRobots({ egress, clock, userAgentToken: 'Seine' }),
      renderer: null,
      clock,
      politeness,
      request: PLAN.request,
      signal,
      isShell: () => Promise.reject(new Error('The recipe renders no page')),
      read: async ({ body }: Page) => new TextDecoder().decode(body),
      ...options,
    }),
  )
}

it('a visit gives the page, the result of its extraction, and its URL', async () => {
  const visited = await visitStart({
    [START.url]: { status: 302, headers: { location: '/moved' } },
    [`${SITE}/moved`]: '<h1>Moved</h1>',
  })
  expect(visited).toMatchObject({
    outcome: 'fetched',
    answer: '<h1>Moved</h1>',
    httpStatus: 200,
    finalUrl: `${SITE}/moved`,
    bytes: 14,
    rendered: null,
  })
})

it('a document that is too costly keeps its response', async () => {
  const visited = await visitStart(
    {
      [START.url]: { status: 302, headers: { location: '/list.xlsx' } },
      [`${SITE}/list.xlsx`]: {
        body: 'PK\u0003\u0004',
        headers: {
          'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        },
      },
    },
    { readDocument: () => Promise.reject(TOO_COSTLY) },
  )
  expect(visited).toMatchObject({
    outcome: 'failed',
    reason: REASON,
    httpStatus: 200,
    finalUrl: `${SITE}/list.xlsx`,
    response: { body: { length: 4 } },
  })
})

it('relative dates are counted from the visit', async () => {
  const plan = compileRecipe(
    parseRecipe({
      start: { urls: [START.url] },
      extract: { fields: { seen: { css: 'p', as: 'date' } } },
    }),
  )
  const visited = await visitStart(
    { [START.url]: '<!DOCTYPE html><p>yesterday</p>' },
    { read: async (page) => String(plan.process(page, START).rows[0]?.['seen']) },
  )
  const dayBefore = new Date(visited.startedAt - 86_400_000).toISOString().slice(0, 10)
  expect(visited).toMatchObject({ answer: dayBefore })
})

it('the URL of a page is parsed once on its way to the site', async () => {
  const parsed: string[] = []
  vi.stubGlobal(
    'URL',
    class extends URL {
      constructor(url: string | URL, base?: string | URL) {
        super(url, base)
        parsed.push(String(url))
      }
      static override parse(url: string | URL, base?: string | URL): URL | null {
        parsed.push(String(url))
        return super.parse(url, base)
      }
      static override canParse(url: string | URL, base?: string | URL): boolean {
        parsed.push(String(url))
        return super.canParse(url, base)
      }
    },
  )
  await visitStart({
    [START.url]: { status: 302, headers: { location: '/moved' } },
    [`${SITE}/moved`]: '<h1>Moved</h1>',
  })
  vi.unstubAllGlobals()
  expect(parsed).toEqual([`${SITE}/robots.txt`, START.url, '/moved'])
})

it('a page that was not fetched is not read, and has a row only if it failed', async () => {
  let reads = 0
  const read = async (): Promise<string> => `${++reads}`
  for (const [answer, outcome, code] of [
    [{ status: 404 }, 'failed', 'http_404'],
    [{ status: 403 }, 'blocked', 'http_403'],
    ['down', 'failed', 'connection'],
  ] as const) {
    const visited = await visitStart({ [START.url]: answer }, { read })
    expect(visited).toMatchObject({ outcome, reason: { code } })
    if (visited.outcome === 'fetched') throw new Error('The page was fetched')
    expect(failedRow(PLAN, START, visited)?.rows).toHaveLength(1)
  }
  const disallowed = await visitStart(
    { [`${SITE}/robots.txt`]: 'User-agent: *\nDisallow: /', [START.url]: '<h1>Closed</h1>' },
    { read },
  )
  if (disallowed.outcome === 'fetched') throw new Error('The page was fetched')
  expect(disallowed).toMatchObject({ outcome: 'skipped_robots', httpStatus: null })
  expect(failedRow(PLAN, START, disallowed)).toBeNull()
  expect(reads).toBe(0)
})

// A dataset takes the items of pages that robots.txt forbids for gone, and those of failed pages not.
it('a page has failed, and is not forbidden, if robots.txt cannot be read', async () => {
  const busy = { status: 503 }
  const elsewhere = { status: 302, headers: { location: 'https://other.example.com/' } }
  for (const pages of [
    { [`${SITE}/robots.txt`]: busy, [START.url]: '<h1>Open</h1>' },
    { [START.url]: elsewhere, 'https://other.example.com/robots.txt': busy },
  ])
    expect(await visitStart(pages)).toMatchObject({
      outcome: 'failed',
      reason: {
        code: 'site_unreachable',
        message: expect.stringContaining('robots.txt of the site answered 503'),
      },
    })
})

it('a page is not read if the caller refuses the end of its redirects', async () => {
  const refused: Refused = {
    outcome: 'duplicate',
    reason: { code: 'redirected_to_known', message: 'Known' },
  }
  const urls: string[] = []
  const visited = await visitStart(
    {
      [START.url]: { status: 302, headers: { location: '/known' } },
      [`${SITE}/known`]: '<h1>Known</h1>',
    },
    {
      refuse: (finalUrl) => (urls.push(finalUrl), refused),
      read: () => Promise.reject(new Error('The page was read')),
    },
  )
  expect(visited).toMatchObject({ ...refused, finalUrl: `${SITE}/known`, httpStatus: 200 })
  expect(urls).toEqual([`${SITE}/known`])
  if (visited.outcome === 'fetched') throw new Error('The page was fetched')
  expect(failedRow(PLAN, START, visited)).toBeNull()
})

it('a page that is given up has an outcome with its known facts', async () => {
  const pages = { [START.url]: '<h1>Long</h1>' }
  const visited = await visitStart(pages, { read: () => Promise.reject(TOO_COSTLY) })
  expect(visited).toMatchObject({ outcome: 'failed', reason: REASON, httpStatus: 200 })
  if (visited.outcome === 'fetched') throw new Error('The page was read')
  expect(failedRow(PLAN, START, visited)?.rows).toMatchObject([{ status: 200 }])
  const broken = new Error('The processor is closed')
  await expect(visitStart(pages, { read: () => Promise.reject(broken) })).rejects.toBe(broken)
})
