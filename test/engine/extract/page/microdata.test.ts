import { expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../../src/engine/extract/page/page-content.ts'

const URL_OF_PAGE = 'https://a.example/shop/'

function pageOf(html: string, budget = new PageBudget()): PageContent {
  const body = new TextEncoder().encode(`<!DOCTYPE html><body>${html}`)
  return new PageContent(
    { url: URL_OF_PAGE, contentType: 'text/html; charset=utf-8', body },
    START,
    budget,
  )
}

function topItems(html: string) {
  return pageOf(html).microdata.flatMap(({ value, isTop }) => (isTop ? [value] : []))
}

test('ids and addresses keep their fragments', () => {
  expect(
    topItems(`<div itemscope itemtype="https://schema.org/Product" itemid="#lamp">
      <a itemprop="url" href="/lamp#red">Lamp</a><link itemprop="isVariantOf" href="urn:x:1"></div>`),
  ).toEqual([
    {
      '@type': 'Product',
      '@id': `${URL_OF_PAGE}#lamp`,
      url: 'https://a.example/lamp#red',
      isVariantOf: 'urn:x:1',
    },
  ])
})

test('an item has the properties of the parts that it names, in document order', () => {
  expect(
    topItems(`<p id="first"><b itemprop="name">Ann</b></p>
      <div itemscope itemref="first maker none first"><i itemprop="name">Lee</i></div>
      <div id="maker" itemprop="brand" itemscope itemref="place"><i itemprop="name">Pens</i></div>
      <p id="place">in <u itemprop="city">Oslo</u></p>`),
  ).toEqual([{ name: ['Ann', 'Lee'], brand: { name: 'Pens', city: 'Oslo' } }])
})

test('several items may name one part', () => {
  const items = topItems(`<p itemscope itemref="tax"><b itemprop="price">1</b></p>
    <p itemscope itemref="tax"><b itemprop="price">2</b></p>
    <p id="tax"><b itemprop="tax">7 %</b></p>`)
  expect(items).toEqual([
    { price: '1', tax: '7 %' },
    { price: '2', tax: '7 %' },
  ])
})

test('an item within itself is left out', () => {
  expect(
    topItems(`<div itemscope itemref="b"><i itemprop="name">A</i></div>
      <div id="b" itemprop="other" itemscope itemref="b"><i itemprop="name">B</i></div>`),
  ).toEqual([{ name: 'A', other: { name: 'B' } }])
})

test('an inner item without an outer one is an item of the page', () => {
  expect(topItems('<p itemprop="offers" itemscope><b itemprop="price">3</b></p>')).toEqual([
    { price: '3' },
  ])
})

test('items that name each other do not grow without end', () => {
  const items = Array.from(
    { length: 60 },
    (_, index) =>
      `<p id="p${index}"><b id="i${index}" itemprop="x" itemscope itemref="p${index + 1} p${index + 2}"></b></p>`,
  )
  const budget = new PageBudget()
  const { microdata } = pageOf(`<div itemscope itemref="p0 p1"></div>${items.join('')}`, budget)
  expect(microdata).toHaveLength(61)
  expect(budget.losses.cuts?.map(({ what }) => what)).toContain('levels of microdata')
  expect(budget.overrun).toBeNull()
})
