import { selectAll } from 'css-select'
import type { AnyNode, Element } from 'domhandler'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { hasWord } from '../../../../src/engine/extract/select/attribute-matcher.ts'
import { startMatching } from '../../../../src/engine/extract/select/matching.ts'
import {
  parseSelector,
  SelectorError,
} from '../../../../src/engine/extract/select/parse-selector.ts'
import { SelectorSet } from '../../../../src/engine/extract/select/selector-set.ts'
import { textOf } from '../../../../src/engine/extract/tree/text-content.ts'
import { parseTree, type Tree } from '../../../../src/engine/extract/tree/parse-tree.ts'
import { CountingBudget } from '../../../support/worlds/page-run.ts'

function find(
  tree: Tree,
  css: string,
  scope: Element | null = null,
  budget = new PageBudget(),
): readonly Element[] {
  const set = new SelectorSet()
  set.add(parseSelector(css), true)
  return set.find(tree, scope, startMatching(budget))[0] ?? []
}

const compound = fc
  .tuple(
    fc.constantFrom('', 'div', 'p', 'b', '*', 'LI'),
    fc.constantFrom(
      '',
      '.x',
      '.y',
      '#i',
      '[title]',
      '[title=t]',
      '[title^=t]',
      '[title*=""]',
      '[class~=x]',
      '[title!=t]',
      '[title$=T i]',
      ':first-child',
      ':last-child',
      ':nth-child(2)',
      ':nth-child(odd)',
      ':nth-child(-n+2)',
      ':nth-child(3n - 1)',
      ':nth-last-child(2)',
      ':nth-of-type(2n)',
      ':nth-last-of-type(-n+2)',
      ':first-of-type',
      ':last-of-type',
      ':only-of-type',
      ':not(.x)',
      ':is(.x, #i)',
      ':not(.x b, p > *)',
      ':is(div .y, p + b)',
      ':has(b)',
      ':has(> p:nth-of-type(2), b:last-of-type)',
      ':has(~ b)',
      ':has(+ .x ~ p, ~ p > b)',
      ':has(p .x + b)',
      ':has(> b:contains(t) ~ *)',
      ':has(:scope > p b)',
      ':not(:has(~ b, p))',
      ':has(:nth-child(2n of b), ~ :not(:first-child):contains(te))',
      ':nth-child(2n of .x)',
      ':nth-child(odd of b, p > *)',
      ':nth-last-child(-n + 2 OF :not(.x))',
      ':nth-child(n of :has(~ b))',
      ':only-child',
      ':contains(t)',
    ),
    fc.constantFrom('', '', '.y', ':not(p)'),
  )
  .map((parts) => parts.join(''))
  .filter((text) => text !== '')
const complex = fc
  .tuple(
    compound,
    fc.array(fc.tuple(fc.constantFrom(' ', ' > ', ' + ', ' ~ '), compound), { maxLength: 3 }),
  )
  .map(([first, rest]) => first + rest.flat().join(''))
const list = fc.array(complex, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(', '))
const { html } = fc.letrec<{ html: string }>((tie) => ({
  html: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('t', ' ', 'text'),
    fc
      .tuple(
        fc.constantFrom('div', 'p', 'b', 'li'),
        fc.constantFrom(
          '',
          ' class="x"',
          ' class="y x"',
          ' id=i',
          ' title=t',
          ' title=aT class=yx',
        ),
        fc.array(tie('html'), { maxLength: 5 }),
      )
      .map(([name, attributes, inner]) => `<${name}${attributes}>${inner.join('')}</${name}>`),
  ),
}))

describe('selectors', () => {
  test('find the same as css-select, alone and many at once, in the page and below an element', () => {
    fc.assert(
      fc.property(html, fc.array(list, { minLength: 1, maxLength: 4 }), (markup, selectors) => {
        const tree = parseTree(`<!doctype html><div>${markup}</div>`, false, new PageBudget())
        const set = new SelectorSet()
        for (const css of selectors) set.add(parseSelector(css), true)
        const together = set.find(tree, null, startMatching(new PageBudget()))
        const inner = tree.elements[4] ?? null
        const below = inner === null ? [] : set.find(tree, inner, startMatching(new PageBudget()))
        for (const [index, css] of selectors.entries()) {
          const expected = selectAll<AnyNode, Element>(css, tree.document)
          expect(together[index], css).toEqual(expected)
          if (inner !== null)
            expect(below[index], css).toEqual(
              expected.filter((element) => element !== inner && isInside(element, inner)),
            )
        }
      }),
      { numRuns: 1_500 },
    )
  })

  const classes = fc.array(fc.constantFrom('', '', '', 'x', 'y'), { minLength: 60, maxLength: 60 })

  test('find the same on deep and long pages, in one scope after the other', () => {
    fc.assert(
      fc.property(classes, classes, list, (above, beside, css) => {
        const open = above.map((name) => `<div class="${name}">`).join('')
        const inner = beside.map((name) => `<b class="${name}">t</b>`).join('')
        const tree = parseTree(`<!doctype html>${open}${inner}<p>`, false, new PageBudget())
        const set = new SelectorSet()
        const scoped = ':not(:scope .x .y)'
        const selectors = [css, ':not(.x .y)', ':is(.y ~ .x, .x div .y b)']
        for (const one of [...selectors, scoped]) set.add(parseSelector(one), true)
        const matching = startMatching(new PageBudget())
        for (const scope of tree.elements.slice(9, 40)) {
          const below = selectors.map((one) =>
            selectAll<AnyNode, Element>(one, tree.document).filter(
              (element) => element !== scope && isInside(element, scope),
            ),
          )
          expect(set.find(tree, scope, matching)).toEqual([...below, find(tree, scoped, scope)])
        }
      }),
      { numRuns: 30 },
    )
  })

  const pages = {
    deep: (size: number) => '<div class=b>'.repeat(size),
    long: (size: number) => '<i class=b></i>'.repeat(size),
  }
  const looking = [
    ':not(.a .b):not(.a ~ .b)',
    ':has(.b .a)',
    ':has(> .b > .a)',
    ':has(~ .b ~ .a)',
    ':has(+ .b ~ .a:contains(x))',
    '.b:contains(x) ~ .a',
    ':nth-last-child(1000n of .b)',
  ]
  test.each(Object.keys(pages).flatMap((page) => looking.map((css) => [page, css] as const)))(
    'look at each element of a page a few times: %s, %s',
    (page, css) => {
      const stepsOf = (size: number): number => {
        const text = page === 'deep' ? pages.deep(size) : pages.long(size)
        const budget = new CountingBudget()
        find(parseTree(text, false, new PageBudget()), css, null, budget)
        return budget.steps
      }
      expect(stepsOf(400)).toBeLessThan(2.5 * stepsOf(200))
    },
  )

  test('stop at the first match if only one is wanted', () => {
    const set = new SelectorSet()
    set.add(parseSelector('p'), false)
    set.add(parseSelector('b, p'), true)
    const [first, all] = set.find(
      parseTree('<p>1<p>2<b>3</b>', false, new PageBudget()),
      null,
      startMatching(new PageBudget()),
    )
    expect([
      first?.map((element) => textOf(element, new PageBudget())),
      all?.map((element) => textOf(element, new PageBudget())),
    ]).toEqual([['1'], ['1', '23', '3']])
  })

  test(':scope and leading combinators mean the element searched below', () => {
    const tree = parseTree(
      '<div id=a class=k><b>1</b><p><b>2</b></p></div>',
      false,
      new PageBudget(),
    )
    const div = find(tree, '#a')[0] ?? null
    expect(find(tree, '> b', div).map((element) => textOf(element, new PageBudget()))).toEqual([
      '1',
    ])
    expect(
      find(tree, ':scope > p b', div).map((element) => textOf(element, new PageBudget())),
    ).toEqual(['2'])
    expect(find(tree, ':scope', div)).toEqual([div])
    expect(
      find(tree, ':scope.k > b:has(+ p)', div).map((element) => textOf(element, new PageBudget())),
    ).toEqual(['1'])
    expect(
      find(tree, '> b:nth-child(odd)', div).map((element) => textOf(element, new PageBudget())),
    ).toEqual(['1'])
    const nested = parseTree(
      '<div class=k><b>1</b><p><b>2</b></p><div class=k><b>3</b></div></div>',
      false,
      new PageBudget(),
    )
    const outer = find(nested, '.k')[0] ?? null
    for (const [css, texts] of [
      ['b:not(:scope .k *)', ['1', '2']],
      ['b:not(:scope > p b)', ['1', '3']],
      ['b:not(:scope > p > *):contains(1)', ['1']],
      ['b:is(:scope > *, .k .k *)', ['1', '3']],
    ] as const)
      expect(
        find(nested, css, outer).map((element) => textOf(element, new PageBudget())),
        css,
      ).toEqual(texts)
    expect(find(tree, 'body > #a > b').map((element) => textOf(element, new PageBudget()))).toEqual(
      ['1'],
    )
  })

  test('names of XML are compared with case, and prefixes are namespaces', () => {
    const tree = parseTree(
      '<rss><item><pubDate>d</pubDate><media:title>m</media:title><link>l</link></item></rss>',
      true,
      new PageBudget(),
    )
    expect(
      [
        find(tree, 'pubDate'),
        find(tree, 'pubdate'),
        find(tree, 'media|title'),
        find(tree, 'media\\:title'),
        find(tree, 'item > link'),
      ].map((elements) => elements.length),
    ).toEqual([1, 0, 1, 1, 1])
  })

  test('names of the properties of every object do not count as attributes', () => {
    expect(
      find(
        parseTree('<p __proto__=x>', false, new PageBudget()),
        '[constructor], [toString], [__proto__=y]',
      ),
    ).toEqual([])
  })
})

test('comments, escapes, flags and empty parts are read like in browsers', () => {
  const tree = parseTree(
    '<p id=a title=T></p><p id=b><!-- c --></p><p id=c> </p><link id=l href=x>' +
      '<a id=d href=x>[/*x*/]</a><i id=e></i><i id=f></i><b id=g></b>',
    false,
    new PageBudget(),
  )
  const ids = (css: string) => find(tree, css).map(({ attribs }) => attribs['id'])
  expect(
    [
      'p/* x */#a/* y */',
      "[title='t' /**/ i]",
      '[title=t/**/i]',
      '[title="t" \\69 ]',
      '[title="t" \\I]',
      '[title="t" \\s]',
      '[*|title], [|title]',
      'p:empty',
      ':link',
      ':is(), :visited, b',
      'a:contains("/*x*/")',
      'p:has(~ i ~ i ~ b#g)',
    ].map((css) => ids(css).join('')),
  ).toEqual(['a', 'a', 'a', 'a', 'a', '', 'a', 'ab', 'd', 'g', 'd', 'abc'])
  expect(find(parseTree('<a:b><c/></a:b>', true, new PageBudget()), '|*, a|*')).toHaveLength(2)
})

describe('hostile selectors', () => {
  test.each([
    ['div[', '"div[" is not a CSS selector: Expected name, found its end'],
    ['a::text', 'use attr'],
    ['a:unheard-of', 'not a CSS selector'],
    ['a >', 'not a CSS selector'],
    ['> > a', 'not a CSS selector'],
    ['', 'not a CSS selector'],
    [Array.from({ length: 200 }, () => 'a').join(','), 'alternatives'],
    [':not('.repeat(200), 'not a CSS selector'],
    [`${':not('.repeat(8)}a${')'.repeat(8)}`, 'nested'],
    ['..a', 'no name'],
    ['li:not(.a..b)', 'no name'],
    ['[title=a]i', 'a tag name follows'],
    ['p:is([title]b)', 'a tag name follows'],
    ['p:nth-child(1 of [title]b)', 'a tag name follows'],
    ['a:has(b:has(c))', ':has() inside'],
    ['a:has(:nth-child(2 of b:has(c)))', ':has() inside'],
    [Array.from({ length: 120 }, () => 'a').join(' '), 'more than 100 parts'],
    [`a[href*="${'x'.repeat(251)}"]`, 'more than 250 characters'],
    [`li:not(:contains("${'x'.repeat(251)}"))`, 'more than 250 characters'],
  ])('selector %# is refused, and the error names it', (css, message) => {
    expect(() => parseSelector(css)).toThrow(SelectorError)
    expect(() => parseSelector(css)).toThrow(message)
  })
})

test('the parser throws no error but a refusal, whatever the text', () => {
  const parts = fc.constantFrom(
    'a',
    '.',
    '#',
    '[',
    ']',
    '(',
    ')',
    ':is(',
    ':not(',
    ':has(',
    '/*',
    '*/',
    '"',
    "'",
    '\\',
    ' ',
    ',',
    '>',
    '~',
    '=',
    '|',
    '*',
    'i',
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 14 }), (steps) => {
      try {
        parseSelector(steps.join(''))
      } catch (error) {
        expect(error).toBeInstanceOf(SelectorError)
      }
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['classes', '<p class="LONG">', ':not(.x1):not(.x2)', 2],
  ['attributes', '<p title="LONG">', 'p[title*=zz]', 1],
  [
    'an attribute, beside a part that css-select knows',
    '<div><p title="LONG"></div>',
    'div:has(> [title*=zz])',
    1,
  ],
])('%s cost as much as their length', (_, markup, css, looks) => {
  const [short, long] = [100, 100_000].map((length) => {
    const budget = new CountingBudget()
    const set = new SelectorSet()
    set.add(parseSelector(css), true)
    set.find(
      parseTree(markup.replace('LONG', 'y'.repeat(length)), false, new PageBudget()),
      null,
      startMatching(budget),
    )
    return budget.steps
  })
  expect((long ?? 0) - (short ?? 0)).toBeGreaterThan((looks * 99_000) / 16)
})

test('the case of values like those of type does not count in HTML, but counts in XML', () => {
  const matches = (xml: boolean, css: string) =>
    find(parseTree('<p type="Text"></p>', xml, new PageBudget()), css).length
  expect([
    matches(false, '[type=text]'),
    matches(true, '[type=text]'),
    matches(true, '[type=Text]'),
  ]).toEqual([1, 0, 1])
})

test.each([
  ['a b c', 'b', true],
  ['ab abc', 'abc', true],
  ['ab\tabc\n', 'ab', true],
  ['aab ab-', 'ab', false],
  ['', 'a', false],
  ['x'.repeat(300), 'x'.repeat(251), false],
  [`${'x'.repeat(300)} ${'x'.repeat(251)}\fy`, 'x'.repeat(251), true],
])('a word is found in a list of words', (words, word, expected) => {
  expect(hasWord(words, word)).toBe(expected)
})

function isInside(element: Element, outer: Element): boolean {
  for (let node: AnyNode | null = element; node !== null; node = node.parent)
    if (node === outer) return true
  return false
}
