import { expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../../src/engine/extract/page/page-content.ts'
import { atOnce } from '../../../../src/engine/extract/page/in-turns.ts'
import { rdfaParts } from '../../../../src/engine/extract/page/rdfa.ts'
import { formatPage } from '../../../../src/engine/extract/format/format-page.ts'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../../src/engine/recipe/parse-recipe.ts'

const URL_OF_PAGE = 'https://a.example/shop'
const PRODUCT = `<div vocab="https://schema.org/" typeof="Product" resource="#lamp">
  <h1 property="name">Desk
    lamp</h1><img property="image" src="/l.png">
  <div property="offers" typeof="Offer"><meta property="priceCurrency" content="EUR"><b property="price" content="9.50">9,50</b></div>
  <div property="brand" resource="#maker"></div></div>
  <p vocab="https://schema.org/" typeof="Brand" resource="#maker"><i property="name">Lux</i></p>`

function pageOf(html: string) {
  const body = new TextEncoder().encode(
    `<!DOCTYPE html><html lang="en"><body>${html}</body></html>`,
  )
  return { url: URL_OF_PAGE, contentType: 'text/html; charset=utf-8', body }
}

/** The statements of a page, as text. */
function statements(html: string): string[] {
  const page = new PageContent(pageOf(html))
  return atOnce(
    rdfaParts(page.tree, page.budget, page.baseUrl, (href) => page.nameOf(href), false),
  ).map(
    ({ subject, predicate, object }) =>
      `${subject} ${predicate} ${typeof object === 'string' ? object : JSON.stringify(object)}`,
  )
}

test('properties, types and addresses are read', () => {
  expect(
    statements(`<p prefix="x: https://x.example/#" about="/me" typeof="x:Person">
      <a rel="x:knows" href="https://b.example">B</a><b property="x:name" lang="">Ann</b></p>`),
  ).toEqual([
    'https://a.example/me http://www.w3.org/1999/02/22-rdf-syntax-ns#type https://x.example/#Person',
    'https://a.example/me https://x.example/#knows https://b.example',
    'https://a.example/me https://x.example/#name {"text":"Ann"}',
  ])
})

test('a relation around several things, lists, times and their types are read', () => {
  const lines =
    statements(`<div about="#a" rel="foaf:knows"><p resource="#b"></p><p resource="#c"></p></div>
    <p about="#a"><i property="dc:date"><time property="dc:issued" datetime="2026-01-05">x</time></i>
    <b property="og:x" inlist>1</b><b property="og:x" inlist>2</b></p>`)
  const short = lines.map((line) =>
    line.replaceAll(URL_OF_PAGE, '').replaceAll(/http:[^\s"]*[/#]/g, ''),
  )
  expect(short).toEqual([
    '#a knows #b',
    '#a knows #c',
    '#a date {"text":"x","language":"en"}',
    '#a issued {"text":"2026-01-05","datatype":"date"}',
    '#a x _:seine-2',
    '_:seine-2 first {"text":"1","language":"en"}',
    '_:seine-2 rest _:seine-3',
    '_:seine-3 first {"text":"2","language":"en"}',
    '_:seine-3 rest nil',
  ])
})

test('items are things with a type, and the things that they refer to', () => {
  const { rdfa, microdata } = new PageContent(pageOf(PRODUCT))
  expect(microdata).toEqual([])
  expect(rdfa.flatMap(({ value, isTop }) => (isTop ? [value] : []))).toEqual([
    {
      '@type': 'Product',
      '@id': `${URL_OF_PAGE}#lamp`,
      name: 'Desk lamp',
      image: 'https://a.example/l.png',
      offers: { '@type': 'Offer', priceCurrency: 'EUR', price: '9.50' },
      brand: { '@type': 'Brand', '@id': `${URL_OF_PAGE}#maker`, name: 'Lux' },
    },
  ])
  expect(formatPage(new PageContent(pageOf(PRODUCT)), 'structured')).toMatchObject({
    rdfa: [{ '@type': 'Product' }],
  })
})

test('a source of microdata reads RDFa as well', () => {
  const recipe = parseRecipe({
    start: { urls: [URL_OF_PAGE] },
    extract: {
      fields: {
        price: { microdata: 'Product.offers.price', as: 'number' },
        brand: { microdata: 'Product.brand.name' },
      },
    },
  })
  expect(compileRecipe(recipe).process(pageOf(PRODUCT), START).rows).toEqual([
    { price: 9.5, brand: 'Lux' },
  ])
})

test('things that refer to each other do not grow without end', () => {
  const things = Array.from(
    { length: 60 },
    (_, index) =>
      `<p typeof="Thing" resource="#${index}"><a property="url" href="#${index + 1}` +
      `"></a><a property="url" href="#${index + 2}"></a></p>`,
  ).join('')
  const budget = new PageBudget()
  const page = new PageContent(
    pageOf(`<div vocab="https://schema.org/">${things}</div>`),
    START,
    budget,
  )
  expect(page.rdfa).toHaveLength(60)
  expect(budget.overrun).toBeNull()
  expect(budget.losses.cuts?.length).toBeGreaterThan(0)
})

test('a page without types has no items and costs nothing', () => {
  const budget = new PageBudget()
  const page = new PageContent(pageOf('<p property="og:title">x</p>'), START, budget)
  expect(page.tree.elements.length).toBeGreaterThan(0)
  const { steps } = budget.spent
  expect([page.rdfa, budget.spent.steps]).toEqual([[], steps])
})
