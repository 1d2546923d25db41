import type { Element } from 'domhandler'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { PageContent } from '../../../../src/engine/extract/page/page-content.ts'
import { NestedTexts } from '../../../../src/engine/extract/select/nested-texts.ts'
import { checkedXPath, type XPath } from '../../../../src/engine/extract/xpath/checked-xpath.ts'
import { CountingBudget, pageOf } from '../../../support/worlds/page-run.ts'

const START = { label: 'start', depth: 0, hop: 1 }

function contentOf(html: string, budget = new PageBudget()): PageContent {
  return new PageContent(pageOf(html), START, budget)
}

/** The places of elements in their tree, which tell two answers apart, and texts. */
function placesOf(matches: readonly (string | Element)[]): readonly (string | number | null)[] {
  return matches.map((match) => (typeof match === 'string' ? match : match.startIndex))
}

/** The answers at each element, with what is listed for all of them, in one order or the other. */
function listed(
  select: XPath,
  html: string,
  isBackwards: boolean,
  most: 'all' | 'first',
): unknown[] {
  const content = contentOf(html)
  Object.assign(content.matching, { texts: new NestedTexts(content.budget, 0) })
  const { elements } = content.tree
  const order = isBackwards ? elements.toReversed() : elements
  const answers = order.map((element) => {
    const matches = placesOf(select(content, element, most))
    return most === 'all' ? matches : matches.slice(0, 1)
  })
  return isBackwards ? answers.toReversed() : answers
}

/** The same on a page of its own for each element: what is asked for once is visited, not listed. */
function visited(select: XPath, html: string, most: 'all' | 'first'): unknown[] {
  return contentOf(html).tree.elements.map((_, index) => {
    const content = contentOf(html)
    const matches = placesOf(select(content, content.tree.elements[index] ?? null))
    return most === 'all' ? matches : matches.slice(0, 1)
  })
}

const text = fc.constantFrom('x', 'y', ' x ', '1', '2', '-3', '2.0', '', ' ', 'x  y')
const item = fc.oneof(
  text,
  fc
    .tuple(fc.constantFrom('b', 'i', 'div', 'script'), text, fc.constantFrom('', ' class="c"'))
    .map(([name, inner, more]) => `<${name}${more}>${inner}</${name}>`),
  fc.tuple(text, text).map(([one, two]) => `<b>${one}<i>${two}</i>${one}</b>`),
)
/** Enough siblings to be listed. */
const list = fc.array(item, { minLength: 16, maxLength: 22 }).map((items) => items.join(''))
const page = fc
  .tuple(list, text, list)
  .map(([one, between, two]) => `<div>${one}<div>${between}<p>${two}</p></div></div>`)

const axis = fc.constantFrom('following-sibling', 'preceding-sibling')
const far = fc
  .tuple(
    fc.constantFrom('following', 'preceding'),
    fc.constantFrom('*', 'b', 'i', 'div', 'none'),
    fc.constantFrom('', '', '[i]', '[@class]', '[. = "x"]', '[preceding::i]'),
  )
  .map(([direction, name, condition]) => `${direction}::${name}${condition}`)
const siblings = fc
  .tuple(
    axis,
    fc.constantFrom('*', '*', 'b', 'b', 'i', 'none', 'text()', 'node()'),
    fc.constantFrom('', '', '', '[i]', '[@class]', '[. = "x"]'),
  )
  .map(([direction, name, condition]) => `${direction}::${name}${condition}`)
const path = fc.oneof(
  siblings,
  fc
    .tuple(siblings, fc.constantFrom('/i', '//i', '/text()', '/@class', '/..', '/i[1]', '/b/i'))
    .map(([step, rest]) => step + rest),
)
const other = fc.oneof(
  path,
  fc.constantFrom(
    '"x"',
    '2',
    'number("x")',
    'true()',
    '//b',
    '//i',
    '//none',
    '.',
    '*',
    'text()',
    'number(//i)',
  ),
)
const relation = fc.constantFrom('=', '!=', '<', '<=', '>', '>=')
const position = fc.constantFrom(
  '1',
  '2',
  '1.5',
  '0',
  'last()',
  'position() = 2',
  'position() = last()',
  'position() < 3',
  'position() < 2.5',
  'position() <= 2',
)
const expressions = {
  comparisons: fc.oneof(
    fc.tuple(path, relation, other).map(([left, sign, right]) => `${left} ${sign} ${right}`),
    fc.tuple(other, relation, path).map(([left, sign, right]) => `${left} ${sign} ${right}`),
  ),
  'paths and their first nodes': fc.oneof(
    path,
    path.map((one) => `string(${one})`),
    path.map((one) => `normalize-space(${one})`),
    path.map((one) => `name(${one})`),
    path.map((one) => `${one} + 1`),
    path.map((one) => `-${one}`),
  ),
  'counts and conditions': fc.oneof(
    path.map((one) => `count(${one})`),
    path.map((one) => `sum(${one})`),
    path.map((one) => `not(${one})`),
    path.map((one) => `self::*[${one}]`),
    fc.tuple(path, path).map(([one, two]) => `boolean(${one} and ${two})`),
  ),
  'elements before and after': fc.oneof(
    far.map((one) => `count(${one})`),
    far.map((one) => `not(${one})`),
    far.map((one) => `self::*[${one}]`),
    fc
      .tuple(far, fc.constantFrom('1', '2', '7', '1.5'))
      .map(([one, number]) => `${one}[${number}]`),
    far.map((one) => `${one}[2][. = "x"]/..`),
    fc.tuple(far, far).map(([one, two]) => `boolean(${one} or count(${two}) > 3)`),
  ),
  positions: fc.oneof(
    fc.tuple(siblings, position).map(([one, number]) => `${one}[${number}]`),
    fc.tuple(siblings, position).map(([one, number]) => `${one}[${number}][. = "x"]/..`),
    fc.tuple(siblings, position).map(([one, number]) => `(${one})[${number}]`),
  ),
  'paths from the root beside others': fc
    .tuple(
      fc.constantFrom('//@class', '//@*', '//b/@*', '//b', '//text()', '//i/..'),
      fc.oneof(path, fc.constantFrom('@class', '*/@class', './/@*', '.', 'text()', '//@class')),
      fc.constantFrom('$1 | $2', 'count($1 | $2)', '$2 | $1', '($1 | $2)[2]', '$1 = $2'),
    )
    .map(([root, one, form]) => form.replace('$1', root).replace('$2', one)),
  'texts of nested elements': fc
    .tuple(
      fc.constantFrom('.', 'string()', 'string(.)', 'normalize-space()', 'normalize-space(.)'),
      fc.constantFrom('x', 'x y', 'x x', ' x', 'x ', ' x ', ' ', '', 'x  y', 'y x', 'yx'),
      fc.constantFrom('contains', 'starts-with', '='),
    )
    .map(([of, sought, how]) =>
      how === '=' ? `${of} = "${sought}"` : `${how}(${of}, "${sought}")`,
    ),
}

test.each(Object.entries(expressions))(
  '%s: what is listed for all nodes answers as what is visited from each',
  (_, expression) => {
    fc.assert(
      fc.property(page, expression, fc.boolean(), (html, xpath, isBackwards) => {
        const select = checkedXPath(xpath, 'x', [])
        for (const most of ['all', 'first'] as const)
          expect(listed(select, html, isBackwards, most)).toEqual(visited(select, html, most))
      }),
      { numRuns: 150 },
    )
  },
)

const few = fc.constantFrom(
  '<b>x</b>',
  '<i>x</i>',
  '<b>y</b>',
  '<i>3</i>',
  '<b>3</b>',
  '<b>7</b>',
  ' ',
)
/** Siblings of which hardly any two have the same text, so that each place counts. */
const rare = fc
  .tuple(fc.array(few, { minLength: 4, maxLength: 6 }), fc.nat(16))
  .map(([parts, place]) => {
    const between = Array.from({ length: 16 }, (_, index) => `<u>${index + 20}</u>`)
    between.splice(place, 0, ...parts)
    return `<div>${between.join('')}</div>`
  })
const compared = fc.oneof(
  fc
    .tuple(axis, fc.constantFrom('b', 'i', '*', 'u'))
    .map(([direction, name]) => `${direction}::${name}`),
  fc.constantFrom('//b', '//i', '"x"', '3', 'number("x")', '.', '//none'),
)

test('siblings that are compared with siblings have the texts of those that are visited', () => {
  fc.assert(
    fc.property(rare, compared, relation, compared, (html, left, sign, right) => {
      const select = checkedXPath(`${left} ${sign} ${right}`, 'x', [])
      expect(listed(select, html, false, 'all')).toEqual(visited(select, html, 'all'))
    }),
    { numRuns: 300 },
  )
})

const items = (count: number): string => `<ul>${'<li>x</li>'.repeat(count)}</ul>`

test.each([
  '//li[(//li)[position() < 9999]]',
  '//li[(//li)[position() <= 9999]]',
  '//li[((//li)[position() < 9999])[position() < 9998]]',
])('%s pays for each copy of a list', (xpath) => {
  const select = checkedXPath(xpath, 'x', [])
  const spentOn = (count: number): number => {
    const budget = new CountingBudget()
    select(contentOf(items(count), budget), null)
    return budget.steps
  }
  expect(spentOn(800) - 2 * spentOn(400)).toBeGreaterThan(0.2 * 2 * 400 * 400)
})

const nested = (count: number): string => `${'<div>x '.repeat(count / 2)}${items(count / 2)}`

test.each([
  ['//li[preceding-sibling::li = following-sibling::i]', items],
  ['//li[preceding-sibling::li = following-sibling::li[. = "y"]]', items],
  ['//li[preceding-sibling::li != following-sibling::li]', items],
  ['//li[following-sibling::li > 5]', items],
  ['//li[following-sibling::li = //b]', items],
  ['//li[. = //li][. != //li]', items],
  ['//li[following-sibling::li/a]', items],
  ['//li[string(preceding-sibling::li) = "y"]', items],
  ['//li[normalize-space(following-sibling::li/a) = "y"]', items],
  ['//li[following-sibling::i[1]]', items],
  ['//li[following-sibling::li[@class][1]]', items],
  ['//li/preceding-sibling::li[last()]', items],
  ['//li/following-sibling::li[position() < 3]', items],
  ['//li[(preceding-sibling::li)[last()] = "y"]', items],
  ['//li[count(//li) = 3]', items],
  ['//li[count(following::li) > count(preceding::li)]', items],
  ['//li[following::li[. = "none"] or preceding::none]', items],
  ['//li/preceding::none[1]', items],
  ['//li[following::li[@class][7]]', items],
  ['//div[contains(., "y")]', nested],
  ['//div[contains(normalize-space(.), "y")]', nested],
  ['//div[contains(normalize-space(.), " y")]', nested],
  ['//div[starts-with(normalize-space(.), " y")]', nested],
  ['//div[normalize-space(.) = "y "]', nested],
  ['//div[starts-with(., "y")]', nested],
  ['//div[. = "y"]', nested],
] as const)('%s takes steps and bytes linear in the page', (xpath, pageWith) => {
  const select = checkedXPath(xpath, 'x', [])
  const spentOn = (count: number): CountingBudget => {
    const budget = new CountingBudget()
    const content = contentOf(pageWith(count), budget)
    Object.assign(content.matching, { texts: new NestedTexts(budget, 0) })
    select(content, null)
    return budget
  }
  const [half, whole] = [spentOn(200), spentOn(400)]
  expect(whole.steps).toBeLessThan(2.3 * half.steps)
  expect(whole.bytes).toBeLessThan(2.3 * half.bytes)
})

test.each([
  'boolean(self::*[. = //li])',
  'boolean(following-sibling::li = //li)',
  'boolean(//li = string(.))',
  'boolean(//li > number(.))',
])('%s of each item takes steps and bytes linear in the items', (xpath) => {
  const select = checkedXPath(xpath, 'x', [])
  const spentOn = (count: number): CountingBudget => {
    const budget = new CountingBudget()
    const content = contentOf(items(count), budget)
    for (const element of content.tree.elements) if (element.name === 'li') select(content, element)
    return budget
  }
  const [half, whole] = [spentOn(200), spentOn(400)]
  expect(whole.steps).toBeLessThan(2.3 * half.steps)
  expect(whole.bytes).toBeLessThan(2.3 * half.bytes)
})

test('lists for each sibling take bytes', () => {
  const bytesOf = (xpath: string): number => {
    const select = checkedXPath(xpath, 'x', [])
    const budget = new CountingBudget()
    const content = contentOf('<li><a>x</a></li>'.repeat(200), budget)
    for (const element of content.tree.elements)
      if (element.name === 'li') select(content, element, 'first')
    return budget.bytes
  }
  const more = bytesOf('string(following-sibling::li/a)') - bytesOf('string(following-sibling::li)')
  expect(more).toBeGreaterThan(190 * 32)
})

test('nodes that are put in order take as many steps as that takes time', () => {
  const stepsOf = (xpath: string): number => {
    const budget = new CountingBudget()
    const content = contentOf(items(1_000), budget)
    const before = content.tree.elements.length > 0 ? budget.steps : 0
    checkedXPath(xpath, 'x', [])(content, null)
    return budget.steps - before
  }
  expect(stepsOf('//li | //none') - stepsOf('//li') - stepsOf('//none')).toBeGreaterThan(10_000)
})

test.each([
  'following-sibling::li',
  'preceding-sibling::li/a',
  '//li',
  '(//li)[3]',
  'string(//li)',
])('%s of each item takes steps linear in the items, as only the first is read', (xpath) => {
  const select = checkedXPath(xpath, 'x', [])
  const spentOn = (count: number): number => {
    const budget = new CountingBudget()
    const content = contentOf(items(count), budget)
    for (const element of content.tree.elements)
      if (element.name === 'li') select(content, element, 'first')
    return budget.steps
  }
  expect(spentOn(400)).toBeLessThan(2.3 * spentOn(200))
})
