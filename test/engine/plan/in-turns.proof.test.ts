import { expect, test } from 'vitest'
import { detectParts } from '../../../src/engine/extract/auto.ts'
import { preparePage } from '../../../src/engine/extract/document/prepare-page.ts'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent } from '../../../src/engine/extract/page/page-content.ts'
import { scriptLiteralParts } from '../../../src/engine/extract/page/script-literal.ts'
import { openPageWork } from '../../../src/engine/page-work.ts'
import { compileContent } from '../../../src/engine/plan/compile.ts'
import { relocateParts } from '../../../src/engine/plan/relocate.ts'
import { inTurns, TURN_STEPS, type Parts } from '../../../src/engine/extract/page/in-turns.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Page } from '../../../src/ports/page-processor.ts'
import { pageOf } from '../../support/worlds/page-run.ts'

const VISIT = { label: 'start', depth: 0, hop: 1 }
const start = { urls: ['https://a.example/'] }
const FIELDS = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`f${index}`, { css: 'b', transform: ['upper'] }]),
)

const items = '<li><b>one</b><i>two</i></li>'.repeat(4_000)
const list = pageOf(`<ul>${items}</ul>`)
const cases: Readonly<Record<string, readonly [page: Page, recipe: object]>> = {
  'the items of a selector': [list, { extract: { items: 'li', fields: FIELDS } }],
  'the items of an XPath': [list, { extract: { items: '//li', fields: FIELDS } }],
  'the columns of a page': [
    list,
    {
      extract: {
        fields: Object.fromEntries(
          Array.from({ length: 12 }, (_, index) => [
            `f${index}`,
            { xpath: '//*[normalize-space() = "one"]', many: true },
          ]),
        ),
      },
    },
  ],
}

/** The steps of each turn. What is done before the first one, such as the tree, is not part of them. */
async function turnsOf(page: Page, recipe: object): Promise<readonly number[]> {
  const plan = compileContent(parseRecipe({ start, ...recipe }).recipe)
  const budget = new PageBudget()
  const content = new PageContent(page, VISIT, budget)
  content.beginTurns()
  const ends: number[] = []
  const result = await inTurns(plan.processParts(content, VISIT), budget, async () => {
    ends.push(budget.stepsDone)
  })
  expect(result).toEqual(plan.process(page, VISIT))
  expect(result.rows.length).toBeGreaterThan(0)
  return [...ends, budget.stepsDone].map((end, index) => end - (ends[index - 1] ?? 0))
}

test.each(Object.entries(cases))('%s are read in turns', async (_, [page, recipe]) => {
  const [first = 0, ...turns] = await turnsOf(page, recipe)
  expect(turns.length).toBeGreaterThan(1)
  // Finding the items, and the tree, is one turn.
  expect(first).toBeLessThan(6 * TURN_STEPS)
  expect(Math.max(...turns)).toBeLessThan(1.5 * TURN_STEPS)
})

/** The steps of each turn of some parts. */
async function turnsIn<T>(parts: Parts<T>, budget: PageBudget): Promise<readonly number[]> {
  const ends: number[] = [budget.stepsDone]
  await inTurns(parts, budget, async () => {
    ends.push(budget.stepsDone)
  })
  ends.push(budget.stepsDone)
  return ends.slice(1).map((end, index) => end - (ends[index] ?? 0))
}

const utf8 = 'text/html; charset=utf-8'
const windows = 'text/html; charset=windows-1252'
test.each([
  ['tags', '<li class="a"><b>one</b><i>two</i></li>'.repeat(40_000), utf8],
  ['text', `<p>${'words '.repeat(300_000)}`, utf8],
  ['a script', `<script>${'let a = 1\n'.repeat(200_000)}</script>`, utf8],
  ['a noscript', `<noscript><p>${'words '.repeat(300_000)}</noscript>`, utf8],
  ['text that is not UTF-8', `<p>${'words '.repeat(300_000)}`, windows],
])('the tree of a page of %s is made in turns, and is the same', async (_, html, type) => {
  const page = pageOf(html, type)
  const budget = new PageBudget()
  const content = new PageContent(page, VISIT, budget)
  const turns = await turnsIn(content.readTree(), budget)
  expect(turns.length).toBeGreaterThan(3)
  // The list of elements is the end of the last turn.
  expect(Math.max(...turns.slice(0, -1))).toBeLessThan(1.5 * TURN_STEPS)
  const spent = budget.stepsDone
  const other = new PageContent(page, VISIT, new PageBudget())
  expect(content.tree.elements.length).toBe(other.tree.elements.length)
  expect(budget.stepsDone).toBe(spent)
  expect(other.budget.stepsDone).toBe(spent)
})

test('a page that uses up its budget for its tree ends so in turns as well', async () => {
  const limits = { steps: TURN_STEPS, bytes: 10_000_000 }
  const recipe = { start, extract: { items: 'li', fields: FIELDS } }
  const page = pageOf('<li><b>one</b></li>'.repeat(60_000))
  const work = await openPageWork(recipe, limits)
  const whole = await work.answer('process', page, VISIT)
  expect(whole.overrun).toMatchObject({ what: 'steps' })
  const inParts = await work.answer('process', page, VISIT, async () => {})
  expect(inParts).toMatchObject({ rows: whole.rows, overrun: { what: 'steps' } })
})

test('a page whose data uses up its budget keeps the values before it, in turns as at once', async () => {
  const data = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ name: index })))
  const page = pageOf(`<script type="application/ld+json">${data}</script><p>one</p><p>two</p>`)
  const fields = { text: ':scope', name: { jsonld: '$..name' } }
  const work = await openPageWork(
    { start, extract: { items: 'p', fields } },
    { steps: 10_000_000, bytes: 100_000 },
  )
  const whole = await work.answer('process', page, VISIT)
  expect(whole).toMatchObject({
    rows: [{ text: 'one', name: null }],
    overrun: { what: 'bytes', where: 'extract.fields.name' },
  })
  expect(await work.answer('process', page, VISIT, async () => {})).toEqual(whole)
})

const name = 'x'.repeat(20_000)
test.each([
  [
    'data in many scripts',
    pageOf(`<script type="application/ld+json">["${name.repeat(15)}"]</script>`.repeat(10)),
  ],
  ['long lines of JSON', pageOf(`["${name}"]\n`.repeat(200), 'application/x-ndjson')],
  ['wide records', pageOf(`${'some text,'.repeat(900)}end\n`.repeat(400), 'text/csv')],
])('%s are read in short turns', async (_, page) => {
  await preparePage(page)
  const budget = new PageBudget()
  const content = new PageContent(page, VISIT, budget)
  content.beginTurns()
  await turnsIn(content.readTree(), budget)
  const turns = await turnsIn(content.readData(), budget)
  expect(turns.length).toBeGreaterThan(3)
  expect(Math.max(...turns)).toBeLessThan(2 * TURN_STEPS)
})

test('a script whose called function has many arguments is read in short turns', async () => {
  const names = Array.from({ length: 60_000 }, (_, index) => `a${index}`)
  const body = `{return {first:a0,last:a59999}}(${names.map((_, index) => index).join()})`
  const script = `(function(${names.join()})${body})`
  const budget = new PageBudget()
  let value: unknown
  function* read(): Parts<void> {
    value = (yield* scriptLiteralParts(script, 0, budget, true))?.value
  }
  expect(Math.max(...(await turnsIn(read(), budget)))).toBeLessThan(1.5 * TURN_STEPS)
  expect(value).toEqual({ first: 0, last: 59_999 })
})

test('a lost value is looked for in many meta elements in short turns', async () => {
  const metas = Array.from({ length: 80_000 }, (_, i) => `<meta name=m${i} content="word ${i}">`)
  const page = pageOf(`${metas.join('')}<body><p>a`)
  const { recipe } = parseRecipe({ start, extract: { fields: { name: 'h1' } } })
  const budget = new PageBudget()
  const content = new PageContent(page, VISIT, budget)
  expect(content.tree.elements.length).toBeGreaterThan(80_000)
  let relocated: unknown
  function* read(): Parts<void> {
    const sought = { columns: ['name'], rows: [{ name: 'word 7' }] }
    relocated = yield* relocateParts(recipe, content, sought)
  }
  expect(Math.max(...(await turnsIn(read(), budget)))).toBeLessThan(1.5 * TURN_STEPS)
  const source = { column: 'name', source: { meta: 'm7' }, rows: 1 }
  expect(relocated).toEqual([{ items: null, sources: [source] }])
})

test('what a page has is detected in turns', async () => {
  const cards = Array.from(
    { length: 6_000 },
    (_, index) =>
      `<li class="card"><a href="/p/${index}"><h3>Pen ${index}</h3></a><b class="price">${index}.00</b></li>`,
  )
  const page = pageOf(`<main><ul>${cards.join('')}</ul></main>`)
  const budget = new PageBudget()
  const content = new PageContent(page, VISIT, budget)
  expect(content.tree.elements.length).toBeGreaterThan(0)
  const turns = await turnsIn(detectParts(content), budget)
  expect(turns.length).toBeGreaterThan(1)
  let pauses = 0
  const work = await openPageWork(null)
  const detected = await work.answer('detect', page, VISIT, async () => {
    pauses++
  })
  expect(pauses).toBeGreaterThan(2)
  expect(detected).toEqual(await work.answer('detect', page, VISIT))
  expect(detected).toMatchObject({ kind: 'list' })
})

test('the formats of a page are made in turns', async () => {
  const formats = ['markdown', 'text', 'html', 'metadata']
  expect((await turnsOf(list, { formats })).length).toBeGreaterThan(1)
})

test('a page of which a part uses up the budget keeps what its other turns have read', async () => {
  const plan = compileContent(
    parseRecipe({ start, extract: { items: 'li', fields: FIELDS } }).recipe,
  )
  const limits = { steps: 1_000_000, bytes: 10_000_000 }
  const budget = new PageBudget(limits)
  const parts = plan.processParts(new PageContent(list, VISIT, budget), VISIT)
  const result = await inTurns(parts, budget, () => Promise.resolve())
  expect(result.overrun).toMatchObject({ what: 'steps', limit: 1_000_000 })
  expect(result.rows.length).toBeGreaterThan(100)
  expect(result).toEqual(plan.process(list, VISIT, new PageBudget(limits)))
})

test('rows of a JSONPath are read before the search for later items uses up the budget', () => {
  const members = Array.from({ length: 200 }, (_, number) => ({
    number,
    k: Array.from({ length: 20 }, () => ({ k: 1 })),
  }))
  const page = pageOf(JSON.stringify(members), 'application/json')
  const plan = compileContent(
    parseRecipe({
      start,
      extract: { items: '$[?count($..k) > 0]', fields: { number: '$.number' } },
    }).recipe,
  )
  const limits = { steps: 3 * TURN_STEPS, bytes: 10_000_000 }
  const { rows, overrun } = plan.process(page, VISIT, new PageBudget(limits))
  expect(overrun).toMatchObject({ what: 'steps' })
  expect(rows.length).toBeGreaterThan(10)
  expect(rows).toEqual(members.slice(0, rows.length).map(({ number }) => ({ number })))
})

test('a preview pauses too, and ends with its pause', async () => {
  const work = await openPageWork({ start, extract: { items: 'li', fields: FIELDS } })
  let pauses = 0
  const end = async (): Promise<void> => {
    if (++pauses === 3) throw new Error('gone')
  }
  await expect(work.answer('inspect', list, VISIT, end)).rejects.toThrow('gone')
})
