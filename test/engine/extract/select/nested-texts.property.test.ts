import { isTag, type Element } from 'domhandler'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { folded, NestedTexts } from '../../../../src/engine/extract/select/nested-texts.ts'
import { parseTree, type Tree } from '../../../../src/engine/extract/tree/parse-tree.ts'
import { readableText } from '../../../../src/engine/extract/tree/text-content.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { CountingBudget } from '../../../support/worlds/page-run.ts'

const { html } = fc.letrec<{ html: string }>((tie) => ({
  html: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'ab', 'aba', ' ', 'Σ', 'ΑΣ', 'ß', 'İ', '<!--a-->', '<br>'),
    fc
      .tuple(
        fc.constantFrom('div', 'b', 'noscript', 'svg', 'object', 'template'),
        fc.array(tie('html'), { maxLength: 5 }),
      )
      .map(([name, inner]) => `<${name}>${inner.join('')}</${name}>`),
  ),
}))
const words = fc.array(fc.constantFrom('a', 'ab', 'ba', 'aba', 'b', 'σ', 'ς', 'SS', 'i'), {
  maxLength: 4,
})

function textOf(element: Element): string {
  return readableText(element, '', new PageBudget())
}

test('the text of the whole tree gives the answers of the text of each element', () => {
  fc.assert(
    fc.property(html, fc.array(words, { minLength: 1, maxLength: 3 }), (markup, lists) => {
      const { elements } = parseTree(markup, false, new PageBudget())
      // From the first element on, and in any order: those of an item come again in an outer one.
      const orders = [elements, elements.toReversed()]
      for (const few of [0, 8])
        for (const order of orders) {
          const texts = new NestedTexts(new PageBudget(), few)
          for (const list of lists) {
            const sought = list.join('')
            for (const element of order) {
              const text = textOf(element)
              expect(texts.contain(element, { text: sought, form: 'exact' })).toBe(
                text.includes(sought),
              )
              expect(texts.contain(element, { text: folded(sought), form: 'folded' })).toBe(
                folded(text).includes(folded(sought)),
              )
            }
          }
        }
    }),
    { numRuns: 300 },
  )
})

test('an element of another tree is read by itself', () => {
  const texts = new NestedTexts(new PageBudget(), 0)
  const [first, second] = ['<p>one</p>', '<p>two</p>'].map((markup) => paragraphIn(treeOf(markup)))
  expect(first && texts.contain(first, { text: 'one', form: 'exact' })).toBe(true)
  expect(second && texts.contain(second, { text: 'two', form: 'exact' })).toBe(true)
})

function treeOf(markup: string): Tree {
  return parseTree(markup, false, new PageBudget())
}

function paragraphIn({ elements }: Tree): Element | undefined {
  return elements.find((element) => isTag(element) && element.name === 'p')
}

test.each([
  ['nested elements', '<div>'.repeat(400), 'none'],
  ['many texts', '<i>', 'none'],
  ['a text that is found at each letter', '<i>', 'aa'],
])('the steps are linear in %s', (_, open, sought) => {
  const stepsOf = (count: number): number => {
    const budget = new CountingBudget()
    const { elements } = treeOf(`${open}${'<b>a</b>'.repeat(count)}`)
    const texts = new NestedTexts(budget)
    for (const element of elements) texts.contain(element, { text: sought, form: 'exact' })
    return budget.steps
  }
  expect(stepsOf(8_000)).toBeLessThan(2.2 * stepsOf(4_000))
  expect(stepsOf(8_000)).toBeLessThan(8_000 * 30)
})

test('the whole text and an answer for each element are charged, not each place of a text', () => {
  const bytesOf = (letters: number, soughts: readonly string[]): number => {
    const budget = new CountingBudget()
    const { elements } = treeOf(`<i>x</i><p>${'a'.repeat(letters)}</p>`)
    const texts = new NestedTexts(budget, 0)
    for (const text of ['x', ...soughts])
      for (const element of elements) texts.contain(element, { text, form: 'exact' })
    return budget.bytes
  }
  const elements = 5
  const whole = bytesOf(1_000, [])
  expect(whole).toBeGreaterThan(1_000 + 20 * elements)
  expect(bytesOf(1_000, ['a', 'aa', 'aaa']) - whole).toBe(3 * elements)
  expect(bytesOf(2_000, ['a', 'aa', 'aaa']) - bytesOf(1_000, ['a', 'aa', 'aaa'])).toBe(1_000)
})
