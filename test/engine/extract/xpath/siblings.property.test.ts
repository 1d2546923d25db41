import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Element } from 'domhandler'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { PageContent } from '../../../../src/engine/extract/page/page-content.ts'
import { checkedXPath } from '../../../../src/engine/extract/xpath/checked-xpath.ts'
import type { Issue } from '../../../../src/kernel/errors.ts'
import { CountingBudget, pageOf, runOn } from '../../../support/worlds/page-run.ts'

const START = { label: 'start', depth: 0, hop: 1 }

function find(
  xpath: string,
  html: string,
  budget = new PageBudget(),
): readonly (string | Element)[] {
  const issues: Issue[] = []
  const select = checkedXPath(xpath, 'x', issues)
  expect(issues).toEqual([])
  return select(new PageContent(pageOf(html), START, budget), null)
}

/** The places of elements in their tree, which tell two answers apart. */
function placesOf(matches: readonly (string | Element)[]): readonly (string | number | null)[] {
  return matches.map((match) => (typeof match === 'string' ? match : match.startIndex))
}

const item = fc.constantFrom('<b>x</b>', '<i>y</i>', 'text', '<!--no-->', '<b><i>z</i>w</b>')
const list = fc.array(item, { maxLength: 24 }).map((items) => `<p>${items.join('')}</p>`)
const page = fc.array(fc.oneof(list, item), { maxLength: 6 }).map((parts) => parts.join(''))

const step = fc
  .tuple(
    fc.constantFrom('following-sibling', 'preceding-sibling'),
    fc.constantFrom('*', 'b', 'i', 'none', 'text()', 'node()', 'B'),
  )
  .map(([axis, name]) => `${axis}::${name}`)
/** Without a position, whose siblings are counted, and with one that changes nothing. */
const conditions = fc.constantFrom(
  '',
  '[i]',
  '[. = "x"]',
  '[following-sibling::i]',
  '[not(i)][text()]',
)
const around = fc.constantFrom<(path: string) => string>(
  (path) => `//*[${path}]`,
  (path) => `//*[not(${path})]`,
  (path) => `//*[./${path}]`,
  (path) => `//node()[boolean(${path}) and @none or ${path}]`,
  (path) => `//b[count(${path}) = 2]`,
  (path) => `//*[count(${path}) > 3][${path}]`,
  (path) => `//b/${path}`,
  (path) => `//text()/${path}`,
  (path) => `//p/*/${path}`,
  (path) => `/html/${path}`,
  (path) => `//@*/${path}`,
)

test('siblings that are counted are those that are visited', () => {
  fc.assert(
    fc.property(page, step, conditions, around, (html, path, condition, wrap) => {
      // A position is never taken from a count, nor of all nodes at once.
      const visited = placesOf(find(wrap(`${path}[position() > 0]${condition}`), html))
      expect(placesOf(find(wrap(path + condition), html))).toEqual(visited)
    }),
    { numRuns: 500 },
  )
})

test('a predicate without a position holds for the siblings of all nodes at once', () => {
  fc.assert(
    fc.property(page, step, (html, path) => {
      const visited = placesOf(find(`//b/${path}[position() > 0][. = "x"]`, html))
      expect(placesOf(find(`//b/${path}[. = "x"]`, html))).toEqual(visited)
      expect(placesOf(find(`//b/${path}[1]`, html))).toEqual(
        placesOf(find(`//b/${path}[position() = 1]`, html)),
      )
    }),
    { numRuns: 300 },
  )
})

test.each([
  '//li[following-sibling::i]',
  '//li[not(preceding-sibling::i)]',
  '//li[./following-sibling::i]',
  '//li[count(preceding-sibling::li) = 7]',
  '//li[following-sibling::li[. = "y"]]',
  '//li[following-sibling::*[preceding-sibling::*[. = "y"]]]',
  '//li/following-sibling::li',
  '//li/preceding-sibling::*[. = "y"]',
  '//li/following-sibling::li/preceding-sibling::li',
])('%s takes steps linear in the siblings', (xpath) => {
  const stepsOf = (count: number): number => {
    const budget = new CountingBudget()
    find(xpath, `<ul>${'<li>x</li>'.repeat(count)}</ul>`, budget)
    return budget.steps
  }
  expect(stepsOf(120)).toBeLessThan(2.2 * stepsOf(60))
})

test.each([
  'count(preceding-sibling::li)',
  'boolean(following-sibling::i)',
  'count(./preceding-sibling::*[. = "y"])',
])('%s of each row takes steps and bytes linear in the rows', async (xpath) => {
  const spentOn = async (count: number): Promise<CountingBudget> => {
    const budget = new CountingBudget()
    const recipe = { extract: { items: 'li', fields: { a: { xpath } } } }
    const { rows } = await runOn(recipe, pageOf(`<ul>${'<li>x</li>'.repeat(count)}</ul>`), budget)
    expect(rows).toHaveLength(count)
    return budget
  }
  const [few, many] = [await spentOn(60), await spentOn(120)]
  expect(many.steps).toBeLessThan(2.2 * few.steps)
  expect(many.bytes).toBeLessThan(2.2 * few.bytes)
})

test('each sibling that is listed is charged, and none that is visited once', () => {
  const bytesOf = (xpath: string): number => {
    const budget = new CountingBudget()
    find(xpath, `<ul>${'<li>x</li>'.repeat(60)}</ul>`, budget)
    return budget.bytes
  }
  const visited = bytesOf('//li[9][following-sibling::li]')
  expect(visited).toBe(bytesOf('//none'))
  expect(bytesOf('//li[following-sibling::li]')).toBeGreaterThanOrEqual(visited + 36 * 60)
})
