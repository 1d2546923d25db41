import { cloneNode, Element, Text } from 'domhandler'
import { expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { parseTree } from '../../../../src/engine/extract/tree/parse-tree.ts'

const { elements } = parseTree(
  '<p id="a">One <b>two</b> three<i></i></p><script></script><style></style>',
  false,
  new PageBudget(),
)
const named = (name: string) => elements.find((element) => element.name === name)
const paragraph = named('p')
const text = paragraph?.firstChild

test('a node of a page has the properties that are read, and no more', () => {
  expect(Object.keys(paragraph ?? {})).toEqual(
    'parent prev next startIndex endIndex children name attribs type'.split(' '),
  )
  expect(Object.keys(text ?? {})).toEqual('parent prev next data type'.split(' '))
})

test('a node of a page is a node of domhandler', () => {
  expect(paragraph).toBeInstanceOf(Element)
  expect(text).toBeInstanceOf(Text)
  expect([paragraph?.nodeType, paragraph?.tagName, paragraph?.attributes.length]).toEqual([
    1,
    'p',
    1,
  ])
  expect([text?.nodeType, text?.startIndex, text?.endIndex]).toEqual([3, null, null])
  expect(paragraph?.lastChild?.previousSibling).toBe(paragraph?.childNodes[2])
  expect(text?.parentNode).toBe(paragraph)
  expect(text?.nextSibling).toBe(paragraph?.childNodes[1])
  expect(['p', 'script', 'style'].map((name) => named(name)?.type)).toEqual([
    'tag',
    'script',
    'style',
  ])
})

test('a copy of a node has what is in it', () => {
  const copy = paragraph === undefined ? undefined : cloneNode(paragraph, true)
  expect(copy?.children.map((child) => child.type)).toEqual(['text', 'tag', 'text', 'tag'])
  expect(copy?.attribs).toEqual({ id: 'a' })
})

test('each child knows those beside it, however many there are', () => {
  for (const count of [1, 2, 3, 4, 20]) {
    const list = parseTree(`<ul>${'<li>x</li>'.repeat(count)}</ul>`, false, new PageBudget())
    const children = list.elements.find(({ name }) => name === 'ul')?.children ?? []
    expect(children.length).toBe(count)
    for (const [index, child] of children.entries()) {
      expect(child.prev).toBe(children[index - 1] ?? null)
      expect(child.next).toBe(children[index + 1] ?? null)
    }
  }
})
