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

test('a start URL is parsed once when its task is made, and once for its request', async () => {
  const { made, ran } = await fromTaskToRow('name', async (world, recipe) => {
    const task = await post(world, '/tasks', { recipe })
    return post(world, `/tasks/${task}/executions`, {})
  })
  expect(startsIn(made)).toEqual([`parse ${START} engine/recipe/expand-urls.ts`])
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
    expect(startsIn(all)).toHaveLength(2)
  }
})
