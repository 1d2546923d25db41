import { expect, test, vi } from 'vitest'
import { PageBudget, PageTooCostly } from '../../../../src/engine/extract/page/page-budget.ts'
import { parseTree } from '../../../../src/engine/extract/tree/parse-tree.ts'
import { TextParts } from '../../../../src/kernel/text/text-parts.ts'
import { dumpTree } from '../../../support/dump-tree.ts'
import { CountingBudget } from '../../../support/worlds/page-run.ts'

/** The content of a tree's body, or of what replaces it, without end tags. */
const bodyOf = (html: string): string =>
  dumpTree(parseTree(html, false, new PageBudget()).document)
    .replaceAll('</>', '')
    .replace(/^<html><head>(?:<body>)?/, '')

test.each([
  [
    'a frameset after what is not seen',
    '<input type=hidden><frameset><frame>',
    '<frameset><frame>',
  ],
  ['a frameset after a paragraph', '<p><frameset>', '<frameset>'],
  ['a frameset after text', '<p>x<frameset>', '<p>"x"'],
  ['a frameset after a template', '<p><template></template><frameset>', '<p><template>'],
  ['what is within frames', '<frameset>a <p><script>b</script><frame>', '<frameset>" "<frame>'],
  ['what is for browsers without frames', '<frameset><noframes><p>x', '<frameset><noframes>"<p>x"'],
  ['a section of CDATA that nothing closes', '<svg><![CDATA[a]]', '<svg>"a]]"'],
  [
    'HTML in SVG',
    '<svg><foreignobject><p>a<svg><desc><b>c',
    '<svg><foreignobject><p>"a"<svg><desc><b>"c"',
  ],
  ['names of HTML in SVG', '<svg><select><tr></svg><p>x', '<svg><select><tr><p>"x"'],
  [
    'a script in a comment of a script',
    '<p><script><!--<script>a</script>b--></script>c',
    '<p><script>"<!--<script>a</script>b-->""c"',
  ],
  [
    'a title in SVG in a noscript',
    '<p><noscript><svg><title></noscript>x',
    '<p><noscript>"<svg><title>""x"',
  ],
  ['plain text', '<p>a<plaintext>b</plaintext><p>', '<p>"a"<plaintext>"b</plaintext><p>"'],
  ['a return at the start of a text area', '<textarea>&#13;&#10;a', '<textarea>"\\r\\na"'],
  ['a line end at the start of a text area', '<textarea>\r\n\r\na', '<textarea>"\\na"'],
])('a page is read as browsers read it: %s', (_, html, expected) => {
  expect(bodyOf(html)).toBe(expected)
})

// The standard has these rules since 2025, but no library.
test.each([
  [
    'elements in a select',
    '<select><div>a</div><option><b>c</b></select>d',
    '<select><div>"a"<option><b>"c""d"',
  ],
  [
    'a style in a select',
    '<select><style>a{}</style><option>b</select>',
    '<select><style>"a{}"<option>"b"',
  ],
  [
    'SVG in an option',
    '<select><option><svg><path/></svg>a<option>b',
    '<select><option><svg><path>"a"<option>"b"',
  ],
  [
    'options without end tags',
    '<select><optgroup><option>a<option>b<optgroup><hr><option>c',
    '<select><optgroup><option>"a"<option>"b"<optgroup><hr><option>"c"',
  ],
  ['a select ends at another', '<select><option>a<select><b>c', '<select><option>"a"<b>"c"'],
  ['a select ends at an input', '<select><option>a<input>b', '<select><option>"a"<input>"b"'],
  [
    'a select in a cell',
    '<table><tr><td><select><option>a<td>b',
    '<table><tbody><tr><td><select><option>"a"<td>"b"',
  ],
  ['formatting around a select', '<b><select><option>a</b></select>c', '<b><select><option>"a""c"'],
  ['a button in a select', '<select><button>a</button><option>b', '<select><button>"a"<option>"b"'],
])('a page is read as browsers read it: %s', (_, html, expected) => {
  expect(bodyOf(html)).toBe(expected)
})

test.each([
  ['a select with a style', '<template><select><style></template></style></select></template>x'],
  ['SVG with a title', '<template><svg><title></svg></template>x'],
  [
    'a row with SVG that its cell closes',
    '<template><td><svg></td><style></template></style></template>x',
  ],
  ['columns, behind which a script is none', '<template><col><script></template>x'],
  ['a template', '<template><template></template></template>x'],
  ['a template in SVG', '<template><svg><template></template></svg></template>x'],
  ['a text area', '<template><textarea></template></textarea></template>x'],
  ['more levels than a tree has', `<template>${'<div>'.repeat(600)}</template>x`],
])('a template ends behind what it holds: %s', (_, html) => {
  expect(bodyOf(`<p>${html}`)).toBe('<p><template>"x"')
})

test.each([
  ['in it', '<template><b><object></template>x', '<template><b>"x"'],
  ['around it', '<a>x<template><td></template><a>y', '<a>"x"<template><a>"y"'],
  ['not of a cell that ends', '<template><td><b></td></template>x', '<template>"x"'],
  [
    'not of one in another that keeps its marker',
    '<template><i><object><template><b><object></template></template>x',
    '<template>"x"',
  ],
])('an object or a cell that a template leaves open keeps formatting: %s', (_, html, expected) => {
  expect(bodyOf(`<p>${html}`)).toBe(`<p>${expected}`)
})

test('templates in each other end one by one, however many', () => {
  const html = `<p>${'<template>'.repeat(900)}<b>${'</template>'.repeat(899)}<b></template>x`
  expect(bodyOf(html)).toBe('<p><template>"x"')
})

test.each([
  ['another one', '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 3.2//EN">', '<p><table>'],
  ['the end tag of nothing', '</div>', '<p><table>'],
  ['a start tag', '<html>', '<p><table>'],
  ['a comment', ' <!-- a --> ', '<p></><table>'],
])('a document type behind %s', (_, before, expected) => {
  const html = `${before}<!doctype html><p><table>`
  expect(dumpTree(parseTree(html, false, new PageBudget()).document)).toContain(expected)
})

const MANY_ATTRIBUTES = Array.from({ length: 51 }, (_, index) => `a${index}`).join(' ')

test.each([
  ['in another order', 'a=1 b=2', 'b=2 a=1', 3],
  ['with values that are swapped', 'a=1 b=2', 'a=2 b=1', 4],
  ['with other names of one length', 'a=1', 'b=1', 4],
  ['with long values of one end', 'a=1_23456789', 'a=2_23456789', 4],
  ['that are too many to be compared', MANY_ATTRIBUTES, MANY_ATTRIBUTES, 4],
])('of four formatting elements, equal attributes leave three: %s', (_, three, last, expected) => {
  const body = bodyOf(`<p>${`<b ${three}>`.repeat(3)}<b ${last}></p>x`)
  expect(body.split('<b').length - 1).toBe(4 + expected)
})

test('an element of a feed whose name is a prefix alone ends with its end tag', () => {
  const feed = '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:><a:id>1</a:id></a:>x</a:feed>'
  const { root } = parseTree(feed, true, new PageBudget())
  expect(root && dumpTree(root)).toBe('<a:><id>"1"</></>"x"')
})

test('a page whose budget has ended is not read again', () => {
  const budget = new PageBudget({ steps: 10, bytes: 10 })
  expect(() => budget.work(11)).toThrow(PageTooCostly)
  const source = new TextParts(['<p>'])
  const read = vi.spyOn(source, 'parts', 'get')
  expect(() => parseTree(source, false, budget)).toThrow(PageTooCostly)
  expect(read).not.toHaveBeenCalled()
})

function stepsOf(html: string): number {
  const budget = new CountingBudget()
  parseTree(html, false, budget)
  return budget.steps
}

test('templates pay for formatting that is opened again, and all have as much as a page', () => {
  const formatting = '<b><i><u><s><em><tt><big><code>'.repeat(3)
  const template = `<template><p>${formatting}${'<p><img>'.repeat(90)}</template>`
  const html = template.repeat(50)
  const limit = 2_000 + html.length / 16
  expect(stepsOf(html)).toBeGreaterThan(html.length + 8 * (limit - 200))
  expect(stepsOf(html)).toBeLessThan(1.5 * html.length + 8 * (limit + 200))
})
