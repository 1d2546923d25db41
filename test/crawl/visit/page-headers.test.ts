import type { RecipeInput } from 'seine'
import { expect, it } from 'vitest'
import type { Fetcher } from '../../../src/ports/fetcher.ts'
import { createFakeBrowser } from '../../support/fakes/fake-browser.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const SHOP = 'https://shop.example.com'
const OTHER = 'https://other.example.net'
const PAGES = {
  [`${SHOP}/`]: `<a href="/pen">pen</a><a href="${OTHER}/ad">ad</a><a href="http://shop.example.com/old">old</a>`,
  [`${SHOP}/pen`]: '<h1>Pen</h1>',
  [`${OTHER}/ad`]: '<h1>Ad</h1>',
  'http://shop.example.com/old': '<h1>Old</h1>',
  [`${OTHER}/`]: '<h1>Other</h1>',
  [`${SHOP}/away`]: { status: 302, headers: { location: `${OTHER}/ad` } },
}
const HEADERS = {
  'X-Api-Key': 'k',
  Cookie: 'a=1',
  Authorization: 'Bearer b',
  'Accept-Language': 'fr',
}
const RECIPE = {
  start: { urls: [`${SHOP}/`] },
  follow: [{ links: 'a' }],
  page: { headers: HEADERS },
  extract: { fields: { title: 'h1' } },
}
const SECRETS = ['authorization', 'cookie', 'x-api-key']

/** A world that notes which headers of the recipe each request had. */
function watched(options: Parameters<typeof createWorld>[1] = {}) {
  const web = createFakeWeb(PAGES)
  const sent: Record<string, string[]> = {}
  const fetcher: Fetcher = {
    ...web,
    send(request) {
      if (!request.url.pathname.endsWith('robots.txt'))
        sent[request.url.href] = Object.keys(request.headers)
          .filter(
            (name) =>
              SECRETS.includes(name) ||
              (name === 'accept-language' && request.headers[name] === 'fr'),
          )
          .toSorted()
      return web.send(request)
    },
  }
  return { world: createWorld(PAGES, { ...options, fetcher }), sent }
}

const ALL = ['accept-language', ...SECRETS].toSorted()
const HARMLESS = ['accept-language']

it('keys and cookies of a recipe go to the origins that it names, and to no others', async () => {
  const { world, sent } = watched()
  await world.start(RECIPE)
  await world.work()
  expect(sent).toEqual({
    [`${SHOP}/`]: ALL,
    [`${SHOP}/pen`]: ALL,
    [`${OTHER}/ad`]: HARMLESS,
    'http://shop.example.com/old': HARMLESS,
  })
})

it('a recipe may name the origins that get its headers', async () => {
  const { world, sent } = watched()
  await world.start({ ...RECIPE, page: { headers: HEADERS, headersTo: [OTHER] } })
  await world.work()
  expect([sent[`${SHOP}/`], sent[`${OTHER}/ad`]]).toEqual([HARMLESS, ALL])
  for (const wrong of [
    'other.example.net',
    `${OTHER}/path`,
    'ftp://other.example.net',
    'https://ann:b@other.example.net',
    `${OTHER}/?a`,
  ]) {
    await expect(world.start({ ...RECIPE, page: { headersTo: [wrong] } })).rejects.toMatchObject({
      issues: [
        { path: 'recipe.page.headersTo.0', message: expect.stringMatching(/must be an origin/) },
      ],
    })
  }
})

it('other start URLs of one execution do not get the keys of the task', async () => {
  const { world, sent } = watched()
  const recipe: RecipeInput = {
    start: { urls: [`${SHOP}/`] },
    page: { headers: HEADERS },
    extract: { fields: { title: 'h1' } },
  }
  const task = await world.platform.api.tasks.create(OWNER, { name: 't', recipe })
  await world.platform.api.executions.start(OWNER, task.id, { urls: [`${OTHER}/`, `${SHOP}/pen`] })
  await world.work()
  expect(sent).toEqual({ [`${OTHER}/`]: HARMLESS, [`${SHOP}/pen`]: ALL })
})

it('a preview sends them to the same origins', async () => {
  const { world, sent } = watched()
  await world.clock.runUntil(
    world.platform.api.previews.run(OWNER, { recipe: RECIPE, scope: 'recipe' }),
  )
  expect([
    sent[`${SHOP}/`],
    sent[`${OTHER}/ad`] ?? HARMLESS,
    sent['http://shop.example.com/old'] ?? HARMLESS,
  ]).toEqual([ALL, HARMLESS, HARMLESS])
})

it('requests of a rendered page have none of them if a redirect led to another origin', async () => {
  const browser = createFakeBrowser(async (html, { url }, ask) => {
    await ask({ url: new URL('/data', url).href })
    return { html }
  })
  const { world, sent } = watched({ browser })
  await world.start({
    start: { urls: [`${SHOP}/away`, `${SHOP}/pen`] },
    page: { render: 'browser', headers: HEADERS },
    extract: { fields: { title: 'h1' } },
  })
  await world.work()
  expect(sent).toMatchObject({
    [`${SHOP}/away`]: ALL,
    [`${OTHER}/ad`]: HARMLESS,
    [`${OTHER}/data`]: HARMLESS,
    [`${SHOP}/data`]: ALL,
  })
})
