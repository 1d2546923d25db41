import { beforeAll, describe, expect, test } from 'vitest'
import { detect } from '../../../src/engine/extract/auto.ts'
import { atOnce } from '../../../src/engine/extract/page/in-turns.ts'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent } from '../../../src/engine/extract/page/page-content.ts'
import { DEFAULT_PAGE_LIMITS } from '../../../src/engine/extract/page/page-limits.ts'
import { compileExplain } from '../../../src/engine/plan/explain.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { openPageWork } from '../../../src/engine/page-work.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { loadRegexEngine } from '../../../src/engine/extract/value/linear-regex.ts'
import type { Page, PageResult } from '../../../src/ports/page-processor.ts'
import { CountingBudget, pageOf, runOn } from '../../support/worlds/page-run.ts'

// Proves that no page and no recipe uses more time or memory than the one budget of a visit: each
// source, selector, transform, format and detector takes from it, and the values that were made
// before its end are kept.

const VISIT = { label: 'start', depth: 0, hop: 1 }
const START = { urls: ['https://a.example/'] }

function run(recipe: object, page: Page, budget?: PageBudget): PageResult {
  return compileRecipe(parseRecipe({ start: START, ...recipe })).process(page, VISIT, budget)
}

beforeAll(loadRegexEngine)

/**
 * A tenth of the default, as a plan may set it: a small budget is just as exact, and makes these
 * tests quick.
 */
const LOW_LIMITS = {
  steps: { ...DEFAULT_PAGE_LIMITS, steps: DEFAULT_PAGE_LIMITS.steps / 10 },
  bytes: { ...DEFAULT_PAGE_LIMITS, bytes: Math.floor(DEFAULT_PAGE_LIMITS.bytes / 10) },
}

/** Pages and recipes that cause work far beyond their size. */
const costly: Readonly<
  Record<string, () => readonly [recipe: object, page: Page, what: 'steps' | 'bytes']>
> = {
  'texts of nested elements': () => [
    { extract: { fields: { a: { css: 'div', many: true } } } },
    pageOf(`${'<div>'.repeat(480)}${'word '.repeat(1_800_000)}`),
    'bytes',
  ],
  'rows of nested elements': () => [
    { extract: { items: 'div', fields: { a: ':scope' } } },
    pageOf(`${'<div>'.repeat(480)}${'word '.repeat(1_800_000)}`),
    'bytes',
  ],
  'HTML of nested elements': () => [
    { extract: { fields: { a: { css: 'div', many: true, as: 'html' } } } },
    pageOf(`${'<div>'.repeat(480)}${'<b>x</b>'.repeat(50_000)}`),
    'bytes',
  ],
  'steps that make each part longer': () => [
    {
      extract: {
        fields: {
          a: {
            css: 'body',
            many: true,
            transform: [
              { split: 'a' },
              { replace: ['b', 'b'.repeat(400)] },
              { replace: ['b', 'b'.repeat(400)] },
              'upper',
            ],
          },
        },
      },
    },
    pageOf('ba'.repeat(10_000)),
    'bytes',
  ],
  'parts that are joined with a long text': () => [
    {
      extract: {
        fields: {
          a: { css: 'p', many: true, transform: [{ split: ' ' }, { join: 'x'.repeat(100) }] },
        },
      },
    },
    pageOf(`<p>${'a '.repeat(10_000)}`.repeat(60)),
    'bytes',
  ],
  'a long text that is looked for at each letter': () => [
    {
      extract: {
        fields: {
          a: { css: 'p', many: true, transform: [{ replace: [`b${'a'.repeat(499)}`, 'x'] }] },
        },
      },
    },
    pageOf(`<p>${'a'.repeat(100_000)}`.repeat(20)),
    'steps',
  ],
  'a pattern that is replaced by a long text': () => [
    {
      extract: {
        fields: {
          a: {
            css: 'p',
            many: true,
            transform: [{ replace: { regex: 'a', with: '$0'.repeat(200) } }],
          },
        },
      },
    },
    pageOf(`<p>${'a'.repeat(100_000)}`.repeat(20)),
    'bytes',
  ],
  'a pattern that is replaced by all that stands before it': () => [
    {
      extract: {
        fields: { a: { css: 'p', transform: [{ replace: { regex: 'a', with: '$`' } }] } },
      },
    },
    pageOf(`<p>${'a'.repeat(20_000)}`),
    'bytes',
  ],
  'simple selectors by the thousand': () => [
    {
      extract: {
        fields: Object.fromEntries(
          ['a', 'b', 'c', 'd'].map((name) => [
            name,
            Array.from({ length: 20 }, (_, index) =>
              Array.from({ length: 50 }, (__, part) => `[z${index}-${part}]`).join(','),
            ),
          ]),
        ),
      },
    },
    pageOf('<i></i>'.repeat(100_000)),
    'steps',
  ],
  'microdata of many names': () => [
    { formats: ['structured'] },
    pageOf(
      '<div itemscope>' +
        (
          '<p itemprop="' +
          Array.from({ length: 20 }, (_, index) => `n${index}`).join(' ') +
          `">${'x'.repeat(100_000)}</p>`
        ).repeat(30) +
        '</div>',
    ),
    'bytes',
  ],
  'a part of a document for each path to it': () => [
    { extract: { fields: { a: { json: '$..*', many: true } } } },
    pageOf(`${'{"a":'.repeat(60)}"${'x'.repeat(2_000_000)}"${'}'.repeat(60)}`, 'application/json'),
    'bytes',
  ],
  'every entry of a list for each of many wildcards': () => [
    { extract: { fields: { a: { json: `$[${'*,'.repeat(200)}*].a`, many: true } } } },
    pageOf(`[${'0,'.repeat(1_000_000)}0]`, 'application/json'),
    'steps',
  ],
  'an XPath from each node to all others': () => [
    { extract: { fields: { a: { xpath: '//li[following::text() = "y"]' } } } },
    pageOf(`<ul>${'<li>x</li>'.repeat(20_000)}`),
    'steps',
  ],
  'a pattern that looks to the end at each match': () => [
    { extract: { fields: { a: { regex: 'a(?:[^b]*b)?', many: true } } } },
    pageOf('a '.repeat(40_000), 'text/plain'),
    'steps',
  ],
}

describe('over the budget', () => {
  test.each(Object.keys(costly))('%s', (name) => {
    const [recipe, page, what] = costly[name]?.() ?? [{}, pageOf(''), 'steps']
    const limits = LOW_LIMITS[what]
    const result = run(recipe, page, new PageBudget(limits))
    expect(result.overrun).toMatchObject({ what, limit: limits[what] })
    expect(result.overrun?.where).toMatch(/^(?:extract|formats)/)
    // The result fits into memory many times, and into one answer.
    expect(JSON.stringify(result).length).toBeLessThan(3 * limits.bytes)
  })

  test('keeps the values and rows that were made before', () => {
    const items = pageOf('<a href="/1">one</a><p>1<p>2<p>3')
    const recipe = { extract: { items: 'p', fields: { n: ':scope', m: ':scope' } } }
    const whole = new CountingBudget()
    run(recipe, items, whole)
    const rows = new Set<string>()
    for (let steps = 1; steps <= whole.steps; steps++) {
      const result = run(recipe, items, new PageBudget({ steps, bytes: 1_000_000 }))
      if (steps < whole.steps) expect(result.overrun).toMatchObject({ what: 'steps', limit: steps })
      else expect(result.overrun).toBeUndefined()
      // A row has all its columns, whether they were read or not.
      for (const row of result.rows) expect(Object.keys(row)).toEqual(['n', 'm'])
      rows.add(JSON.stringify(result.rows))
    }
    expect(rows).toContain('[{"n":"1","m":"1"},{"n":"2","m":null}]')
    expect(rows).toContain('[{"n":"1","m":"1"},{"n":"2","m":"2"},{"n":"3","m":"3"}]')
  })

  test('ends at the same place for the same page, so a row does not depend on the machine', () => {
    const page = pageOf(`<ul>${'<li>x</li>'.repeat(500)}`)
    const read = (): PageResult =>
      run(
        { extract: { items: 'li', fields: { a: ':scope' } } },
        page,
        new PageBudget({ steps: 18_000, bytes: 40_000 }),
      )
    expect(read()).toEqual(read())
    expect(read().rows.length).toBeGreaterThan(10)
    expect(read().rows.length).toBeLessThan(500)
  })

  test('a format that is too costly is empty, and the formats before it are complete', () => {
    const page = pageOf(
      `<title>Title</title><main><h1>Title</h1>${'<p>One two three four five.</p>'.repeat(50)}</main>`,
    )
    const whole = new CountingBudget()
    run({ formats: ['metadata', 'text', 'markdown'] }, page, whole)
    const { rows, overrun } = run(
      { formats: ['metadata', 'text', 'markdown'] },
      page,
      new PageBudget({ steps: whole.steps - 10, bytes: 1_000_000 }),
    )
    expect(overrun?.where).toBe('formats.markdown')
    expect(rows[0]).toMatchObject({
      metadata: { title: 'Title' },
      text: expect.stringContaining('One two'),
      markdown: null,
    })
  })

  test('detection proposes something plain, and says why', () => {
    const detection = detect(
      pageOf('<ul><li><a href=/1>Item one</a><li><a href=/2>Item two</a></ul>'),
      new PageBudget({ steps: 300, bytes: 1_000 }),
    )
    expect(detection).toMatchObject({
      kind: 'page',
      confidence: 0,
      overrun: { what: 'steps', limit: 300, where: 'detection' },
    })
  })

  test('a recipe that leaves its fields to the page pays for detection from the same budget', () => {
    const page = pageOf(
      `<ul>${'<li><a href="/x">An item of the list</a> and words</li>'.repeat(50)}</ul>`,
    )
    const alone = new CountingBudget()
    detect(page, alone)
    const { overrun } = run(
      { extract: 'auto' },
      page,
      new PageBudget({ steps: alone.steps + 1, bytes: 1_000_000 }),
    )
    expect(overrun).toBeDefined()
  })

  test('such a recipe pays for the tree of the page once', () => {
    const page = pageOf(
      `<!--${' '.repeat(1_000_000)}--><ul>${'<li><a href="/x">An item of the list</a> and words</li>'.repeat(50)}</ul>`,
    )
    const whole = new CountingBudget()
    run({ extract: 'auto' }, page, whole)
    expect(whole.steps).toBeGreaterThan(1_000_000)
    expect(whole.steps).toBeLessThan(1_900_000)
  })

  test('an explanation ends when the budget ends', () => {
    const recipe = parseRecipe({
      start: START,
      extract: { fields: { a: { css: 'div', many: true } } },
    })
    const page = pageOf(`${'<div>'.repeat(480)}${'word '.repeat(200_000)}`)
    const explain = compileExplain(recipe.recipe)
    expect(() => atOnce(explain(new PageContent(page, VISIT), VISIT))).not.toThrow()
  })
})

test('an honest page of the largest size stays within the budget', () => {
  const words = 'Some words of a sentence, and some more of them. '
  const page = pageOf(
    `<title>Long</title><main>${`<p>${words.repeat(4)}<a href="/x">link</a></p>`.repeat(46_000)}</main>`,
  )
  expect(page.body.byteLength).toBeGreaterThan(9.5 * 1024 * 1024)
  const { overrun, rows } = run({ formats: ['markdown', 'text', 'metadata', 'links'] }, page)
  expect(overrun).toBeUndefined()
  expect(String(rows[0]?.['markdown']).length).toBeGreaterThan(9_000_000)
})

test('a list with more entries than a call can have arguments is read', () => {
  const page = pageOf(
    JSON.stringify(Array.from({ length: 200_000 }, (_, index) => ({ at: index }))),
    'application/json',
  )
  const { rows, overrun } = run({ extract: { items: '$[0:]', fields: { at: '$.at' } } }, page)
  expect([rows.length, overrun]).toEqual([50_000, undefined])
})

test.each(['.*b|a', 'a(?:.*b)?', '.*b|a[([]?', '(?:a|.*b)', 'a(.*b)*', '[^b]*b|a'])(
  'a pattern that may look far ahead at each match pays for it: %s',
  (regex) => {
    const { overrun } = run(
      { extract: { fields: { a: { regex, many: true } } } },
      pageOf('a('.repeat(45_000), 'text/plain'),
      new PageBudget(LOW_LIMITS.steps),
    )
    expect(overrun).toMatchObject({ what: 'steps' })
  },
)

test('wildcards beside one another find no more than one value needs', () => {
  const page = pageOf(JSON.stringify(Array.from({ length: 400_000 }, () => 1)), 'application/json')
  const json = `$[${Array.from({ length: 240 }, () => '*').join(',')}]`
  const { rows, overrun } = run({ extract: { fields: { a: { json, many: true } } } }, page)
  expect([Array.isArray(rows[0]?.['a']) && rows[0]['a'].length, overrun]).toEqual([
    10_000,
    undefined,
  ])
})

test('many matches of a plain pattern in a long text cost as much as their length', () => {
  const page = pageOf('item 12 x '.repeat(9_000), 'text/plain')
  const { rows, overrun } = run(
    { extract: { fields: { a: { regex: '([a-z]+) (\\d+) (x|y)', many: true } } } },
    page,
  )
  expect([Array.isArray(rows[0]?.['a']) && rows[0]['a'].length, overrun]).toEqual([
    9_000,
    undefined,
  ])
})

test('an honest file of records of eight megabytes is proposed and extracted within the budget', async () => {
  const page = pageOf(
    `name,price,url\n${'a pen of the shop,1.50,https://a.example.com/x\n'.repeat(180_000)}`,
    'text/csv',
  )
  const work = await openPageWork({ start: START, extract: 'auto' })
  const { result, proposal } = await work.answer('propose', page, VISIT)
  expect([proposal?.kind, result.rows.length, result.overrun]).toEqual(['table', 50_000, undefined])
  expect(result.cuts).toEqual([{ what: 'rows', limit: 50_000, where: 'extract.items' }])
})

describe('an honest page of 50,000 rows with 20 columns', () => {
  const columns = Array.from({ length: 20 }, (_, index) => `column${index}`)
  const cell = (row: number, index: number): string | number =>
    index % 3 === 0
      ? (row * 7_919 + index * 31) % 100_000
      : index % 3 === 1
        ? ((row * 31 + index) % 1_000) / 10
        : `word ${row % 997}`
  const rows = Array.from({ length: 50_000 }, (_, row) =>
    columns.map((__, index) => cell(row, index)),
  )
  const objects = (): object[] =>
    rows.map((values) => Object.fromEntries(values.map((value, index) => [`c${index}`, value])))
  const pages: Readonly<Record<string, () => Page>> = {
    CSV: () =>
      pageOf(
        [columns.map((_, index) => `c${index}`), ...rows].map((values) => values.join()).join('\n'),
        'text/csv',
      ),
    'JSON Lines': () =>
      pageOf(
        objects()
          .map((one) => JSON.stringify(one))
          .join('\n'),
        'application/x-ndjson',
      ),
    JSON: () => pageOf(JSON.stringify(objects()), 'application/json'),
  }

  test.each(Object.entries(pages))('of %s is within the budget', async (_, make) => {
    const fields = Object.fromEntries(
      columns.map((column, index) => [
        column,
        index % 3 === 2 ? `$.c${index}` : { json: `$.c${index}`, as: 'number' },
      ]),
    )
    const page = make()
    const {
      rows: rowObjects,
      overrun,
      cuts,
    } = await runOn({ extract: { items: '$[*]', fields } }, page)
    expect([rowObjects.length, overrun, cuts]).toEqual([50_000, undefined, undefined])
    expect(rowObjects[49_999]).toMatchObject({
      column0: cell(49_999, 0),
      column1: cell(49_999, 1),
      column19: cell(49_999, 19),
    })
    // A third of the steps is left for more columns, patterns and steps.
    const count = new CountingBudget()
    await runOn({ extract: { items: '$[*]', fields } }, page, count)
    expect([
      count.steps < 40_000_000,
      count.bytes < DEFAULT_PAGE_LIMITS.bytes * 0.8,
      count.steps,
      count.bytes,
    ]).toEqual([true, true, count.steps, count.bytes])
  })
})
