import { expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../../src/engine/extract/page/page-content.ts'
import { formatPage } from '../../../../src/engine/extract/format/format-page.ts'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../../src/engine/recipe/parse-recipe.ts'
import { atOnce } from '../../../../src/engine/extract/page/in-turns.ts'
import { relParts } from '../../../../src/engine/extract/page/microformats.ts'

function pageOf(html: string, budget = new PageBudget()): PageContent {
  const body = new TextEncoder().encode(`<!DOCTYPE html><body>${html}`)
  const contentType = 'text/html; charset=utf-8'
  return new PageContent({ url: 'https://a.example/b/', contentType, body }, START, budget)
}

function itemsOf(html: string) {
  return pageOf(html).microformats.flatMap(({ value, isTop }) => (isTop ? [value] : []))
}

test('an entry has its author, dates and content', () => {
  expect(
    itemsOf(`<article class="h-entry" id="one"><h1 class="p-name">One</h1>
      <a class="u-url" href="one">#</a><time class="dt-published" datetime="2026-01-05">x</time>
      <div class="e-content"><p>See <a href="/map">it</a></p></div>
      <a class="p-author h-card" href="/ann"><img src="a.png" alt="Ann"></a></article>`),
  ).toEqual([
    {
      type: ['h-entry'],
      id: 'one',
      properties: {
        name: ['One'],
        url: ['https://a.example/b/one'],
        published: ['2026-01-05'],
        content: [{ html: '<p>See <a href="https://a.example/map">it</a></p>', value: 'See it' }],
        author: [
          {
            value: 'Ann',
            type: ['h-card'],
            properties: {
              name: ['Ann'],
              photo: [{ value: 'https://a.example/b/a.png', alt: 'Ann' }],
              url: ['https://a.example/ann'],
            },
          },
        ],
      },
    },
  ])
})

test('a name, a photo and a URL are found although they are not marked', () => {
  expect(itemsOf('<a class="h-card" href="/lee">Lee</a>')).toEqual([
    { type: ['h-card'], properties: { name: ['Lee'], url: ['https://a.example/lee'] } },
  ])
  expect(itemsOf('<p class="h-card"><img src="l.png" alt="Lee"></p>')).toEqual([
    {
      type: ['h-card'],
      properties: {
        name: ['Lee'],
        photo: [{ value: 'https://a.example/b/l.png', alt: 'Lee' }],
      },
    },
  ])
})

test('classic microformats are read', () => {
  expect(
    itemsOf(`<div class="vevent"><b class="summary">Party</b>
      <abbr class="dtstart"><i class="value">2026-01-05</i> <i class="value">7pm</i></abbr>
      <span class="location vcard"><i class="fn org">Hall</i></span></div>`),
  ).toEqual([
    {
      type: ['h-event'],
      properties: {
        name: ['Party'],
        start: ['2026-01-05 19:00'],
        location: [
          { value: 'Hall', type: ['h-card'], properties: { name: ['Hall'], org: ['Hall'] } },
        ],
      },
    },
  ])
})

test('items within items are children, and a template is not', () => {
  expect(
    itemsOf(`<div class="h-feed"><b class="p-name">F</b><p class="h-entry">x</p>
      <template><p class="h-entry">y</p></template></div>`),
  ).toEqual([
    {
      type: ['h-feed'],
      properties: { name: ['F'] },
      children: [{ type: ['h-entry'], properties: { name: ['x'] } }],
    },
  ])
})

test('a class for the height of a box is not a type', () => {
  expect(itemsOf('<div class="h-full"><p class="h-card">Ann</p></div>')).toEqual([
    { type: ['h-card'], properties: { name: ['Ann'] } },
  ])
})

test('the value of an item in an item is its p-name or u-url, or else the shown text', () => {
  const [{ properties } = { properties: {} }] = itemsOf(`<div class="h-entry">
    <p class="p-author h-card">By <a class="u-name" href="/ann">Ann</a></p>
    <a class="u-author h-card" href="/b"><i class="p-url">x</i></a>
    <a class="u-like-of h-cite" href="/c"><i class="p-name">C</i> <i class="u-url">/d</i></a></div>`)
  expect(properties).toMatchObject({
    author: [{ value: 'By Ann' }, { value: 'https://a.example/b' }],
    'like-of': [{ value: 'https://a.example/d' }],
  })
})

test('the text of a link with a relation is its whole text', () => {
  const page = pageOf('<a rel="tag" href="/t"> T\n</a><a rel="me" href="/m"> </a>')
  const { 'rel-urls': urls } = atOnce(relParts(page.tree, page.budget, (href) => page.nameOf(href)))
  expect(urls['https://a.example/t']).toEqual({ rels: ['tag'], text: ' T\n' })
  expect(urls['https://a.example/m']).toEqual({ rels: ['me'] })
})

test('relations of links are read', () => {
  const page = pageOf('<a rel="tag me" href="/t">T</a><a rel="tag" href="/t" title="x">U</a>')
  expect(atOnce(relParts(page.tree, page.budget, (href) => page.nameOf(href)))).toEqual({
    rels: { tag: ['https://a.example/t'], me: ['https://a.example/t'] },
    'rel-urls': { 'https://a.example/t': { rels: ['me', 'tag'], text: 'T', title: 'x' } },
  })
})

test('a source of microdata reads microformats by their type', () => {
  const recipe = parseRecipe({
    start: { urls: ['https://a.example/'] },
    extract: {
      fields: {
        title: { microdata: 'h-entry.name' },
        author: { microdata: 'h-card.name' },
        photo: { microdata: 'h-entry.author.photo', as: 'url' },
      },
    },
  })
  const html = `<!DOCTYPE html><div class="h-entry"><b class="p-name">One</b>
    <a class="p-author h-card" href="/ann"><img src="a.png" alt="Ann"></a></div>`
  const body = new TextEncoder().encode(html)
  const page = { url: 'https://a.example/', contentType: 'text/html; charset=utf-8', body }
  expect(compileRecipe(recipe).process(page, START).rows).toEqual([
    { title: 'One', author: 'Ann', photo: 'https://a.example/a.png' },
  ])
  expect(formatPage(new PageContent(page), 'structured')).toMatchObject({
    microformats: { items: [{ type: ['h-entry'] }], rels: {}, 'rel-urls': {} },
  })
})

test('deep items are cut, and the cut is reported', () => {
  const budget = new PageBudget()
  const { microformats } = pageOf('<div class="h-entry p-x">'.repeat(200), budget)
  expect(microformats.filter(({ isTop }) => isTop)).toHaveLength(1)
  expect(budget.losses.cuts).toEqual([{ what: 'levels of microformats', limit: 20, where: 'page' }])
})
