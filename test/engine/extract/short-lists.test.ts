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
