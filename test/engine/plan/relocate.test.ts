import { describe, expect, test } from 'vitest'
import { openPageWork } from '../../../src/engine.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import type { PageRelocation } from '../../../src/ports/page-processor.ts'

const encoder = new TextEncoder()
const VISIT = { label: 'start', depth: 0, hop: 1 }

async function relocate(
  extract: Json,
  html: string,
  columns: readonly string[],
  rows: readonly Row[],
): Promise<PageRelocation> {
  const work = await openPageWork({ start: { urls: ['https://shop.example/'] }, extract })
  return work.answer(
    'relocate',
    {
      url: 'https://shop.example/',
      contentType: 'text/html',
      body: encoder.encode(html),
      sought: { columns, rows },
    },
    VISIT,
  )
}

const sourcesOf = ([first]: PageRelocation): Json[] =>
  first?.sources.map(({ source }) => source) ?? []

const PENS: readonly Row[] = [
  { name: 'Fine liner', price: 3.5 },
  { name: 'Fountain pen', price: 42 },
  { name: 'Pencil', price: 1.2 },
]
const FIELDS = { name: 'h2', price: { css: '.price', as: 'number' } }
const card = ({ name, price }: Row): string =>
  `<li class="card"><div><h3 class="title">${String(name)}</h3></div><b class="amount">€ ${String(price)}</b></li>`
const SHOP = `<ul>${PENS.map(card).join('')}</ul>`

describe('relocation with one row for each page', () => {
  test('proposes selectors of the element with the value', async () => {
    const relocations = await relocate(
      { fields: { price: { css: '.price', as: 'number' } } },
      '<h1>Pen</h1><p class="cost">€ 12.50</p><p>Shipping € 4</p>',
      ['price'],
      [{ price: 12.5 }],
    )
    expect(sourcesOf(relocations)[0]).toEqual({ css: 'p.cost', as: 'number' })
  })

  test('proposes an attribute if the field reads one', async () => {
    const relocations = await relocate(
      { fields: { more: { xpath: '//a[@class="old"]/@href' } } },
      '<a class="new" href="/a">more</a><a href="/b">less</a>',
      ['more'],
      [{ more: '/a' }],
    )
    expect(sourcesOf(relocations)[0]).toEqual({ css: 'a.new', attr: 'href' })
  })

  test('proposes structured data of the page that has the value', async () => {
    const relocations = await relocate(
      { fields: { price: { css: '.price', as: 'number' } } },
      '<script type="application/ld+json">{"offers":{"price":"12.50"}}</script><p>Pen</p>',
      ['price'],
      [{ price: 12.5 }],
    )
    expect(sourcesOf(relocations)[0]).toEqual({ jsonld: '$..offers.price', as: 'number' })
    const text = await relocate(
      { fields: { brand: '.brand' } },
      '<meta property="product:brand" content="Nib">' +
        '<script type="application/ld+json">{"brand":{"name":"Nib"}}</script>',
      ['brand'],
      [{ brand: 'Nib' }],
    )
    expect(sourcesOf(text)).toEqual([{ jsonld: '$..brand.name' }, { meta: 'product:brand' }])
  })

  test('finds nothing if the value is gone, or only in the navigation', async () => {
    const extract = { fields: { kind: '.kind' } }
    for (const html of ['<p>Pen</p>', '<nav><a>Pens</a></nav><footer><p>Pens</p></footer>'])
      expect(sourcesOf(await relocate(extract, html, ['kind'], [{ kind: 'Pens' }]))).toEqual([])
  })
})

describe('items', () => {
  test('that still match keep their selector', async () => {
    const relocations = await relocate({ items: 'li', fields: FIELDS }, SHOP, ['price'], PENS)
    expect(relocations).toHaveLength(1)
    expect(relocations[0]).toMatchObject({
      items: null,
      sources: expect.arrayContaining([
        { column: 'price', source: { css: 'b.amount', as: 'number' }, rows: 3 },
      ]),
    })
  })

  test('that no longer match are found by the values of their rows', async () => {
    const relocations = await relocate(
      { items: '.item', fields: FIELDS },
      SHOP,
      ['name', 'price'],
      PENS,
    )
    expect(relocations[0]?.items).toBe('li.card')
    expect(relocations[0]?.sources).toEqual(
      expect.arrayContaining([
        { column: 'name', source: 'h3.title', rows: 3 },
        { column: 'price', source: { css: 'b.amount', as: 'number' }, rows: 3 },
      ]),
    )
  })

  test('without names are found by their positions', async () => {
    const plain = SHOP.replaceAll(/ class="\w+"/g, '')
    const relocations = await relocate(
      { items: '.item', fields: FIELDS },
      plain,
      ['name', 'price'],
      PENS,
    )
    expect(relocations[0]?.items).toBe('li')
    expect(sourcesOf(relocations)).toEqual(
      expect.arrayContaining(['h3', { css: 'b', as: 'number' }]),
    )
  })
})

test('a field of a model, a constant or a document cannot be relocated', async () => {
  const fields = {
    kind: { model: 'What it is' },
    shop: { const: 'Nibs' },
    all: { css: 'main', as: 'markdown' },
  }
  const row = { kind: 'Pen', shop: 'Pen', all: 'Pen' }
  expect(sourcesOf(await relocate({ fields }, '<p>Pen</p>', Object.keys(fields), [row]))).toEqual(
    [],
  )
})
