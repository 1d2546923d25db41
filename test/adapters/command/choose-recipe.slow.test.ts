import { expect, test } from 'vitest'
import { parseRecipe } from 'seine'
import type { Platform } from 'seine'
import { createClient } from '../../../src/client/create-client.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { chooseRecipe, type Scouting } from '../../../adapters/command/detect/choose-recipe.ts'
import { detectPages } from '../../../adapters/command/detect/detect-pages.ts'
import { parseExtract } from '../../../adapters/command/extract-flags.ts'
import { createFakeBrowser } from '../../support/fakes/fake-browser.ts'
import { serveHttp } from '../../support/loopback.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const NEVER = new AbortController().signal

/** A list whose elements have the class. */
function listOf(name: string): string {
  const items = [1, 2, 3, 4, 5, 6, 7, 8].map(
    (i) =>
      `<div class="${name}"><h3 class="title-${name}">Chair ${i}</h3>` +
      `<i class="cost-${name}">€${i}0.00</i></div>`,
  )
  return `<title>Shop</title><main><section>${items.join('')}</section></main>`
}

/** The choice for the pages of a shop on this machine. */
function choose(pages: readonly string[], ...flags: string[]) {
  return chooseWith({ visits: {}, server: null }, pages, ...flags)
}

async function chooseWith(scouting: Scouting, pages: readonly string[], ...flags: string[]) {
  const site = await serveHttp((request, response) => {
    const page = pages[Number(request.url?.slice(1))]
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page)
  })
  const urls = pages.map((_, page) => `${site.origin}/${page}`)
  const request = await parseExtract([...urls, ...flags, '--allow-private-network'])
  if (request === null) throw new Error('The arguments are wrong')
  try {
    const chosen = await chooseRecipe({ ...request, allowPrivateNetwork: true }, scouting, NEVER)
    return { ...chosen, urls }
  } finally {
    await site[Symbol.asyncDispose]()
  }
}

test('a note names the first address, and how many more there are', async () => {
  const pages = [listOf('chair'), listOf('chair'), listOf('chair')]
  const beside = await choose(pages, '--field', 'label=h3')
  expect(beside.notes[0]).toMatch(`${beside.urls[0]} and 2 more: a list; its columns`)
  const whole = await choose(pages, '--field', 'heading=title')
  expect(whole.notes[0]).toMatch(`${whole.urls[0]} and 2 more: a list, but its`)
})

test('a note says why no columns are added to those of the flags', async () => {
  const names = [...'abcdefghijklmnopqrst']
  const pages = names.map((name) => listOf(`chair-${name.repeat(50)}`))
  const { recipe, notes } = await choose(pages, '--field', 'heading=title')
  expect(recipe).toMatchObject({ extract: { fields: { heading: 'title' } } })
  expect(notes).toEqual([expect.stringContaining('too different for one recipe')])
})

test('a column has at most as many ways as a recipe may have', async () => {
  const urls = Array.from({ length: 20 }, (_, page) => `https://shop.example.com/${page}`)
  const request = await parseExtract(urls)
  if (request === null) throw new Error('The arguments are wrong')
  const { platform } = createWorld({ [`${urls[0]}`]: { body: listOf('chair') } })
  const detection = await platform.api.previews.detect(OWNER, `${urls[0]}`)
  const previews: Platform['api']['previews'] = {
    ...platform.api.previews,
    // Two ways for each page, of which no two are alike.
    async detect(_, url) {
      const page = url.slice(url.lastIndexOf('/') + 1)
      const fields = { title: [`.a${page}`, `.b${page}`] }
      return { ...detection, extract: { ...detection.extract, fields } }
    },
  }
  const scout = { ...platform, api: { ...platform.api, previews } }
  const { extract } = await detectPages(scout, request, NEVER)
  const pages = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
  expect(extract.fields['title']).toEqual(pages.flatMap((page) => [`.a${page}`, `.b${page}`]))
  expect(() => parseRecipe({ start: { urls }, extract })).not.toThrow()
})

test('--unique may name a column that the page has, and a misspelt one is refused later', async () => {
  const alone = await choose([listOf('chair')], '--unique', 'title')
  expect(compileRecipe(parseRecipe(alone.recipe)).columns).toContain('title')
  expect(alone.recipe).toMatchObject({ output: { unique: ['title'] } })
  const beside = await choose([listOf('chair')], '--field', 'label=h3', '--unique', 'title,label')
  expect(beside.recipe).toMatchObject({ output: { unique: ['title', 'label'] } })
  const { recipe } = await choose([listOf('chair')], '--unique', 'titel')
  expect(() => compileRecipe(parseRecipe(recipe))).toThrow(
    /"titel"; columns: .*; did you mean title\?/,
  )
})

/** Answers with the list where the cookie is sent, and notes the cookie of each request. */
async function behindCookie() {
  const cookies: (string | undefined)[] = []
  const next = '<a rel="next" href="/?page=2">Next</a>'
  const site = await serveHttp((request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end()
    cookies.push(request.headers.cookie)
    const isIn = request.headers.cookie === 'session=a1'
    response.setHeader('content-type', 'text/html')
    response.end(
      isIn ? `${listOf('chair')}${next}` : '<title>Sign in</title><p>Please sign in.</p>',
    )
  })
  return { ...site, cookies }
}

test('with a cookie the columns and the next page are those that the run will see', async () => {
  const { cookies, ...site } = await behindCookie()
  const flags = ['--cookie', 'session=a1', '--allow-private-network', '--pages', '3']
  const request = await parseExtract([`${site.origin}/`, ...flags])
  if (request === null) throw new Error('The arguments are wrong')
  const scouting = { visits: {}, server: null }
  try {
    const { recipe, notes } = await chooseRecipe(request, scouting, NEVER)
    expect(recipe).toMatchObject({
      page: { headers: { Cookie: 'session=a1' } },
      extract: { items: expect.any(String), fields: { title: 'h3.title-chair' } },
      follow: [{ next: expect.stringContaining('next') }],
    })
    expect(notes[0]).toMatch(/: a list; items .* with columns title=h3\.title-chair/)
    expect(cookies).toEqual(['session=a1'])
    const own = await parseExtract([`${site.origin}/`, ...flags, '--field', 'cost=.cost-chair'])
    if (own === null) throw new Error('The arguments are wrong')
    const beside = await chooseRecipe(own, scouting, NEVER)
    expect(beside.recipe).toMatchObject({
      extract: { fields: { title: 'h3.title-chair', cost: '.cost-chair' } },
    })
    expect(new Set(cookies)).toEqual(new Set(['session=a1']))
  } finally {
    await site[Symbol.asyncDispose]()
  }
})

test('a cookie is not sent to another site that links lead to', async () => {
  const { cookies, ...other } = await behindCookie()
  const site = await serveHttp((request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end()
    response.setHeader('content-type', 'text/html')
    response.end(`<title>Start</title><a class="out" href="${other.origin}/">Out</a>`)
  })
  const flags = ['--cookie', 'session=a1', '--follow', 'a.out', '--allow-private-network']
  const request = await parseExtract([`${site.origin}/`, ...flags])
  if (request === null) throw new Error('The arguments are wrong')
  try {
    await chooseRecipe(request, { visits: {}, server: null }, NEVER)
    expect(cookies.length).toBeGreaterThan(0)
    expect(cookies.every((cookie) => cookie === undefined)).toBe(true)
  } finally {
    await site[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
  }
})

test('with --render the page is looked at in the browser of the run, which stays open', async () => {
  const browser = createFakeBrowser(() => ({ html: listOf('chair') }))
  let isClosed = false
  const close = async () => void (isClosed = true)
  const chosen = await chooseWith(
    { visits: { browser: { render: browser.render, close } }, server: null },
    ['<title>App</title><div id="root"></div><script src="/app.js"></script>'],
    '--render',
  )
  expect(browser.requests.length).toBeGreaterThan(0)
  expect(chosen.recipe).toMatchObject({
    page: { render: 'browser' },
    extract: { fields: { title: 'h3.title-chair' } },
  })
  expect([chosen.needsScripts, isClosed]).toEqual([false, false])
})

test('the preview of a server that renders proposes the recipe that is run and saved', async () => {
  const extract = { items: '.chair', fields: { title: 'h3.title-chair' } }
  const calls: unknown[] = []
  const client = createClient({
    baseUrl: 'http://server.test',
    async fetch(request) {
      calls.push(await request.json())
      const recipe = { start: { urls: ['https://a.example.com/'] }, extract }
      const proposal = { kind: 'list', confidence: 1, reason: 'A list.', recipe }
      return Response.json({ success: true, data: { proposal, pages: [] } })
    },
  })
  const scouting = { visits: {}, server: client }
  const chosen = await chooseWith(scouting, [listOf('chair')], '--render', '--pages', '3')
  expect(calls).toMatchObject([
    { recipe: { page: { render: 'browser' }, extract: 'auto', follow: [{ next: 'auto' }] } },
  ])
  expect(chosen.recipe).toMatchObject({ extract })
  expect(chosen.notes).toEqual([expect.stringContaining('columns title=h3.title-chair')])
  const own = await chooseWith(scouting, [listOf('chair')], '--render', '--field', 'k=.km')
  expect(own.recipe).toMatchObject({ extract: { fields: { k: '.km' } } })
  expect(own.notes).toEqual([expect.stringMatching(/only the columns of --field/)])
})

test('braces name the pages: the first is looked at, and no next page is followed', async () => {
  const addresses: (string | undefined)[] = []
  await using site = await serveHttp((request, response) => {
    const { url } = request
    if (url === '/robots.txt') return void response.writeHead(404).end()
    addresses.push(url)
    const isThere = url !== undefined && /^\/[1-9]$/.test(url)
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'text/html' })
    response.end(isThere ? `${listOf('chair')}<a rel="next" href="/9">Next</a>` : '')
  })
  const scouting = { visits: {}, server: null }
  for (const range of ['{1..9}', '{1..3}', '{1,2}']) {
    const flags = ['--pages', '9', '--cookie', 'a=b', '--allow-private-network']
    const request = await parseExtract([`${site.origin}/${range}`, ...flags])
    if (request === null) throw new Error('The arguments are wrong')
    const { recipe, notes } = await chooseRecipe(request, scouting, NEVER)
    expect(recipe).toMatchObject({
      start: { urls: [`${site.origin}/${range}`] },
      extract: { fields: { title: 'h3.title-chair' } },
    })
    expect(recipe).not.toHaveProperty('follow')
    expect(notes.join()).not.toMatch(/next page/)
  }
  expect(new Set(addresses)).toEqual(new Set(['/1']))
})

test('a page whose host is named by braces gets the headers of the flags', async () => {
  const cookies: (string | undefined)[] = []
  await using site = await serveHttp((request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end()
    cookies.push(request.headers.cookie)
    response.writeHead(200, { 'content-type': 'text/html' }).end(listOf('chair'))
  })
  const hosts = `http://{127.0.0.1,localhost}:${new URL(site.origin).port}/`
  const request = await parseExtract([hosts, '--cookie', 'a=b', '--allow-private-network'])
  if (request === null) throw new Error('The arguments are wrong')
  await chooseRecipe(request, { visits: {}, server: null }, NEVER)
  expect(cookies).toEqual(['a=b'])
})

test('an interrupt ends the preview of the server', async () => {
  const [interrupt, reason] = [new AbortController(), new Error('Interrupted')]
  const client = createClient({
    baseUrl: 'http://server.test',
    fetch({ signal }) {
      const { promise, reject } = Promise.withResolvers<Response>()
      signal.addEventListener('abort', () => reject(signal.reason))
      interrupt.abort(reason)
      return promise
    },
  })
  const request = await parseExtract(['https://shop.example.com/', '--render'])
  if (request === null) throw new Error('The arguments are wrong')
  const scouting = { visits: {}, server: client }
  await expect(chooseRecipe(request, scouting, interrupt.signal)).rejects.toBe(reason)
})

test('a preview of the server that reads no page says why', async () => {
  const page = { reason: { code: 'http_status', message: 'The site answered 404' } }
  const client = createClient({
    baseUrl: 'http://server.test',
    fetch: async () => Response.json({ success: true, data: { proposal: null, pages: [page] } }),
  })
  const scouting = { visits: {}, server: client }
  await expect(chooseWith(scouting, [listOf('chair')], '--render')).rejects.toThrow(
    'The site answered 404',
  )
})
