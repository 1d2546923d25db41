import { expect, test } from 'vitest'
import { createClient } from '../../../../src/client/create-client.ts'
import {
  hasLittle,
  isWrittenByScripts,
} from '../../../../adapters/command/detect/written-by-scripts.ts'
import type { Workplace } from '../../../../adapters/command/api/workplace.ts'
import { serveHttp } from '../../../support/loopback.ts'

const NEVER = new AbortController().signal
const NAMED = 'https://shop.example.com'
const SECRET = { authorization: 'Bearer a1' }

/** Looks at a page that scripts write after a run of the recipe that `recipeOf` makes of its origin. */
async function look(
  recipeOf: (origin: string) => object,
  { hasServer = false, signal = NEVER } = {},
) {
  const secrets: (string | undefined)[] = []
  await using site = await serveHttp((request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end()
    secrets.push(request.headers.authorization)
    response.setHeader('content-type', 'text/html')
    response.end('<title>App</title><script src="/app.js"></script><div id="root"></div>')
  })
  const visited = { url: `${site.origin}/a`, outcome: 'fetched' }
  const client = createClient({
    baseUrl: 'http://server.test',
    fetch: async () =>
      Response.json({ success: true, data: { items: [visited], nextCursor: null } }),
  })
  const workplace: Workplace = {
    client,
    work: async () => {},
    pollMs: 1,
    allowPrivateNetwork: true,
    scouting: { visits: {}, server: hasServer ? client : null },
    isKept: false,
    close: async () => {},
  }
  const execution = { id: 'exec_1', filled: { price: 0 } }
  const isForScripts = await isWrittenByScripts(
    workplace,
    execution,
    { ...recipeOf(site.origin), extract: { fields: { price: '.price' } } },
    signal,
  )
  return { isForScripts, secrets }
}

test.for([
  { sitemap: `${NAMED}/sitemap.xml` },
  { feed: `${NAMED}/feed.xml` },
  { search: 'pencils' },
  { urls: [`${NAMED}/`] },
])('a page to which %j leads on another site gets no secret after the run', async (start) => {
  expect(await look(() => ({ start, page: { headers: SECRET } }))).toEqual({
    isForScripts: true,
    secrets: [undefined],
  })
})

test('a site that the recipe names gets its headers after the run, too', async () => {
  const named = await look((origin) => ({
    start: { urls: [`${origin}/{1..3}`] },
    page: { headers: SECRET },
  }))
  expect(named.secrets).toEqual([SECRET.authorization])
  const listed = await look((origin) => ({
    start: { sitemap: `${NAMED}/sitemap.xml` },
    page: { headers: SECRET, headersTo: [origin] },
  }))
  expect(listed.secrets).toEqual([SECRET.authorization])
})

test('pages that a server visited are not asked from here, nor any after an interrupt', async () => {
  const recipeOf = (origin: string) => ({ start: { urls: [`${origin}/`] } })
  const none = { isForScripts: false, secrets: [] }
  expect(await look(recipeOf, { hasServer: true })).toEqual(none)
  expect(await look(recipeOf, { signal: AbortSignal.abort() })).toEqual(none)
})

test('the words of a menu are little where nothing was found on the page, and a column elsewhere', () => {
  const menu = { filled: { title: 1, url: 1, text: 1, description: 0 } }
  expect([hasLittle(menu, true), hasLittle(menu)]).toEqual([true, false])
  expect(hasLittle({ filled: { ...menu.filled, description: 1 } }, true)).toBe(false)
})
