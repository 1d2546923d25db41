import { expect, test } from 'vitest'
import { PageContent, START } from '../../src/engine/extract/page/page-content.ts'
import { readRels } from '../../src/engine/extract/page/microformats.ts'
import { questionOf } from '../../src/engine/plan/page-question.ts'
import { relocate } from '../../src/engine/plan/relocate.ts'
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
    relocate(recipe, page, { columns: names, rows: [row] }),
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
    readRels(page.tree, page.budget, (href) => href),
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
