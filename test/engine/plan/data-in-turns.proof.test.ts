import { expect, test } from 'vitest'
import { detectAllParts } from '../../../src/engine/extract/auto.ts'
import { preparePage } from '../../../src/engine/extract/document/prepare-page.ts'
import {
  atOnce,
  inTurns,
  TURN_STEPS,
  type Parts,
} from '../../../src/engine/extract/page/in-turns.ts'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../src/engine/extract/page/page-content.ts'
import type { ContentPlan } from '../../../src/engine/plan/auto-extract.ts'
import { compileContent } from '../../../src/engine/plan/compile.ts'
import { relocateParts } from '../../../src/engine/plan/relocate.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Page } from '../../../src/ports/page-processor.ts'
import { pageOf } from '../../support/worlds/page-run.ts'

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
/** An object with so many names. */
const wide = <T>(names: number, value: (index: number) => T): Record<string, T> =>
  Object.fromEntries(many(names, (index) => [`name${index}`, value(index)]))
const json = (value: unknown): Page => pageOf(JSON.stringify(value), 'application/json')
const inScript = (text: string): Page =>
  pageOf(`<title>Pens</title><script>window.__STATE__ = ${text}</script>`)
const planOf = (field: object): ContentPlan =>
  compileContent(
    parseRecipe({ start: { urls: ['https://a.example/'] }, extract: { fields: { field } } }).recipe,
  )
const column = planOf({ json: '$.a', as: 'json' })
const members = planOf({ json: '$.*', as: 'json', many: true })
const lengths = planOf({ json: '$..[?length(@) > 9]' })
const siblings = planOf({ xpath: 'count(//li[following-sibling::li = preceding-sibling::li])' })

const readState = (content: PageContent): Parts<void> => content.readState()

/** `least`: fewer turns would be longer than their steps say. */
interface Case {
  readonly page: Page
  readonly read: (content: PageContent) => Parts<unknown>
  readonly least: number
}
const CASES: Readonly<Record<string, Case>> = {
  'objects with thousands of names': {
    page: json({ list: many(30, (row) => wide(4_000, (index) => index + row)) }),
    read: detectAllParts,
    least: 8,
  },
  'objects with thousands of objects': {
    page: json({ list: many(30, () => wide(4_000, () => ({}))) }),
    read: detectAllParts,
    least: 10,
  },
  'an object with many names': {
    page: json(wide(80_000, (id) => ({ id }))),
    read: detectAllParts,
    least: 6,
  },
  'all members of an object with many names': {
    page: json(wide(80_000, (id) => id)),
    read: (content) => members.processParts(content, START),
    least: 10,
  },
  'the lengths of objects with many names': {
    page: json(many(2, (row) => ({ [`row${row}`]: wide(40_000, (id) => id) }))),
    read: (content) => lengths.processParts(content, START),
    least: 6,
  },
  'hundreds of lists': {
    page: json(
      wide(500, () => many(20, (row) => wide(10, (index) => `${(row + 1) * (index + 1)}.50`))),
    ),
    read: detectAllParts,
    least: 20,
  },
  'lines with many names': {
    page: pageOf(
      many(150, (row) => JSON.stringify(wide(1_000, (index) => `${index * row}`))).join('\n'),
      'application/x-ndjson',
    ),
    read: detectAllParts,
    least: 8,
  },
  'a text of escapes': {
    page: inScript(
      String.raw`{a: "${String.raw`\x41`.repeat(300_000)}", b: '${String.raw`\n`.repeat(300_000)}'}`,
    ),
    read: readState,
    least: 10,
  },
  'a name of escapes': {
    page: inScript(String.raw`{"${String.raw`\u0041`.repeat(200_000)}": [1, 2, ]}`),
    read: readState,
    least: 10,
  },
  'code with a text of escapes': {
    page: inScript(`{a: b("${String.raw`\x41`.repeat(300_000)}"), c: 1, d: 2}`),
    read: readState,
    least: 10,
  },
  'a template of escapes': {
    page: inScript(`{a: \`${String.raw`\x41`.repeat(300_000)}\`, c: 1}`),
    read: readState,
    least: 10,
  },
  'a value of many names': {
    page: json({ a: many(20, () => wide(4_000, (index) => index)) }),
    read: (content) => column.processParts(content, START),
    least: 3,
  },
  'a column of many numbers': {
    page: pageOf(
      `<table><tr><th>Number<th>Price${many(12_000, (row) => `<tr><td>${row}<td>${row}.50`).join('')}</table>`,
    ),
    read: detectAllParts,
    least: 21,
  },
  'siblings that an XPath compares': {
    page: pageOf(`<ul>${many(30_000, (row) => `<li>${row}`).join('')}</ul>`),
    read: (content) => siblings.processParts(content, START),
    least: 25,
  },
  'lines with a name and a price': {
    page: pageOf(`<ul>${many(30_000, (row) => `<li>Pen ${row} - $${row}.50`).join('')}</ul>`),
    read: detectAllParts,
    least: 18,
  },
}

test.each(Object.entries(CASES))('%s: short turns', async (_, { page, read, least }) => {
  await preparePage(page)
  const budget = new PageBudget()
  const content = new PageContent(page, START, budget)
  content.beginTurns()
  const ends: number[] = []
  const pause = async (): Promise<void> => {
    ends.push(budget.stepsDone)
  }
  await inTurns(content.readTree(), budget, pause)
  if (read !== readState) await inTurns(content.readData(), budget, pause)
  ends.splice(0, Infinity, budget.stepsDone)
  const answer = await inTurns(read(content), budget, pause)
  ends.push(budget.stepsDone)
  const turns = ends.slice(1).map((end, index) => end - (ends[index] ?? 0))
  expect(turns.length).toBeGreaterThanOrEqual(least)
  expect(Math.max(...turns)).toBeLessThan(1.5 * TURN_STEPS)
  const other = new PageContent(page, START, new PageBudget())
  expect(answer).toEqual(atOnce(read(other)))
  expect([content.data, content.state]).toEqual([other.data, other.state])
  expect(other.budget.overrun).toBe(null)
})

const WORDS = 'There is a lot to be said about ink. '.repeat(80_000)
const METAS = many(80_000, (index) => `<meta name=m${index} content="word ${index}">`).join('')
const numbers = { name: { css: 'h1', as: 'number' } }
const LOST: Readonly<Record<string, { page: Page; fields: object; value: string | number }>> = {
  'a number beside many meta elements': {
    page: pageOf(`${METAS}<body><p>12.5`),
    fields: numbers,
    value: 12.5,
  },
  'a text beside a long one': {
    page: pageOf(`<p>${WORDS}<p>Pen`),
    fields: { name: 'h1' },
    value: 'Pen',
  },
  'a number beside a long text': {
    page: pageOf(`<p>${WORDS}<p>12.5`),
    fields: numbers,
    value: 12.5,
  },
}

test.each(Object.entries(LOST))('%s is looked for in turns', async (_, { page, fields, value }) => {
  const { recipe } = parseRecipe({ start: { urls: ['https://a.example/'] }, extract: { fields } })
  const sought = { columns: ['name'], rows: [{ name: value }] }
  const budget = new PageBudget()
  const content = new PageContent(page, START, budget)
  content.beginTurns()
  atOnce(content.readTree())
  let turns = 1
  const answer = await inTurns(relocateParts(recipe, content, sought), budget, async () => {
    turns++
  })
  expect(turns).toBeGreaterThanOrEqual(10)
  const other = new PageContent(page, START, new PageBudget())
  expect(answer).toEqual(atOnce(relocateParts(recipe, other, sought)))
  expect(answer[0]?.sources.length).toBeGreaterThan(0)
})

test.each([
  [String.raw`"\x4a\x6B"`, 'Jk'],
  [String.raw`"\u00e9\uD83D\ude00"`, 'é😀'],
  [String.raw`"\u{1F600}\u{41}"`, '😀A'],
  [String.raw`"\x4"`, undefined],
  [String.raw`"\x{41}"`, undefined],
  [String.raw`"\u00g0"`, undefined],
  [String.raw`"\u{110000}"`, undefined],
  [String.raw`"\u{}"`, undefined],
])('the escapes of %s are read', (text, expected) => {
  const { state } = new PageContent(inScript(`{a: ${text}, b: 1}`), START, new PageBudget())
  expect(state).toEqual(expected === undefined ? [] : [{ a: expected, b: 1 }])
})
