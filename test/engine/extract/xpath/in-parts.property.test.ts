import type { Element } from 'domhandler'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { atOnce } from '../../../../src/engine/extract/page/in-turns.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../../src/engine/extract/page/page-content.ts'
import { checkedXPath } from '../../../../src/engine/extract/xpath/checked-xpath.ts'
import type { Issue } from '../../../../src/kernel/errors.ts'
import { pageOf } from '../../../support/worlds/page-run.ts'

const list = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `<li class="c${index % 3}" id=n${index}>Pen ${index} <b>${index % 7}</b><i>x</i> ink</li>`,
  ).join('')
const PAGES = [
  pageOf(
    `<html lang=en><title>t</title><div id=a class=x><h2>One</h2><p>1 <b>two</b></p></div>
<ul>${list(20)}</ul><script>x</script><dl><dt>a<dd>1<dt>b<dd>2</dl>`,
  ),
  pageOf(`<main>${'<div class=a>'.repeat(30)}x${'</div>y<b>1</b>'.repeat(30)}</main>${list(17)}`),
  pageOf(
    `<r xmlns:q="u"><q:a n="1">x</q:a>${'<p><b>2</b>t</p>'.repeat(20)}</r>`,
    'application/xml',
  ),
]

const axis = fc.constantFrom(
  '',
  '',
  'self::',
  'parent::',
  'ancestor::',
  'ancestor-or-self::',
  'descendant::',
  'descendant-or-self::',
  'following::',
  'following-sibling::',
  'preceding::',
  'preceding-sibling::',
)
const name = fc.constantFrom('*', 'li', 'b', 'p', 'div', 'node()', 'text()', 'i')
const literal = fc.constantFrom('"Pen 1"', '"x"', '""', '1', '3', '"1"', '-2', '0.5')

/** Any valid expression of a few parts. */
const { expression } = fc.letrec<{
  expression: string
  step: string
  path: string
  condition: string
}>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small' },
    literal,
    fc.constantFrom('last()', 'position() < 3', '@class', '@class="c1"', '@id', '2', 'name()="b"'),
    fc.constantFrom(
      'preceding-sibling::em = preceding-sibling::li',
      'preceding-sibling::li = following-sibling::li',
      'following-sibling::li != preceding-sibling::em',
    ),
    tie('expression'),
  ),
  step: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('.', '..', '@*', '@class', 'text()'),
    fc.tuple(axis, name).map(([along, of]) => `${along}${of}`),
    fc.tuple(axis, name, tie('condition')).map(([along, of, only]) => `${along}${of}[${only}]`),
  ),
  path: fc.oneof(
    { depthSize: 'small' },
    tie('step'),
    tie('step').map((step) => `//${step}`),
    fc.tuple(tie('path'), fc.constantFrom('/', '//'), tie('step')).map((parts) => parts.join('')),
  ),
  expression: fc.oneof(
    { depthSize: 'small' },
    literal,
    tie('path'),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('=', '!=', '<', '>=', '+', 'or', 'and', 'mod'),
        tie('expression'),
      )
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc.tuple(tie('path'), tie('path')).map(([left, right]) => `(${left} | ${right})`),
    fc.tuple(tie('path'), tie('condition')).map(([path, only]) => `(${path})[${only}]`),
    fc
      .tuple(
        fc.constantFrom('count', 'sum', 'not', 'string', 'normalize-space', 'id', 'name', 'number'),
        tie('path'),
      )
      .map(([call, path]) => `${call}(${path})`),
    fc
      .tuple(
        fc.constantFrom('contains', 'starts-with', 'concat', 'substring-after'),
        tie('expression'),
        tie('expression'),
      )
      .map(([call, left, right]) => `${call}(${left}, ${right})`),
    fc.constantFrom(
      'translate(., "ab", "ba")',
      'substring(., 2, 3)',
      'string-length()',
      'normalize-space()',
      'lang("en")',
      '-count(//b)',
    ),
  ),
}))

const LONG = `${'a b  '.repeat(60_000)} ${'pen'.repeat(100_000)}\n`
test.each(['normalize-space(//p)', 'count(id(//p))', 'translate(//p, "a", "n")'])(
  'a long text gives the same in parts: %s',
  (source) => {
    const content = (): PageContent =>
      new PageContent(pageOf(`<p>${LONG}</p><i id=b></i>`), START, new PageBudget())
    const path = checkedXPath(source, 'x', [])
    const parts = [...path.parts(content(), null)]
    expect(parts.length).toBeGreaterThan(2)
    expect(atOnce(path.parts(content(), null))).toEqual(path(content(), null))
  },
)

test.each([
  '//li[preceding-sibling::em = preceding-sibling::li]',
  '//li[//em = preceding-sibling::li]',
  '//li[preceding-sibling::li = following-sibling::li]',
  '//li[position() = count(.//b) + 1]',
  '//b[position() mod 2 = string-length(.)]',
  '(//li | //b)[count(preceding::b) < last() - position()]',
])('what random expressions seldom have is the same in parts: %s', (source) => {
  for (const page of PAGES) {
    const [whole, parts] = [new PageBudget(), new PageBudget()]
    const path = checkedXPath(source, 'x', [])
    const placesOf = (matches: readonly (Element | string)[]) =>
      matches.map((match) => (typeof match === 'string' ? match : match.startIndex))
    expect(placesOf(atOnce(path.parts(new PageContent(page, START, parts), null)))).toEqual(
      placesOf(path(new PageContent(page, START, whole), null)),
    )
    expect(parts.spent).toEqual(whole.spent)
  }
})

test('an expression gives the same in parts, for the same steps and bytes', () => {
  fc.assert(
    fc.property(
      fc.array(expression, { minLength: 1, maxLength: 2 }),
      fc.constantFrom(...PAGES),
      fc.constantFrom('all', 'first'),
      fc.constantFrom(300, 3_000, 30_000, 60_000_000),
      (sources, page, extent, steps) => {
        const issues: Issue[] = []
        const paths = sources.map((source) => checkedXPath(source, 'x', issues))
        expect(issues).toEqual([])
        const answersOf = (inParts: boolean) => {
          const budget = new PageBudget({ steps, bytes: 100_000 })
          const content = new PageContent(page, START, budget)
          const answers: unknown[] = []
          try {
            const elements = content.tree.elements.filter((_, index) => index % 3 === 0)
            for (const path of paths)
              for (const scope of [null, ...elements])
                answers.push(
                  (inParts
                    ? atOnce(path.parts(content, scope, extent))
                    : path(content, scope, extent)
                  ).map((match) => (typeof match === 'string' ? match : match.startIndex)),
                )
          } catch (error) {
            answers.push(budget.settle(error, 'the end'))
          }
          return { answers, overrun: budget.overrun, spent: budget.spent }
        }
        expect(answersOf(true)).toEqual(answersOf(false))
      },
    ),
    { numRuns: 600 },
  )
})
