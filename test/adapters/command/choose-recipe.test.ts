import { expect, test } from 'vitest'
import { parseRecipe } from 'seine'
import type { Platform } from 'seine'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { chooseRecipe } from '../../../adapters/command/detect/choose-recipe.ts'
import { detectPages } from '../../../adapters/command/detect/detect-pages.ts'
import { parseExtract } from '../../../adapters/command/extract-flags.ts'
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
async function choose(pages: readonly string[], ...flags: string[]) {
  const site = await serveHttp((request, response) => {
    const page = pages[Number(request.url?.slice(1))]
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page)
  })
  const urls = pages.map((_, page) => `${site.origin}/${page}`)
  const request = await parseExtract([...urls, ...flags, '--allow-private-network'])
  if (request === null) throw new Error('The arguments are wrong')
  try {
    const chosen = await chooseRecipe({ ...request, allowPrivateNetwork: true }, null, NEVER)
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

test('with a header, a cookie or a browser the run itself looks for columns and the next page', async () => {
  const pages = [listOf('chair')]
  const detected = await choose(pages, '--pages', '3', '--cookie', 'a=b', '--header', 'x-a: b')
  expect(detected.recipe).toMatchObject({ extract: 'auto', follow: [{ next: 'auto' }] })
  expect(detected.notes).toEqual([expect.stringMatching(/^With --header and --cookie the columns/)])
  const own = await choose(pages, '--pages', '3', '--render', '--field', 'k=.km')
  expect(own.recipe).toMatchObject({
    extract: { fields: { k: '.km' } },
    follow: [{ next: 'auto' }],
  })
  expect(own.notes).toEqual([
    expect.stringMatching(/^With --render the columns of --field .* alone/),
  ])
  for (const { recipe } of [detected, own]) expect(() => parseRecipe(recipe)).not.toThrow()
})

test.for([
  ['--cookie', 'a=b'],
  ['--cookie', 'a=b', '--pages', '1'],
  ['--cookie', 'a=b', '--pages', '9', '--scope', 'host'],
  ['--cookie', 'a=b', '--pages', '9', '--no-detect', '--field', 'k=.km'],
])('%j follows no link that it would have to find', async (flags) => {
  const { recipe } = await choose([listOf('chair')], ...flags)
  expect(recipe).not.toHaveProperty('follow')
})
