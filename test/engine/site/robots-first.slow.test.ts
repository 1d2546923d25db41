import { expect, test } from 'vitest'
import type { RecipeInput } from 'seine'
import { createFakeBrowser } from '../../support/fakes/fake-browser.ts'
import type { Answer } from '../../support/fakes/fake-web.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const A = 'https://a.example.com'
const B = 'https://b.example.com'
const FORBIDS = 'User-agent: *\nDisallow: /private'
const xml = (body: string): Answer => ({ headers: { 'content-type': 'application/xml' }, body })
const sites: Record<string, Answer> = {
  [`${A}/`]:
    `<title>x</title><article><h1>Shop</h1><p>${'Some words of a story. '.repeat(40)}` +
    `</p></article><ul><li><a href="/private/p">p</a></li><li><a href="${B}/q">q</a></li>` +
    `</ul><img src="${B}/pic.png"><img src="/private/pic.png">`,
  [`${A}/moved`]: { status: 302, headers: { location: `${B}/private/p` } },
  [`${A}/sitemap.xml`]: xml(
    `<sitemapindex><sitemap><loc>${A}/private/more.xml</loc></sitemap><sitemap><loc>${A}` +
      '/rest.xml</loc></sitemap></sitemapindex>',
  ),
  [`${A}/rest.xml`]: xml(`<urlset><url><loc>${A}/</loc></url></urlset>`),
  [`${A}/lists`]: { status: 302, headers: { location: '/private/sitemap.xml' } },
  [`${A}/feed.xml`]: xml(`<rss><channel><item><link>${A}/private/p</link></item></channel></rss>`),
  [`${B}/q`]: '<h1>q</h1>',
  [`${B}/pic.png`]: { headers: { 'content-type': 'image/png' }, body: 'png' },
}

const fields = { title: 'h1' }
const ways: Record<string, RecipeInput> = {
  'start URLs': { start: { urls: [`${A}/`, `${A}/private/p`, `${A}/moved`] }, extract: { fields } },
  links: {
    start: { urls: [`${A}/`] },
    follow: [{ links: 'a', as: 'more' }],
    crawl: { scope: 'any' },
    extract: { fields },
  },
  'a sitemap': { start: { sitemap: `${A}/sitemap.xml` }, extract: { fields } },
  'a forbidden sitemap': {
    start: { sitemap: `${A}/private/sitemap.xml` },
    extract: { fields },
  },
  'a sitemap that leads to a forbidden one': {
    start: { sitemap: `${A}/lists` },
    extract: { fields },
  },
  'a feed': { start: { feed: `${A}/feed.xml` }, extract: { fields } },
  'a forbidden feed': { start: { feed: `${B}/private/feed.xml` }, extract: { fields } },
  detection: { start: { urls: [`${A}/private/p`, `${A}/`] }, extract: 'auto' },
  media: {
    start: { urls: [`${A}/`] },
    extract: { fields: { pictures: { css: 'img', attr: 'src', as: 'media', many: true } } },
  },
  rendering: {
    start: { urls: [`${A}/`] },
    page: { render: 'browser' },
    extract: { fields },
  },
}

/** A world whose browser requests a URL of another origin, and a forbidden URL. */
function open(): World {
  const pages = { ...sites, [`${A}/robots.txt`]: FORBIDS, [`${B}/robots.txt`]: FORBIDS }
  const browser = createFakeBrowser(async (_, __, ask) => {
    await ask({ url: `${B}/q` })
    await ask({ url: `${A}/private/data` })
    return {}
  })
  return createWorld(pages, { browser })
}

/**
 * Checks the requests to the sites in order: `requests` has URLs in the order of their first
 * request.
 */
function expectRobotsFirst({ web }: World): void {
  const urls = [...web.requests.keys()].map((url) => new URL(url))
  expect(urls.length).toBeGreaterThan(0)
  for (const origin of new Set(urls.map((url) => url.origin)))
    expect(urls.find((url) => url.origin === origin)?.pathname).toBe('/robots.txt')
  expect(urls.filter(({ pathname }) => pathname.startsWith('/private'))).toEqual([])
}

test.for(Object.entries(ways))('an execution asks robots.txt first: %s', async ([, recipe]) => {
  const world = open()
  const task = await world.platform.api.tasks.create(OWNER, { name: 'x', recipe })
  const { id } = await world.platform.api.executions.start(OWNER, task.id)
  await world.work()
  expect((await world.read(id)).finishedAt).not.toBeNull()
  expectRobotsFirst(world)
})

test.for(Object.entries(ways))('a preview asks robots.txt first: %s', async ([, recipe]) => {
  const world = open()
  await world.clock.runUntil(world.platform.api.previews.run(OWNER, { recipe, scope: 'x' }))
  expectRobotsFirst(world)
})

test.for([`${A}/`, `${A}/private/p`, `${A}/moved`])(
  'detection asks robots.txt first: %s',
  async (url) => {
    const world = open()
    await world.clock
      .runUntil(world.platform.api.previews.detect(OWNER, url))
      .catch(() => undefined)
    expectRobotsFirst(world)
  },
)

test.for<readonly ['fetch' | 'crawl', Record<string, string>]>([
  ['fetch', { id: `${A}/` }],
  ['fetch', { id: `${A}/private/p` }],
  ['fetch', { id: `${A}/moved` }],
  ['crawl', { url: `${A}/` }],
])('agents ask robots.txt first: %s %j', async ([tool, args]) => {
  const world = open()
  const call = world.platform.api.agentic.call(OWNER, { tool, arguments: args })
  await world.clock.runUntil(call.catch(() => undefined))
  await world.work()
  expectRobotsFirst(world)
})

test.for([
  ['sitemap', { url: `${A}/sitemap.xml` }],
  ['article', { urls: [`${A}/`, `${A}/private/p`] }],
] as const)('a template asks robots.txt first: %s', async ([template, params]) => {
  const world = open()
  await world.platform.api.templates.run(OWNER, template, { params })
  await world.work()
  expectRobotsFirst(world)
})

test('robots.txt is ignored if the recipe says so', async () => {
  const world = open()
  const recipe = {
    start: { sitemap: `${A}/private/sitemap.xml` },
    crawl: { robots: false },
    extract: { fields },
  }
  await world.clock.runUntil(world.platform.api.previews.run(OWNER, { recipe, scope: 'x' }))
  expect([...world.web.requests.keys()]).toEqual([`${A}/private/sitemap.xml`])
})
