import { describe, expect, test } from 'vitest'
import { detectContent } from '../../src/engine/extract/auto.ts'
import { PageContent } from '../../src/engine/extract/page/page-content.ts'
import { openPageWork } from '../../src/engine/page-work.ts'
import type {
  Page,
  PageInspection,
  PageResult,
  PageShell,
  PageText,
} from '../../src/ports/page-processor.ts'
import type { PageLimits } from '../../src/ports/page-limits.ts'
import { CountingBudget, pageOf, runOn } from '../support/worlds/page-run.ts'

// Proves that all questions of one visit share one budget: each question has only what the earlier
// ones have left.

const VISIT = { label: 'start', depth: 0, hop: 1 }
const START = { urls: ['https://a.example/'] }
const BYTES = 10_000_000
const SCRIPT = '<script src="/app.js"></script>'

/** The steps of a recipe on a page with a budget without an end. */
async function stepsOf(recipe: object, page: Page): Promise<number> {
  const budget = new CountingBudget()
  await runOn(recipe, page, budget)
  return budget.steps
}

const withSteps = (steps: number): PageLimits => ({ steps, bytes: BYTES })

async function process(recipe: object, page: Page, steps: number): Promise<PageResult> {
  return (await openPageWork({ start: START, ...recipe }, withSteps(steps))).answer(
    'process',
    page,
    VISIT,
  )
}

async function isShell(recipe: object, page: Page, steps: number): Promise<PageShell> {
  return (await openPageWork({ start: START, ...recipe }, withSteps(steps))).answer(
    'isShell',
    page,
    VISIT,
  )
}

async function inspect(recipe: object, page: Page, steps: number): Promise<PageInspection> {
  return (await openPageWork({ start: START, ...recipe }, withSteps(steps))).answer(
    'inspect',
    page,
    VISIT,
  )
}

describe('the question whether a page needs its scripts', () => {
  const recipe = { extract: { items: 'i', fields: { a: ':scope' } } }
  const page = pageOf(`${SCRIPT}${'<i>item</i>'.repeat(400)}`)

  test('is paid from the budget of the page', async () => {
    const alone = await stepsOf(recipe, page)
    const check = await isShell(recipe, page, 20 * alone)
    expect(check).toMatchObject({ isShell: false, spent: { steps: expect.any(Number) } })
    expect(check.spent.steps).toBeGreaterThan(0)
    const { spent } = check
    expect((await process(recipe, page, alone)).overrun).toBeUndefined()
    expect((await process(recipe, { ...page, spent }, alone)).overrun).toMatchObject({
      what: 'steps',
      limit: alone,
    })
    expect((await process(recipe, { ...page, spent }, alone + spent.steps)).overrun).toBeUndefined()
  })

  test('takes at most a quarter of it; above that the answer is no, and says so', async () => {
    const costly = {
      extract: { fields: { a: { xpath: '//i[preceding-sibling::i = following-sibling::x]' } } },
    }
    const steps = 100_000
    const check = await isShell(costly, page, steps)
    const cuts = [{ what: 'steps of work', limit: steps / 4, where: 'render' }]
    expect(check).toEqual({
      isShell: false,
      spent: { steps: steps / 4, bytes: expect.any(Number), cuts },
    })
    const result = await process(recipe, { ...page, spent: check.spent }, steps)
    expect([result.rows.length, result.overrun, result.cuts]).toEqual([400, undefined, cuts])
  })

  test('does not report cuts of a page that is then rendered', async () => {
    const many = { extract: { fields: { a: { css: 'i', attr: 'x', many: true }, b: 'h1' } } }
    const shell = pageOf(
      `${SCRIPT}<i x=1></i>${'<i x=1></i>'.repeat(10_000)}<p>${'word '.repeat(100)}</p>`,
    )
    expect((await runOn(many, shell)).cuts).toHaveLength(1)
    expect((await isShell(many, shell, 10_000_000)).spent).not.toHaveProperty('cuts')
  })
})

describe('a preview of a page', () => {
  const recipe = { extract: { items: 'i', fields: { a: ':scope', b: ':scope', c: ':scope' } } }
  const page = pageOf('<i>item</i>'.repeat(400))

  test('has its rows first, and an explanation if enough budget is left', async () => {
    const alone = await stepsOf(recipe, page)
    const whole = await inspect(recipe, page, 20 * alone)
    expect([whole.result.rows.length, whole.result.cuts, whole.explanation?.items]).toEqual([
      400,
      undefined,
      400,
    ])
    const { result, explanation } = await inspect(recipe, page, alone + 100)
    expect([result.rows.length, result.overrun, explanation]).toEqual([400, undefined, null])
    expect(result.cuts).toEqual([{ what: 'steps of work', limit: 100, where: 'explanation' }])
  })

  test('has no explanation if its rows were too costly', async () => {
    const { result, explanation } = await inspect(
      recipe,
      page,
      Math.floor((await stepsOf(recipe, page)) * 0.9),
    )
    expect([result.overrun?.what, explanation]).toEqual(['steps', null])
    expect(result.rows.length).toBeGreaterThan(100)
  })

  test('detects and extracts with one budget', async () => {
    const open = { extract: 'auto' }
    const items = Array.from(
      { length: 50 },
      (_, index) =>
        `<li class="pen"><a href="/${index}">Pen ${index}</a> <span class="price">${index},50 €</span></li>`,
    )
    const list = pageOf(`<ul>${items.join('')}</ul>`)
    const propose = async (steps: number) =>
      (await openPageWork({ start: START, ...open }, withSteps(steps))).answer(
        'propose',
        list,
        VISIT,
      )
    const { proposal, result } = await propose(10_000_000)
    expect(result.rows).toHaveLength(50)
    expect(proposal?.kind).toBe('list')
    const detection = new CountingBudget()
    detectContent(new PageContent(list, VISIT, detection))
    // Enough for detection or for extraction, but not for both.
    const cut = await propose(Math.ceil(detection.steps * 1.01))
    expect([cut.result.overrun?.what, cut.explanation]).toEqual(['steps', null])
  })
})

test('the budget that a reader spent on a page is not restored when its scripts have run', async () => {
  const words = pageOf(`<p>${'word '.repeat(2_000)}</p>`)
  const read = async (page: Page, steps: number): Promise<PageText> =>
    (await openPageWork(null, withSteps(steps))).answer('read', page, VISIT)
  const { spent, overrun } = await read(words, 1_000_000)
  expect(overrun).toBeUndefined()
  expect((await read({ ...words, spent }, 2 * spent.steps)).overrun).toBeUndefined()
  expect(await read({ ...words, spent }, 2 * spent.steps - 1)).toMatchObject({
    overrun: { what: 'steps' },
  })
})

describe('the text of JSON', () => {
  const read = async (text: string, limits?: PageLimits): Promise<PageText> =>
    (await openPageWork(null, limits)).answer('read', pageOf(text, 'application/json'), VISIT)

  test('is formatted on lines, unless its depth makes it far longer than the page', async () => {
    expect((await read('{"a":[1,2]}')).text).toBe(
      '```json\n{\n  "a": [\n    1,\n    2\n  ]\n}\n```',
    )
    const deep = `${'['.repeat(60)}${'1,'.repeat(400_000)}1${']'.repeat(60)}`
    const { text, overrun } = await read(deep)
    expect([text === deep, overrun]).toEqual([true, undefined])
  })

  test('is paid from the budget', async () => {
    const limits = { steps: 1_000_000, bytes: 1_000 }
    expect(await read(`[${'1,'.repeat(400)}1]`, limits)).toMatchObject({
      text: null,
      overrun: { what: 'bytes', limit: 1_000 },
    })
    expect(await read(`["${'a'.repeat(2_000)}`, limits)).toMatchObject({
      text: null,
      overrun: { what: 'bytes' },
    })
  })
})

test('the text of a PDF is paid from the budget, and the result says where it was cut', async () => {
  const text = 'word '.repeat(400)
  const pdf = {
    title: null,
    author: null,
    date: null,
    language: null,
    pages: 1,
    pagesRead: 1,
    cutAt: 2_000,
    text,
    texts: [text],
  }
  const page = pageOf('%PDF-1.7', 'application/pdf', { document: pdf })
  const read = async (bytes: number): Promise<PageText> =>
    (await openPageWork(null, { steps: 1_000_000, bytes })).answer('read', page, VISIT)
  expect(await read(10_000)).toMatchObject({
    text,
    facts: { pages: 1, pagesRead: 1, truncated: true },
    cuts: [{ what: 'characters of a document', limit: 2_000, where: 'page' }],
  })
  expect(await read(1_000)).toMatchObject({ text: null, overrun: { what: 'bytes' } })
})
