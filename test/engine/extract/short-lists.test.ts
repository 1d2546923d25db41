import { expect, test } from 'vitest'
import { failingCases } from '../../support/failing-cases.ts'
import { found } from '../../support/found-list.ts'

// Proves that short items are a list if each has a name and a price.

const NAMES = ['Cup', 'Plate', 'Bowl', 'Fork', 'Spoon', 'Knife']

function list(item: (name: string, price: string) => string): string {
  return `<h1>Kitchen</h1><ul>${NAMES.map((name, i) => `<li>${item(name, `${i + 4}.50`)}</li>`).join('')}</ul>`
}

test('six names with a price are a list, in whatever elements they are', async () => {
  const fails = await failingCases(
    [
      list((name, price) => `<span>${name}</span> <span>${price} €</span>`),
      list((name, price) => `<span class="name">${name}</span><b class="price">${price}</b> EUR`),
      list((name, price) => `<div>${name}</div><div>$${price}</div>`),
      list((name, price) => `${name} <b>$${price}</b>`),
      list((name, price) => `${name}: <b>$${price}</b>`),
      list((name, price) => `${name} <b>${price} kr</b>`),
      list((name, price) => `<i>${name}</i> <b>${price} EUR</b>`),
      list((name, price) => `<a href="/${name}">${name}</a> $${price}`),
      list((name, price) => `<b>${name}</b> ${price} kr`),
      list((name, price) => `${name} - $${price}`),
      list((name, price) => `${name}: ${price} €`),
    ],
    (html) => html.slice(24, 90),
    (html) => {
      const { rows } = found(html)
      expect(rows.map(({ title, price }) => ({ title, price }))).toEqual(
        NAMES.map((title, i) => ({ title, price: i + 4.5 })),
      )
    },
  )
  expect(fails).toEqual([])
})

test('short words without a price are none', () => {
  const words = [list((name) => name), list((name, price) => `${name} ${price}`)]
  for (const html of words) expect(found(html).rows).toHaveLength(1)
})

test('a text beside the elements of an item is not a name or price that it does not say to be', async () => {
  const titlesOf = (html: string) => found(html).rows.map(({ title }) => title)
  const pricesOf = (html: string) => found(html).rows.map(({ price }) => price)
  // A label, what all say, an offer, and a part of a name.
  expect(titlesOf(list((_, price) => `Price: <b>$${price}</b>`))).not.toContain('Price')
  expect(titlesOf(list((_, price) => `<b>$${price}</b> in stock`))).not.toContain('in stock')
  const offers = list((name) => `<a href="/${name}">${name}</a> Save $5 today`)
  expect(pricesOf(offers)).not.toContain(5)
  const models = list((name, price) => `${name} <i>Model ${name}</i> <b>$${price}</b>`)
  expect(titlesOf(models)).not.toContain('Cup')
  // The sign between a name and its price has to be the only one in each of them.
  const long = Array.from({ length: 20 }, (_, index) => {
    const name = index < 15 ? `Cup ${index}` : `Cup - ${index}`
    return `<li>${name} - $${index + 4}.50</li>`
  })
  expect(titlesOf(`<h1>Cups</h1><ul>${long.join('')}</ul>`)).not.toContain('Cup')
})

test('a title that ends with its price, or with the two ends of prices, is a title and a price', () => {
  const shelf = (title: (name: string, price: string, index: number) => string): string =>
    NAMES.map(
      (name, i) =>
        `<div class="box"><h2><a href="/${name}">${title(`${name} of oak`, `${i + 4}.50`, i)}</a>` +
        `</h2><p class="about">The ${name} was made by hand</p></div>`,
    ).join('')
  const columnsOf = (html: string) =>
    found(`<main>${html}</main>`).rows.map(({ title, price }) => ({ title, price }))
  const expected = NAMES.map((name, i) => ({ title: `${name} of oak`, price: i + 4.5 }))
  expect(columnsOf(shelf((name, price) => `${name}<br>$${price}`))).toEqual(expected)
  expect(columnsOf(shelf((name, price) => `${name}<br>$${price} - $99.00`))).toEqual(expected)
  // One has no price yet.
  const last = NAMES.length - 1
  expect(columnsOf(shelf((name, price, i) => (i === last ? name : `${name} £${price}`)))).toEqual([
    ...expected.slice(0, -1),
    { title: 'Knife of oak', price: null },
  ])
  // The name of one has another sign.
  const other = columnsOf(shelf((name, price, i) => `${name}${i === 0 ? ' $5 box' : ''} €${price}`))
  expect(other).toEqual([{ title: 'Cup of oak $5 box', price: 4.5 }, ...expected.slice(1)])
  // Money is a part of these titles.
  for (const title of ['Win $5 with the', 'Save $5 today on the']) {
    const [first] = columnsOf(shelf((name) => `${title} ${name}`))
    expect(first?.title).toBe(`${title} Cup of oak`)
  }
})

test('prices alone are not a list of names', () => {
  expect(titlesOfPrices((price) => `${price} EUR`)).not.toContain('4.50 EUR')
})

function titlesOfPrices(item: (price: string) => string): unknown[] {
  return found(list((_, price) => item(price))).rows.map(({ title }) => title)
}
