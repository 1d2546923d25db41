import { isTag, isText, type ParentNode } from 'domhandler'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { startMatching } from '../../../../src/engine/extract/select/matching.ts'
import { parseSelector } from '../../../../src/engine/extract/select/parse-selector.ts'
import { SelectorSet } from '../../../../src/engine/extract/select/selector-set.ts'
import { parseAsBrowser } from '../../../../src/engine/extract/tree/browser-tree.ts'
import { HtmlBuilder } from '../../../../src/engine/extract/tree/html-builder.ts'
import { parseTree } from '../../../../src/engine/extract/tree/parse-tree.ts'
import { textOf } from '../../../../src/engine/extract/tree/text-content.ts'
import { TokenReader } from '../../../../src/engine/extract/tree/token-reader.ts'
import { TextParts } from '../../../../src/kernel/text/text-parts.ts'

/** A tree as text, without white space directly below `html`, comments and the document type. */
function dump(node: ParentNode): string {
  let out = ''
  let text = ''
  for (const child of node.children) {
    if (isText(child)) {
      text += child.data
      continue
    }
    if (!isTag(child)) continue
    if (text !== '' && !(isTag(node) && node.name === 'html')) out += JSON.stringify(text)
    text = ''
    const attributes = Object.entries(child.attribs)
      .map(([name, value]) => ` ${name}=${value}`)
      .toSorted()
      .join('')
    out += `<${child.name}${attributes}>${dump(child)}</>`
  }
  return text !== '' && !(isTag(node) && node.name === 'html') ? out + JSON.stringify(text) : out
}

function quick(html: string): { tree: string; needsBrowser: boolean } {
  const source = new TextParts([html])
  const builder = new HtmlBuilder(source, false)
  new TokenReader(source, builder, false).read()
  builder.finish()
  return { tree: dump(builder.document), needsBrowser: builder.needsBrowser }
}

function browser(html: string): string {
  const document = parseAsBrowser(html)
  if (document === null) throw new Error('too much for the full parser')
  return dump(document)
}

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
  'select',
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
]
const name = fc.constantFrom(...NAMES)
const open = fc
  .tuple(name, fc.constantFrom('', ' class=x', ' id="y"', ' class=x class=z', ' type=hidden'))
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
          '<p/>',
        ),
      },
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''))
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
          'select',
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
  test('for any mix of tags that the quick builder accepts', () => {
    let parses = 0
    fc.assert(
      fc.property(page, (html) => {
        const { tree, needsBrowser } = quick(html)
        if (needsBrowser) return
        parses++
        expect(tree, html).toBe(browser(html))
      }),
      { numRuns: 4_000 },
    )
    expect(parses).toBeGreaterThan(300)
  })

  test('for nested markup with end tags left out', () => {
    let parses = 0
    fc.assert(
      fc.property(element, (html) => {
        const { tree, needsBrowser } = quick(html)
        if (needsBrowser) return
        parses++
        expect(tree, html).toBe(browser(html))
      }),
      { numRuns: 4_000 },
    )
    expect(parses).toBeGreaterThan(1_000)
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
    dump(parseTree(text, xml, new PageBudget()).document)
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

describe('the quick builder leaves to the other parser', () => {
  test.each([
    [
      'a frameset after what is not seen',
      '<input type=hidden><frameset><frame>',
      '<frameset><frame>',
    ],
    ['a frameset after a paragraph', '<p><frameset>', '<frameset>'],
    ['a frameset after text', '<p>x<frameset>', '<body><p>"x"'],
    ['an end tag that the page cuts off', '<p>a</p id="x', '<body><p>"a"'],
    ['the end of a script that the page cuts off', '<p><script>a</script ', '<body><p><script>"a"'],
    ['a section that nothing closes', '<svg><![CDATA[a]]', '<body><svg>"a]]"'],
    ['a dialog with an open paragraph', '<dialog><p>a</dialog>b', '<body><dialog><p>"a"</></>"b"'],
  ])('%s', (_, html, expected) => {
    const tree = dump(parseTree(html, false, new PageBudget()).document)
    expect(tree.replaceAll('</>', '')).toBe(`<html><head>${expected.replaceAll('</>', '')}`)
  })
})

test('documents in which line ends become line feeds, as in a browser', () => {
  const dumped = (text: string, xml: boolean) =>
    dump(parseTree(text, xml, new PageBudget()).document)
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
