import { expect, test } from 'vitest'
import { failingCases } from '../../support/failing-cases.ts'
import { each, found } from '../../support/found-list.ts'
import { rootsIn, propertiesIn } from '../../../src/engine/extract/page/microformat-names.ts'

// A detected recipe is a recipe, whatever a page calls its elements.

/** Longer than any selector or path of a recipe. */
const LONG = 'p'.repeat(5_000)
const QUITE_LONG = 'p'.repeat(60)

interface Names {
  readonly list?: string
  readonly item?: string
  readonly title?: string
  readonly property?: string
  readonly price?: string
  readonly fact?: string
  /** Elements around the list. */
  readonly around?: readonly string[]
}

/** A list of which any element may have another name. */
function listWith({
  list = 'ul',
  item = 'li',
  title = 'h2',
  property = 'name',
  price = 'i',
  fact = 'b',
  around = [],
}: Names): string {
  return (
    around.map((name) => `<${name}>`).join('') +
    `<${list}>` +
    each(
      5,
      (i) =>
        `<${item}><${title} itemprop="${property}">The title of thing number ${i}</${title}>` +
        `<a href="/x${i}">go</a><${price} class="price">$ 1${i}.50</${price}>` +
        `<${fact}>Topics: ${i}</${fact}></${item}>`,
    ) +
    `</${list}>`
  )
}

test('a list whose names are too long for a recipe is still read', async () => {
  const cases: readonly (readonly [string, Names, number])[] = [
    ['usual', {}, 5],
    ['property', { property: LONG }, 5],
    ['list', { list: LONG }, 5],
    ['title', { title: LONG }, 5],
    ['price', { price: LONG }, 5],
    ['fact', { fact: LONG }, 5],
    ['elements around', { around: Array.from({ length: 12 }, (_, i) => QUITE_LONG + i) }, 5],
    // Nothing names these items, so the page is one row.
    ['item', { item: LONG }, 1],
    ['signs', { list: 'a,b', item: 'a[b', title: 'c{d', price: 'e(f', fact: "g'h" }, 1],
  ]
  const fails = await failingCases(
    cases,
    ([name]) => name,
    ([, names, rows]) => expect(found(listWith(names)).rows).toHaveLength(rows),
  )
  expect(fails).toEqual([])
})

test('records of siblings whose names are too long for a recipe are still read', () => {
  const records = each(
    6,
    (i) =>
      `<h3><a href="/x${i}">The title of thing number ${i}</a></h3>` +
      `<${LONG}>Some words that say what the thing is, ${i}</${LONG}>` +
      `<${LONG} class="price">$ 1${i}.50</${LONG}>`,
  )
  expect(found(`<div id="records">${records}</div>`).first).toMatchObject({
    title: 'The title of thing number 1',
    price: 11.5,
  })
})

test('a class of megabytes names no type and no property', () => {
  const parts = '-a'.repeat(4_500_000)
  expect(rootsIn(['h-entry', `h${parts}1`])).toEqual(['h-entry'])
  expect(propertiesIn(['p-name', `p${parts}1`])).toEqual([{ kind: 'p', name: 'name' }])
})
