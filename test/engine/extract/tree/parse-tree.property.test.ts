import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { startMatching } from '../../../../src/engine/extract/select/matching.ts'
import { parseSelector } from '../../../../src/engine/extract/select/parse-selector.ts'
import { SelectorSet } from '../../../../src/engine/extract/select/selector-set.ts'
import { HtmlBuilder } from '../../../../src/engine/extract/tree/html-builder.ts'
import { parseTree } from '../../../../src/engine/extract/tree/parse-tree.ts'
import { textOf } from '../../../../src/engine/extract/tree/text-content.ts'
import { HtmlReader } from '../../../../src/engine/extract/tree/html-reader.ts'
import { TextParts } from '../../../../src/kernel/text/text-parts.ts'
import { parseAsBrowser } from '../../../support/browser-tree.ts'
import { dumpTree } from '../../../support/dump-tree.ts'

function quick(html: string): string {
  const builder = new HtmlBuilder(html.length)
  new HtmlReader(new TextParts([html]), builder).read()
  builder.finish()
  return dumpTree(builder.document)
}

const browser = (html: string): string => dumpTree(parseAsBrowser(html))

const NAMES = [
  'p',
  'div',
  'span',
  'a',
  'b',
  'ul',
  'ol',
  'li',
  'dl',
  'dt',
  'dd',
  'table',
  'tbody',
  'thead',
  'tr',
  'td',
  'th',
  'caption',
  'colgroup',
  'col',
  'h1',
  'h2',
  'br',
  'hr',
  'img',
  'input',
  'form',
  'button',
  'option',
  'optgroup',
  'pre',
  'section',
  'head',
  'body',
  'html',
  'title',
  'meta',
  'link',
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'path',
  'ruby',
  'rt',
  'object',
  'textarea',
  'address',
  'em',
  'center',
  'math',
  'mi',
  'label',
  'nav',
  'main',
  'iframe',
  'tfoot',
  'custom-tag',
  'i',
  'nobr',
  'font',
  'marquee',
  'xmp',
  'dialog',
  'foreignobject',
  'desc',
  'mglyph',
  'annotation-xml',
  'frameset',
  'frame',
  'noframes',
  'plaintext',
  'image',
  'textarea',
]
const name = fc.constantFrom(...NAMES)
const open = fc
  .tuple(
    name,
    fc.constantFrom(
      '',
      ' class=x',
      ' id="y"',
      ' class=x class=z',
      ' type=hidden',
      ' color=x',
      ' encoding=text/html',
    ),
  )
  .map(([tag, attributes]) => `<${tag}${attributes}>`)
const soup = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: open },
      { weight: 4, arbitrary: name.map((tag) => `</${tag}>`) },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          'word',
          ' ',
          ' two words ',
          '\n',
          '&amp;',
          'a &lt; b',
          '<!-- note -->',
          '<![CDATA[a > b]]>',
          '</>',
          '<p/>',
          '<svg/>',
          '<path />',
          '<!--<script>-->',
          '<script><!--<script>',
        ),
      },
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''))
/** There, parse5 knows no CDATA, but the standard does. */
const hasHtmlInForeign =
  /<(?:svg|math)[\s\S]*<(?:annotation-xml|desc|foreignobject|mi|title)[\s\S]*\[CDATA/
const page = fc
  .tuple(
    fc.constantFrom(
      '<!doctype html>',
      '',
      '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN">',
      '<!doctype html><html><head><title>T</title></head><body>',
    ),
    soup,
  )
  .map((parts) => parts.join(''))
  .filter((html) => !hasHtmlInForeign.test(html))

/** Pages that end somewhere. */
const cutOff = fc
  .tuple(page, fc.nat(1_000))
  .map(([html, share]) => html.slice(0, Math.round((share * html.length) / 1_000)))

/** Markup as authors write it: elements inside each other, with some end tags left out. */
const { element } = fc.letrec<{ element: string; children: string }>((tie) => ({
  children: fc
    .array(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom('text', ' ', 'more text', '\n  '),
        tie('element'),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join('')),
  element: fc.oneof(
    fc
      .tuple(
        fc.constantFrom(
          'div',
          'section',
          'ul',
          'span',
          'a',
          'b',
          'table',
          'form',
          'button',
          'h2',
          'svg',
          'dl',
          'object',
        ),
        tie('children'),
      )
      .map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
    fc
      .tuple(
        fc.constantFrom('p', 'li', 'dt', 'dd', 'tr', 'td', 'th', 'option', 'tbody'),
        tie('children'),
        fc.boolean(),
      )
      .map(([tag, inner, closed]) => `<${tag}>${inner}${closed ? `</${tag}>` : ''}`),
    fc.constantFrom(
      '<br>',
      '<img src=x>',
      '<hr>',
      '<input>',
      '<col>',
      '</div>',
      '</p>',
      '<meta>',
      '<script>a</script>',
    ),
  ),
}))

describe('the tree equals that of a browser', () => {
  test('for any mix of tags', () => {
    fc.assert(
      fc.property(page, (html) => {
        expect(quick(html), html).toBe(browser(html))
      }),
      { numRuns: 4_000 },
    )
  })

  test('for a page that ends anywhere', () => {
    fc.assert(
      fc.property(cutOff, (html) => {
        expect(quick(html), html).toBe(browser(html))
      }),
      { numRuns: 4_000 },
    )
  })

  test('for nested markup with end tags left out', () => {
    fc.assert(
      fc.property(element, (html) => {
        expect(quick(html), html).toBe(browser(html))
      }),
      { numRuns: 4_000 },
    )
  })
})

/** Marks that the tokenizer reads as one, to be divided within. */
const marks = fc.constantFrom(
  '<p class="a &amp; b" id=x title=\'y\'>',
  '<a href=/x?a=1&amp;b=2 disabled>',
  '&eacute;&#39;&notin;',
  '<!-- a > comment -->',
  '<script>if (a </b && "</scr") {}</script>',
  '<style>a > b{}</style>',
  '<title>a &lt; b</title>',
  '<textarea>\r\na</textarea>',
  '<noscript><img src=x></noscript>',
  '<svg><![CDATA[a > b]]></svg>',
  '<![CDATA[a]]>',
  '<?php a ?>',
  '\r\n',
  'a\rb\0c',
  '<br/>',
  'text',
  // Cut off by the page.
  '<br /',
  '</p ',
  '</p',
  '<p class="a',
  '<!--',
  '<scr',
  '&eacut',
)

test.each([
  ['<p>hello<br /', false],
  ['<p>hello<br', false],
  ['<p>hello<b class="x', false],
  ['<p>hello</p ', false],
  ['<r>hello<x /', true],
  ['<r>hello</r ', true],
])('a tag that the page cuts off is no text: %s', (text, xml) => {
  const { document } = parseTree(text, xml, new PageBudget())
  expect(textOf(document, new PageBudget())).toBe('hello')
})

test('the tree of a text in parts is that of the whole, wherever it is divided', () => {
  const texts = fc.oneof(
    fc.array(marks, { minLength: 1, maxLength: 6 }).map((list) => list.join('')),
    page,
    element,
  )
  const treeOf = (text: string | TextParts, xml: boolean) =>
    dumpTree(parseTree(text, xml, new PageBudget()).document)
  fc.assert(
    fc.property(
      texts,
      fc.array(fc.nat(1_000), { maxLength: 5 }),
      fc.boolean(),
      (text, cuts, xml) => {
        const positions = cuts.map((cut) => Math.round((cut * text.length) / 1_000))
        const borders = [0, ...positions.toSorted((a, b) => a - b), text.length]
        const divided = borders.slice(1).map((end, index) => text.slice(borders[index], end))
        expect(treeOf(new TextParts(divided), xml), divided.join('|')).toBe(treeOf(text, xml))
      },
    ),
    { numRuns: 4_000 },
  )
})

/** Tags that are misplaced most of the time. */
const misplaced = fc
  .array(
    fc.oneof(
      fc
        .tuple(
          fc.constantFrom(
            ...'a b i nobr font p div dialog table tr td caption form marquee'.split(' '),
          ),
          fc.constantFrom('<', '</'),
          fc.constantFrom('', '', ' id=x', ' id=y'),
        )
        .map(([tag, mark, attributes]) => `${mark}${tag}${mark === '<' ? attributes : ''}>`),
      fc.constantFrom('x', ' ', '</>'),
    ),
    { maxLength: 80 },
  )
  .map((parts) => `<!doctype html>${parts.join('')}`)

/** The makers of document types, and what they made. */
const doctype = fc
  .tuple(
    fc.constantFrom(
      '<!doctype html',
      '<!DOCTYPE HTML',
      '<!doctypehtml',
      '<!doctype x',
      '<!doctype',
    ),
    fc.constantFrom('', ' ', '\n', ' public', ' PUBLIC ', ' system ', ' x'),
    fc.constantFrom('', '"', "'"),
    fc.constantFrom(
      '',
      'HTML',
      '-//W3C//DTD HTML ',
      '-//W3C//DTD W3 HTML',
      '-//W3C//DTD XHTML 1.0 ',
      '-//IETF//DTD HTML',
      '-//IETF//DTD HTML ',
      '-//Microsoft//DTD Internet Explorer ',

      '-//W3O//DTD W3 HTML ',
      '-/W3C/DTD HTML 4.0 Transitional/EN',
      '-//WebTechs//DTD Mozilla ',
    ),
    fc.constantFrom(
      '',
      '3.2',
      '3.2 Final',
      '4.0 Transitional',
      '4.01 Transitional',
      '4.01 Frameset',
      '4.01',
      '2.0',
      '2.0 Strict Level 1',
      'Level 3',
      'Strict',
      '3.0',
      '2.0 HTML',
      'HTML',
      'HTML 2.0',
      'Experimental 970421',
      '3',
      'i18n',
      'Strict 3.0',
    ),
    fc.constantFrom('', '//', '//EN', '//EN//'),
    fc.constantFrom('', '"', "'"),
    fc.constantFrom(
      '',
      ' ',
      ' "http://www.w3.org/TR/html4/loose.dtd"',
      "'x'",
      ' x',
      ' "x" y',
      ' "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"',
    ),
  )
  .map((parts) => `${parts.join('')}><p><table>`)

test('a paragraph may hold a table in the documents of quirks mode', () => {
  let quirks = 0
  fc.assert(
    fc.property(doctype, (html) => {
      const tree = quick(html)
      if (tree.includes('<p><table>')) quirks++
      expect(tree, html).toBe(browser(html))
    }),
    { numRuns: 10_000 },
  )
  expect(quirks).toBeGreaterThan(3_000)
  expect(quirks).toBeLessThan(9_900)
})

test('misplaced formatting, tables and forms', () => {
  fc.assert(
    fc.property(misplaced, (html) => {
      expect(quick(html), html).toBe(browser(html))
    }),
    { numRuns: 2_000 },
  )
})

test('nodes of a repaired tree know their neighbours', () => {
  fc.assert(
    fc.property(misplaced, (html) => {
      const { document, elements } = parseTree(html, false, new PageBudget())
      for (const parent of [document, ...elements])
        for (const [index, child] of parent.children.entries()) {
          expect(child.parent).toBe(parent)
          expect(child.prev).toBe(parent.children[index - 1] ?? null)
          expect(child.next).toBe(parent.children[index + 1] ?? null)
        }
    }),
    { numRuns: 1_000 },
  )
})

test('formatting of many paragraphs is opened again up to a limit, which is a reason', () => {
  const budget = new PageBudget()
  const { elements } = parseTree('<b><i><p>x</b>'.repeat(5_000), false, budget)
  const limit = 2_000 + (14 * 5_000) / 16
  expect(budget.losses.cuts).toContainEqual(
    expect.objectContaining({ what: 'elements opened again', limit }),
  )
  expect(elements.length).toBeLessThan(15_000 + 2 * limit)
})

test('only 200 formatting elements are opened again together, which is a reason', () => {
  const boldOf = (count: number) => Array.from({ length: count }, (_, index) => `<b id=${index}>`)
  const cutsOf = (html: string) => {
    const budget = new PageBudget()
    parseTree(html, false, budget)
    return budget.losses.cuts ?? []
  }
  const cut = expect.objectContaining({ what: 'open formatting elements', limit: 200 })
  expect(cutsOf(`<p>${boldOf(250).join('')}<p>x`)).toContainEqual(cut)
  expect(cutsOf(`<p>${boldOf(200).join('')}<p>x`)).not.toContainEqual(cut)
})

test('the ends of objects in a table that its rows close are kept apart, however many', () => {
  const html = `<!doctype html><table>${'<marquee><tr>'.repeat(120)}<td><b>x<p>y</b>z`
  const more = '</td><b>v<td><i>w</table>u'.repeat(5)
  expect(quick(html + more)).toBe(browser(html + more))
})

test.each([
  ['a section of CDATA in HTML', '<p><![CDATA[ a > <b>one</b> ]]> two'],
  [
    'a section of CDATA in HTML without an end',
    '<p>x<![CDATA[ no end <p>real <a href=x>content</a>',
  ],
  [
    'a form in another whose end tag was ignored',
    '<form id=1><table><tr><td></form><form id=2></table></form>x',
  ],
  ['an end tag that the page cuts off', '<p>a</p id="x'],
  ['the end of a script that the page cuts off', '<p><script>a</script '],
  ['a line feed behind a document type', '<pre><!doctype html>\n\nx'],
  ['an end tag without a name in a text of a table', '<table>x</>\n<tr> </>y'],
  ['a dialog with an open paragraph', '<dialog><p>a</dialog>b'],
  ['formatting around a dialog', '<b><dialog>x</b>y</dialog>z'],
])('the tree equals that of a browser: %s', (_, html) => {
  expect(quick(html)).toBe(browser(html))
})

test.each([
  ['<span>', 160, 160],
  ['<span>', 240, 120],
  ['<form><div></form>', 90, 190],
])(
  'a tree has at most 500 levels after misplaced tags: %s %i, %i',
  (first, firstCount, formCount) => {
    const forms = '<form><div></form>'.repeat(formCount)
    const html = `<b>${first.repeat(firstCount)}${forms}</b><br><i></i>${'<div>'.repeat(600)}`
    const { elements } = parseTree(`<!doctype html>${html}`, false, new PageBudget())
    const levels = new Map<unknown, number>()
    for (const one of elements) levels.set(one, (levels.get(one.parent) ?? 0) + 1)
    expect(Math.max(...levels.values())).toBe(500)
  },
)

test('documents in which line ends become line feeds, as in a browser', () => {
  const dumped = (text: string, xml: boolean) =>
    dumpTree(parseTree(text, xml, new PageBudget()).document)
  expect(dumped('<pre>\r\na\r\nb\rc</pre>', false)).toContain('<pre>"a\\nb\\nc"')
  expect(dumped('<a>\r\nb</a>', true)).toBe('<a>"\\nb"</>')
})

describe('selectors that DevTools writes find the same', () => {
  const text = (html: string, css: string) => {
    const set = new SelectorSet()
    set.add(parseSelector(css), true)
    return (
      set.find(
        parseTree(html, false, new PageBudget()),
        null,
        startMatching(new PageBudget()),
      )[0] ?? []
    ).map((node) => textOf(node, new PageBudget()))
  }

  test.each<[string, string, string[]]>([
    ['<table>moved<tr><td>cell</table>', 'body > table td', ['cell']],
    ['<p><b>one</p>two', 'body > b', ['two']],
    ['<a href=1>x<a href=2>y</a>', 'a + a', ['y']],
    ['<b><p>x</b>y</p>', 'p > b', ['x']],
    ['<table><tr><td>a<td>b<tr><td>c</table>', 'table > tbody > tr > td:first-child', ['a', 'c']],
    ['<ul><li>1<li>2<ul><li>3</ul></ul>', 'ul > li > ul > li', ['3']],
    ['<title>T</title><p>x', 'html > head > title', ['T']],
    ['<p>x', 'html > body > p', ['x']],
    ['<table><col><col><tr><td>x</table>', 'colgroup > col:last-child', ['']],
    ['<template><p>no</p></template><p>yes', 'p', ['yes']],
    ['<noscript><img src=x></noscript><img src=y>', 'img[src=x]', []],
    ['<image src=x>', 'img', ['']],
  ])('%s: %s', (html, css, expected) => {
    expect(text(html, css)).toEqual(expected)
  })
})
