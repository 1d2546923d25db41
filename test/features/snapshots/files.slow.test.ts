import { expect, it } from 'vitest'
import type { Answer } from '../../support/fakes/fake-web.ts'
import { pngOf } from '../../support/fakes/image-bytes.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'

// Proves that each style sheet and picture of a kept page is requested once, and that only harmless
// content is shown.

const SHOP = 'https://shop.example.com'
const CSS = { 'content-type': 'text/css' }
const SVG = { 'content-type': 'image/svg+xml' }
const PNG = { 'content-type': 'image/png' }

/** A kept page with these files, and its list of files. */
async function keptPage(html: string, files: Readonly<Record<string, Answer>>) {
  const world = createWorld({
    ...Object.fromEntries(Object.entries(files).map(([path, answer]) => [SHOP + path, answer])),
    [`${SHOP}/list`]: html,
  })
  const { previews, snapshots } = world.platform.api
  const recipe = { start: { urls: [`${SHOP}/list`] }, extract: 'auto' } as const
  const preview = await previews.run(OWNER, { recipe, scope: 'recipe', keep: true })
  const id = preview.pages[0]?.snapshot ?? ''
  return {
    world,
    id,
    view: await snapshots.get(OWNER, id),
    list: (query: { limit?: number; cursor?: string } = {}) => snapshots.files(OWNER, id, query),
  }
}

it('files are listed in the order of the page, style sheets first, each with its place', async () => {
  const { list, view } = await keptPage(
    '<link rel=stylesheet href=/a.css><style>p{color:red}</style>' +
      '<link rel="preload stylesheet" media="(min-width: 9px)" href=/b.css>' +
      '<link rel=stylesheet media=print href=/print.css><link rel="alternate stylesheet" href=/c.css>' +
      '<img src=/pen.png><p>Pen</p><img data-src=/late.png src="data:image/gif;base64,R0lGODlh"><img src=/pen.png>',
    {
      '/a.css': { headers: CSS, body: 'p{background:url(/b.png)}@import "/x.css";' },
      '/b.css': { headers: CSS, body: 'p{top:0}' },
      '/pen.png': { headers: PNG, body: pngOf(2, 2, 1) },
      '/late.png': { headers: PNG, body: pngOf(3, 3, 1) },
    },
  )
  const { items, nextCursor } = await list()
  expect(nextCursor).toBeNull()
  expect(items.map(({ kind, url, position }) => [kind, url.slice(SHOP.length), position])).toEqual([
    ['style', '/a.css', 0],
    ['style', '/b.css', 1],
    ['picture', '/pen.png', null],
    ['picture', '/late.png', null],
  ])
  expect(items[0]?.content).toBe('p{background:noneurl(/b.png)}@none "/x.css";')
  expect(items[1]?.content).toBe('@media (min-width: 9px) {p{top:0}\n}')
  const images = [...view.html.matchAll(/<img data-seine-index="(\d+)"/g)].map(([, index]) =>
    Number(index),
  )
  expect(items[2]?.elements).toEqual([images[0], images[2]])
  expect(items[2]?.content).toBe(
    `data:image/png;base64,${Buffer.from(pngOf(2, 2, 1)).toString('base64')}`,
  )
})

it('files are requested once, also missing ones, and are deleted with their snapshot', async () => {
  const { list, world, id } = await keptPage('<img src=/a.png><img src=/none.png>', {
    '/a.png': { headers: PNG, body: pngOf(200, 200, 7) },
  })
  const first = await list({ limit: 1 })
  expect(world.web.requests.get(`${SHOP}/none.png`)).toBeUndefined()
  const rest = await list({ limit: 1, cursor: first.nextCursor ?? '' })
  expect(rest.nextCursor).toBeNull()
  expect(rest.items[0]).toMatchObject({ content: null, reason: expect.stringContaining('404') })
  expect((await list()).items).toEqual([...first.items, ...rest.items])
  for (const path of ['/a.png', '/none.png'])
    expect(world.web.requests.get(SHOP + path), path).toBe(1)

  const stored = async () =>
    (await world.store.list({ prefix: ['acme'], limit: 1_000 })).filter(
      ({ key }) => String(key[1]).startsWith('snapshot') && String(key[2]).startsWith(id),
    )
  expect(await stored()).not.toEqual([])
  const page = { url: SHOP, contentType: 'text/html', body: new TextEncoder().encode('<p>1') }
  for (let nth = 0; nth < 20; nth++) await world.platform.api.snapshots.keep('acme', page)
  expect(await stored()).toEqual([])
  await expect(list()).rejects.toMatchObject({ status: 404 })
})

const bomb = pngOf(1, 1, 1)
new DataView(bomb.buffer, bomb.byteOffset).setUint32(16, 60_000)
new DataView(bomb.buffer, bomb.byteOffset).setUint32(20, 60_000)

it.for<readonly [what: string, tag: string, answer: Answer, reason: RegExp]>([
  ['a page of errors as style', '<link rel=stylesheet href=/f>', 'body{}', /not a style sheet/],
  ['HTML as a picture', '<img src=/f>', '<script>1</script>', /not a picture/],
  ['a picture of too many pixels', '<img src=/f>', { headers: PNG, body: bomb }, /not a picture/],
  [
    'an SVG that repeats itself',
    '<img src=/f>',
    { headers: SVG, body: '<svg><g id="a"/><use href="#a"/></svg>' },
    /not a picture/,
  ],
  [
    'an SVG with entities',
    '<img src=/f>',
    { headers: SVG, body: '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>' },
    /not a picture/,
  ],
  [
    'a file that is too large',
    '<img src=/f>',
    { headers: PNG, body: new Uint8Array(400_001) },
    /./,
  ],
  ['a private address', '<img src=http://127.0.0.1/f>', '', /./],
])('%s is left out, with a reason', async ([, tag, answer, reason]) => {
  const { list } = await keptPage(`<p>Pen</p>${tag}`, { '/f': answer })
  const [file] = (await list()).items
  expect(file?.content).toBeNull()
  expect(file?.reason).toMatch(reason)
})

it('a plain SVG is shown as a picture', async () => {
  const body = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="3" height="4"/></svg>'
  const { list } = await keptPage('<img src=/f>', { '/f': { headers: SVG, body } })
  expect((await list()).items[0]?.content).toBe(`data:image/svg+xml;base64,${btoa(body)}`)
})

it('robots.txt is checked first', async () => {
  const { list, world } = await keptPage('<img src=/private/a.png>', {
    '/robots.txt': { body: 'User-agent: *\nDisallow: /private/' },
    '/private/a.png': { headers: PNG, body: pngOf(1, 1, 1) },
  })
  expect((await list()).items[0]).toMatchObject({ content: null })
  expect(world.web.requests.get(`${SHOP}/private/a.png`)).toBeUndefined()
})

it('an answer ends early if files are large, and all files together are bounded', async () => {
  const tags = Array.from({ length: 40 }, (_, index) => `<img src=/${index}.png>`).join('')
  const large = pngOf(1, 1, 1)
  const body = new Uint8Array(390_000)
  body.set(large)
  const { list } = await keptPage(
    tags,
    Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`/${index}.png`, { headers: PNG, body }]),
    ),
  )
  const { items, nextCursor } = await list({ limit: 40 })
  expect(items).toHaveLength(4)
  const next = await list({ limit: 40, cursor: nextCursor ?? '' })
  expect(next.nextCursor).not.toBeNull()
  let cursor = next.nextCursor
  const rest = []
  while (cursor !== null) {
    const part = await list({ limit: 40, cursor })
    rest.push(...part.items)
    cursor = part.nextCursor
  }
  const shown = [...items, ...next.items, ...rest].filter(({ content }) => content !== null)
  expect(shown.length).toBeGreaterThan(10)
  expect(shown.length).toBeLessThan(16)
  expect(rest.at(-1)?.reason).toContain('too many files')
})

it('the first part of a long page is shown', async () => {
  const { view } = await keptPage('<table>'.padEnd(100_000, '<tr><td>1') + '<p>'.repeat(5_000), {})
  expect(view.elements).toBe(20_000)
  expect(view.isCut).toBe(true)
})
