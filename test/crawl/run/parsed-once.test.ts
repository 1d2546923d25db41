import { expect, test, vi } from 'vitest'
import type { Json } from '../../../src/kernel/json.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const START = 'https://shop.example.com/p/1'
/** The compiler parses it with `new URL`, and the schema of recipes with `URL.parse`. */
const HEADERS_TO = 'https://api.example.com'
const PAGES = { [START]: { body: '<h1>Pen</h1>' } }

/** The URLs that `src` has parsed since the last call, and by which file. */
function watchUrls(): () => string[] {
  const RealUrl = URL
  const parsed: string[] = []
  const note = (how: string, text: string | URL): void => {
    const file = /\/src\/([\w/-]+\.ts)/.exec(new Error().stack ?? '')?.[1]
    if (file !== undefined) parsed.push(`${how} ${String(text)} ${file}`)
  }
  class WatchedUrl extends RealUrl {
    constructor(url: string | URL, base?: string | URL) {
      super(url, base)
      note('new', url)
    }
    static override parse(url: string | URL, base?: string | URL): URL | null {
      note('parse', url)
      return RealUrl.parse(url, base)
    }
    static override canParse(url: string | URL, base?: string | URL): boolean {
      note('canParse', url)
      return RealUrl.canParse(url, base)
    }
  }
  vi.stubGlobal('URL', WatchedUrl)
  return () => parsed.splice(0)
}

async function post(world: World, path: string, body: Json): Promise<string> {
  const key = await world.platform.api.keys.create(OWNER, { name: 'key', scopes: ['*'] })
  const answer = await world.platform.fetch(
    new Request(`https://host.example.com/api/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key.secret, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
  const { data } = await answer.json()
  expect([answer.status, data]).toEqual([201, expect.objectContaining({ id: expect.any(String) })])
  return data.id
}

/** The calls for the start URL or its origin. The address of robots.txt is another URL. */
const startsIn = (parsed: readonly string[]) =>
  parsed.filter((call) => call.includes('//shop.example.com') && !call.includes('robots.txt'))

/** From a task to its row. `title` makes a recipe that no other test has compiled. */
async function fromTaskToRow(
  title: string,
  start: (world: World, recipe: Json) => Promise<string>,
): Promise<{ made: readonly string[]; ran: readonly string[] }> {
  const world = createWorld(PAGES)
  const recipe = {
    start: { urls: [START] },
    page: { headers: { 'x-shop': 'pens' }, headersTo: [HEADERS_TO] },
    extract: { fields: { [title]: 'h1' } },
  }
  const parsed = watchUrls()
  const id = await start(world, recipe)
  const made = parsed()
  await world.work()
  const ran = parsed()
  vi.unstubAllGlobals()
  expect(await world.rows(id)).toEqual([{ [title]: 'Pen' }])
  return { made, ran }
}

test('a start URL is parsed once from its task to its row: for its request', async () => {
  const { made, ran } = await fromTaskToRow('name', async (world, recipe) => {
    const task = await post(world, '/tasks', { recipe })
    return post(world, `/tasks/${task}/executions`, {})
  })
  expect(startsIn(made)).toEqual([])
  expect(startsIn(ran)).toEqual([`parse ${START} engine/egress/guard.ts`])
})

test('a recipe is checked once and compiled once, from its task to its row', async () => {
  const { made, ran } = await fromTaskToRow('label', async (world, recipe) => {
    const task = await post(world, '/tasks', { recipe })
    return post(world, `/tasks/${task}/executions`, {})
  })
  expect([...made, ...ran].filter((call) => call.includes(HEADERS_TO))).toEqual([
    `parse ${HEADERS_TO} engine/recipe/schema.ts`,
    `new ${HEADERS_TO} engine/plan/compile.ts`,
  ])
})

test('so is a recipe that runs without a task, and one that a program gives', async () => {
  const starts = {
    request: (world: World, recipe: Json) => post(world, '/executions', { recipe }),
    program: (world: World, recipe: Json) => world.start(recipe),
  }
  for (const [name, start] of Object.entries(starts)) {
    const { made, ran } = await fromTaskToRow(name, start)
    const all = [...made, ...ran]
    expect(all.filter((call) => call.startsWith(`new ${HEADERS_TO}`))).toHaveLength(1)
    expect(startsIn(all)).toEqual([`parse ${START} engine/egress/guard.ts`])
  }
})

test('a start URL of another form is also parsed when its task is made, and not again', async () => {
  const world = createWorld(PAGES)
  const parsed = watchUrls()
  const id = await world.start({
    start: { urls: ['HTTPS://Shop.example.com/p/./1#top'] },
    extract: { fields: { unusual: 'h1' } },
  })
  await world.work()
  const calls = startsIn(parsed().map((call) => call.toLowerCase()))
  vi.unstubAllGlobals()
  expect(await world.rows(id)).toEqual([{ unusual: 'Pen' }])
  expect(calls.map((call) => call.split(' ').at(-1))).toEqual([
    'engine/recipe/expand-urls.ts',
    'engine/egress/guard.ts',
  ])
})

test('a link is parsed once from its page to its row: for its request', async () => {
  const root = 'https://shop.example.com'
  const hrefs = ['/p/2', '3', '?page=2', `${root}/p/4#top`, '/p/5#price', '/p/old', '/p/2']
  const links = hrefs.map((href) => `<a href="${href}">one</a>`).join('')
  const world = createWorld({
    [START]: { body: `<h1>Pens</h1>${links}<a href="https://away.example.com/">away</a>` },
    ...Object.fromEntries(
      ['/p/2', '/p/3', '/p/1?page=2', '/p/4', '/p/5', '/p/6'].map((path) => [
        root + path,
        { body: `<h1>${path}</h1><a href="/p/2">again</a>` },
      ]),
    ),
    [`${root}/p/old`]: { status: 301, headers: { location: '/p/6' } },
  })
  const parsed = watchUrls()
  const id = await world.start({
    start: { urls: [START] },
    crawl: { scope: 'path', maxDepth: 3 },
    follow: [{ links: 'a' }],
    extract: { fields: { linked: 'h1' } },
  })
  await world.work()
  const calls = parsed()
  vi.unstubAllGlobals()
  const rows = await world.rows(id)
  expect(rows.map((row) => row['linked']).toSorted()).toEqual(
    ['Pens', '/p/2', '/p/3', '/p/1?page=2', '/p/4', '/p/5', '/p/6'].toSorted(),
  )
  expect(calls.filter((call) => call.includes('away.example.com'))).toEqual([])
  const paths = ['/p/1', '/p/2', '/p/3', '/p/1?page=2', '/p/4', '/p/5', '/p/old']
  expect(startsIn(calls).toSorted()).toEqual(
    paths.map((path) => `parse ${root}${path} engine/egress/guard.ts`).toSorted(),
  )
})
