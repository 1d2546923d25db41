import { atOnce } from '../../src/engine/extract/page/in-turns.ts'
import { expect, test } from 'vitest'
import { PageContent, START } from '../../src/engine/extract/page/page-content.ts'
import { checkedSelector } from '../../src/engine/extract/select/parse-selector.ts'
import { SelectorSet } from '../../src/engine/extract/select/selector-set.ts'
import { checkedXPath } from '../../src/engine/extract/xpath/checked-xpath.ts'
import type { Issue } from '../../src/kernel/errors.ts'
import { relParts } from '../../src/engine/extract/page/microformats.ts'
import { questionOf } from '../../src/engine/plan/page-question.ts'
import { relocateParts } from '../../src/engine/plan/relocate.ts'
import { parseRecipe } from '../../src/engine/recipe/parse-recipe.ts'
import { CountingBudget, pageOf, runOn } from '../support/worlds/page-run.ts'

/** The cost of `use` for a page whose tree and data are read already. */
function paidFor(html: string, use: (page: PageContent) => unknown): CountingBudget {
  const budget = new CountingBudget()
  const page = new PageContent(pageOf(html), START, budget)
  expect(page.tree.elements.length + page.data.length).toBeGreaterThan(0)
  budget.steps = 0
  budget.bytes = 0
  use(page)
  return budget
}

/** The cost of all matches of an XPath or a selector on a page. */
function paidForPath(path: string, html: string): CountingBudget {
  const issues: Issue[] = []
  const selector = path.startsWith('/') ? null : checkedSelector(path, 'x', issues)
  const select = selector === null ? checkedXPath(path, 'x', issues) : null
  expect(issues).toEqual([])
  return paidFor(html, (page) => {
    if (select !== null) return select(page, null)
    const set = new SelectorSet()
    if (selector !== null) set.add(selector, true)
    return set.find(page.tree, null, page.matching)
  })
}

const FEW_NODES = 20
const few = '<i>x</i>'.repeat(FEW_NODES)

// A step is some 25 ns. Less than this was measured to take the double of that, and more.
test.each([
  ['a condition', '//i[true()]', 8, 1],
  ['a function in a function', '//i[not(not(true()))]', 16, 1],
  ['a sum of numbers', '//i[1 + 1 = 3]', 12, 1],
  ['steps from a node', '//i[../../p]', 16, 1],
  ['nodes that several nodes have led to', '//i/../i', 12, 1],
  ['a union, for each node of it', '//i[count(../i | ../b) = 7]', 17.5, FEW_NODES],
  ['texts that are compared', '//i[../i = ../b]', 18, FEW_NODES],
])('%s is paid by its time', (_, xpath, least, times) => {
  expect(paidForPath(xpath, `<div>${few}</div>`).steps).toBeGreaterThan(least * FEW_NODES * times)
})

test('a long list of nodes, which has memory of its own, costs more for each of them', () => {
  const stepsOf = (count: number): number =>
    paidForPath('//div[count(i) = 0]', `<div>${'<i></i>'.repeat(count)}</div>`).steps / count
  expect(stepsOf(10_000)).toBeGreaterThan(stepsOf(8_000) + 3)
})

test('nodes that many nodes lead to are paid before the next of these, and listed once', () => {
  const charges: number[] = []
  const html = `${'<div>'.repeat(100)}${'<b>x</b>'.repeat(200)}`
  paidFor(html, (page) => {
    const { budget } = page
    const work = budget.work.bind(budget)
    budget.work = (steps) => {
      charges.push(steps)
      work(steps)
    }
    checkedXPath('//b/ancestor::*', 'x', [])(page, null)
  })
  expect(charges.reduce((sum, steps) => sum + steps, 0)).toBeGreaterThan(100 * 200 * 8)
  expect(Math.max(...charges)).toBeLessThan(20 * (100 + 200))
})

test('attributes as nodes of an XPath are paid, each once', () => {
  const bytesOf = (attributes: number, xpath: string): number => {
    const names = Array.from({ length: attributes }, (_, index) => `a${index}=""`)
    return paidForPath(xpath, `<p ${names.join(' ')}>`).bytes
  }
  expect(bytesOf(100, '//@a1')).toBeGreaterThan(100 * 10)
  expect(bytesOf(100, '//@a1') - bytesOf(50, '//@a1')).toBeGreaterThan(50 * 10)
  expect(bytesOf(100, '//@a1 | //@a2')).toBe(bytesOf(100, '//@a1'))
})

test.each([
  ['a part of :has(…)', 'i:has(b)', 1],
  ['siblings', 'i:has(~ b)', 0],
  ['positions from the end', 'i:nth-last-child(2n)', 2],
  ['positions in a list', 'i:nth-child(2n of .x)', 0],
])('what is remembered of elements for %s is paid', (_, selector, each) => {
  const { bytes } = paidForPath(selector, `<div>${'<i class=x></i>'.repeat(100)}</div>`)
  expect(bytes).toBeGreaterThanOrEqual(Math.max(1, 100 * each) * 16)
})

const LETTERS = 300
const METAS = 200

function relocationSteps(columns: number): number {
  const names = Array.from({ length: columns }, (_, index) => `c${index}`)
  const { recipe } = parseRecipe({
    start: { urls: ['https://a.example/'] },
    extract: { fields: Object.fromEntries(names.map((name) => [name, `.gone-${name}`])) },
  })
  const row = Object.fromEntries(names.map((name) => [name, `what ${name} had`]))
  const metas = `<meta name="d" content="${'a'.repeat(LETTERS)}">`.repeat(METAS)
  return paidFor(`<head>${metas}<body><p>x`, (page) =>
    atOnce(relocateParts(recipe, page, { columns: names, rows: [row] })),
  ).steps
}

test('the data of a page is compared with lost values once, and this is paid', () => {
  const one = relocationSteps(1)
  expect(one).toBeGreaterThan(LETTERS * METAS)
  expect(relocationSteps(20)).toBeLessThan(2 * one)
})

test('the relations of links are paid', () => {
  const words = Array.from({ length: 50 }, (_, index) => `w${index}`).join(' ')
  const links = Array.from({ length: 100 }, (_, index) => `<a rel="${words}" href="/${index}"></a>`)
  const { steps, bytes } = paidFor(links.join(''), (page) =>
    atOnce(relParts(page.tree, page.budget, (href) => href)),
  )
  expect(steps).toBeGreaterThan(100 * words.length)
  expect(bytes).toBeGreaterThan(100 * 50 * 16)
})

test('JSON of an item for a model is paid', () => {
  const item = { text: 'a'.repeat(10_000) }
  const { bytes } = paidFor('<p>x', (page) =>
    questionOf(
      {
        rows: 'items',
        columns: [{ column: 'a', alternative: 0, path: 'a', source: { model: 'What is it?' } }],
      },
      page,
      [{ a: null }],
      [{ element: null, item }],
      true,
    ),
  )
  expect(bytes).toBeGreaterThanOrEqual(10_000)
})

/** The steps and bytes of a field, less those of a constant. */
async function paidForField(field: object, text: string, contentType: string) {
  const of = async (one: object): Promise<CountingBudget> => {
    const budget = new CountingBudget()
    await runOn({ extract: { fields: { a: one } } }, pageOf(text, contentType), budget)
    return budget
  }
  const [whole, none] = [await of(field), await of({ const: 'x' })]
  return { steps: whole.steps - none.steps, bytes: whole.bytes - none.bytes }
}

test('the letters that an XPath translates are paid', async () => {
  const { steps } = await paidForField(
    { xpath: "translate('a', string(//p), string(//p))" },
    `<p>${'a'.repeat(10_000)}`,
    'text/html',
  )
  expect(steps).toBeGreaterThan(2 * 4 * 10_000)
})

test('Base64 of a feed is paid', async () => {
  const { steps } = await paidForField(
    { css: 'content' },
    `<feed xmlns="http://www.w3.org/2005/Atom"><entry><content mode="base64" type="a/b">${btoa('a'.repeat(9_000))}</content></entry></feed>`,
    'application/atom+xml',
  )
  expect(steps).toBeGreaterThan(4 * 12_000)
})
