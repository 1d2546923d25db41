import { expect, it } from 'vitest'
import { createFakeBrowser } from '../../support/fakes/fake-browser.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://a.example.com'
const ARTICLE = `<title>News</title><article><h1>News</h1><p>${'Some words of a story. '.repeat(40)}</p></article>`

it('a page is detected at the end of its redirects, and robots.txt is checked before', async () => {
  const world = createWorld({
    [`${SITE}/robots.txt`]: 'User-agent: *\nDisallow: /private',
    [`${SITE}/private`]: ARTICLE,
    [`${SITE}/old`]: { status: 302, headers: { location: '/new' } },
    [`${SITE}/new`]: ARTICLE,
  })
  const { previews } = world.platform.api
  expect(await previews.detect(OWNER, `${SITE}/old`)).toMatchObject({
    url: `${SITE}/new`,
    kind: 'article',
  })
  expect([...world.web.requests.keys()]).toEqual([
    `${SITE}/robots.txt`,
    `${SITE}/old`,
    `${SITE}/new`,
  ])
  await expect(previews.detect(OWNER, `${SITE}/private`)).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    message: expect.stringContaining('robots.txt'),
  })
  expect(world.web.requests.has(`${SITE}/private`)).toBe(false)
  expect(await previews.detect(OWNER, `${SITE}/private`, { robots: false })).toMatchObject({
    kind: 'article',
  })
})

it('a page that cannot be used is refused with the reason', async () => {
  const world = createWorld({
    [`${SITE}/busy`]: { status: 503, headers: { 'retry-after': '5' } },
    [`${SITE}/down`]: 'down',
  })
  for (const [path, message] of [
    ['busy', 'The page could not be fetched: The site answered 503 and asks to wait 5 s'],
    ['down', 'The page could not be fetched: '],
    ['gone', 'The page could not be fetched: The site answered 404'],
  ] as const) {
    const url = `${SITE}/${path}`
    await expect(world.platform.api.previews.detect(OWNER, url)).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message: expect.stringContaining(message),
    })
    expect(world.web.requests.get(url)).toBe(1)
  }
})

it('a page that is written by scripts is reported as such', async () => {
  const world = createWorld({
    [`${SITE}/app`]: '<title>App</title><div id="root"></div><script src="/app.js"></script>',
    [`${SITE}/new`]: `${ARTICLE}<script src="/app.js"></script>`,
  })
  const { previews } = world.platform.api
  expect((await previews.detect(OWNER, `${SITE}/app`)).needsScripts).toBe(true)
  expect((await previews.detect(OWNER, `${SITE}/new`)).needsScripts).toBeUndefined()
})

it('a page is requested as `page` says, which is checked before', async () => {
  const browser = createFakeBrowser(() => ({ html: ARTICLE }))
  const world = createWorld(
    { [`${SITE}/app`]: '<title>App</title><div id="root"></div><script src="/app.js"></script>' },
    { browser },
  )
  const { previews } = world.platform.api
  const rendered = await previews.detect(OWNER, `${SITE}/app`, { page: { render: 'browser' } })
  expect([rendered.kind, browser.requests.length]).toEqual(['article', 1])
  await expect(
    previews.detect(OWNER, `${SITE}/app`, { page: { headers: { 'a b': 'c' } } }),
  ).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  const without = createWorld({ [`${SITE}/app`]: ARTICLE }).platform.api
  await expect(
    without.previews.detect(OWNER, `${SITE}/app`, { page: { render: 'browser' } }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('a text that is not an address is refused', async () => {
  const { previews } = createWorld({}).platform.api
  await expect(previews.detect(OWNER, 'the news')).rejects.toMatchObject({
    code: 'UNPROCESSABLE_CONTENT',
    message: expect.stringContaining('The page could not be fetched: '),
  })
})
