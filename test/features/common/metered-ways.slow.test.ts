import { describe, expect, it, test } from 'vitest'
import type { SearchProvider } from '../../../src/ports/search-provider.ts'
import { readSources } from '../../support/sources/sources.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com/'
const PAGES = {
  [SITE]: '<title>Pens</title><main><h1>Pens</h1><p>Some words about pens and ink.</p></main>',
  [`${SITE}robots.txt`]: { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\n' },
  [`${SITE}sitemap.xml`]: {
    headers: { 'content-type': 'application/xml' },
    body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${SITE}</loc></url></urlset>`,
  },
}
const PRICE = 2
const recipe = { start: { urls: [SITE] }, extract: { fields: { title: 'h1' } } }
const provider: SearchProvider = {
  name: 'a test',
  search: async () => [{ url: SITE, title: 'Pens', text: 'Some words' }],
}

/** A way to fetch a page, and its usage. By default each requested page is counted and paid. */
interface Way {
  readonly use: (world: World) => Promise<unknown>
  /** The number of requested pages. Default 1. */
  readonly asked?: number
  /** The number of counted pages. Default: the requested pages. */
  readonly counted?: number
  /** The number of paid pages. Default: the counted pages. */
  readonly paid?: number
}

const agent = (world: World, tool: 'search' | 'fetch' | 'crawl', args: Record<string, string>) =>
  world.platform.api.agentic.call(OWNER, { tool, arguments: args, waitSeconds: 0 })
const run = (world: World, start: object) =>
  world.platform.api.executions.run(OWNER, { recipe: { ...recipe, start } })

/** Every way to fetch pages of a site, and how it is metered. */
const WAYS: Readonly<Record<string, Way>> = {
  'an execution of a task': { use: (world) => world.start(recipe) },
  'an execution without a task': { use: (world) => run(world, recipe.start) },
  "an agent's crawl": { use: (world) => agent(world, 'crawl', { url: SITE }) },
  "an agent's fetch": { use: (world) => agent(world, 'fetch', { id: SITE }) },
  // The page on which fields are detected is requested once, and counted with its visit.
  'an execution that detects its fields': {
    use: (world) => world.start({ ...recipe, extract: 'auto' }),
  },
  'a preview of a recipe': {
    use: ({ platform }) => platform.api.previews.run(OWNER, { recipe, scope: 'recipe' }),
    paid: 0,
  },
  'a preview of a task': {
    async use({ platform }) {
      const { id } = await platform.api.tasks.create(OWNER, { name: 'shop', recipe })
      return platform.api.previews.runTask(OWNER, id)
    },
    paid: 0,
  },
  detection: { use: ({ platform }) => platform.api.previews.detect(OWNER, SITE), paid: 0 },
  // These list the pages of a site.
  'a sitemap and robots.txt': { use: (world) => run(world, { sitemap: `${SITE}sitemap.xml` }) },
  'a search that gives start pages': {
    use: (world) => run(world, { search: { query: 'pens' } }),
  },
  'a search of an agent': { use: (world) => agent(world, 'search', { query: 'pens' }), asked: 0 },
  'a fetched page, by its id': {
    async use(world) {
      const { result } = await agent(world, 'fetch', { id: SITE })
      const id = Object.entries(result).find(([name]) => name === 'id')?.[1]
      return agent(world, 'fetch', { id: String(id) })
    },
  },
  'another recipe over kept pages': {
    async use(world) {
      const keeping = { ...recipe, page: { keep: true } }
      const { id } = await world.platform.api.executions.run(OWNER, { recipe: keeping })
      await world.work()
      return world.platform.api.executions.extract(OWNER, id, {
        recipe: { extract: recipe.extract },
      })
    },
    counted: 2,
    paid: 1,
  },
  'an estimate': {
    use: ({ platform }) => platform.api.estimates.recipe(OWNER, recipe),
    asked: 0,
  },
}

describe('every way to fetch a page is metered', () => {
  it.each(Object.entries(WAYS))(
    '%s',
    async (_, { use, asked = 1, counted = asked, paid = counted }) => {
      const world = createWorld(PAGES, {
        search: provider,
        billing: { prices: { fetched: PRICE } },
      })
      const { analytics, billing } = world.platform.api
      await world.clock.runUntil(use(world))
      await world.work()
      expect(world.web.requests.get(SITE) ?? 0).toBe(asked)
      const [summary, { items }, usage, ledger] = await Promise.all([
        analytics.summary(OWNER),
        analytics.tasks(OWNER),
        billing.callers(OWNER, { by: 'user' }),
        billing.usage(OWNER),
      ])
      expect([summary.pages, summary.credits, ledger.spent]).toEqual([
        counted,
        paid * PRICE,
        paid * PRICE,
      ])
      const { pages, bytes, credits } = summary
      const used = { pages, bytes, credits }
      for (const lines of [items, usage.callers])
        expect({
          pages: lines.reduce((sum, line) => sum + line.pages, 0),
          bytes: lines.reduce((sum, line) => sum + line.bytes, 0),
          credits: lines.reduce((sum, line) => sum + line.credits, 0),
        }).toEqual(used)
      expect(usage.callers.map(({ id }) => id)).toEqual(counted === 0 ? [] : [OWNER.user])
      expect((await world.platform.verify()).differences).toEqual([])
    },
  )
})

test('there is no other way to fetch a page', () => {
  const callersOf = (name: RegExp): string[] =>
    [...readSources('src')].flatMap(([file, text]) => (name.test(text) ? [file] : [])).toSorted()
  expect(callersOf(/\bvisitPage\(/)).toEqual([
    'src/crawl/run/detect-first.ts',
    'src/crawl/visit/visit.ts',
    'src/features/agentic/read-page.ts',
    'src/features/previews/inspect.ts',
    'src/features/previews/preview-run.ts',
  ])
  expect(callersOf(/(?<!function )\bfetchPage\(/)).toEqual([
    // Media of a page that was visited.
    'src/crawl/media/media-keeper.ts',
    // A visit.
    'src/engine/visit/load-page.ts',
    // Style sheets and pictures of a page in a preview, which are free.
    'src/features/snapshots/files.ts',
  ])
})
