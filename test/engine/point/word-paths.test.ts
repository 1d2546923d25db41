import { atOnce } from '../../../src/engine/extract/page/in-turns.ts'
import { expect, test } from 'vitest'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../src/engine/extract/page/page-content.ts'
import { candidateParts } from '../../../src/engine/point/candidates.ts'

/** Candidates for the element with an `id`, by the text beside it or its own. */
function pathsFor(html: string, items?: string): readonly unknown[] {
  const body = new TextEncoder().encode(html)
  const page = new PageContent(
    { url: 'https://a.example/', contentType: 'text/html; charset=utf-8', body },
    START,
    new PageBudget(),
  )
  const target = page.tree.elements.findIndex(({ attribs }) => attribs['id'] === 't1')
  const pointed = { elements: [target], ...(items !== undefined && { items }) }
  return atOnce(candidateParts(page, pointed)).sources.flatMap(({ selector, field, matches }) =>
    selector.startsWith('./') ? [{ selector, field, matches }] : [],
  )
}

test('an element is found by the label before it, also one level up, and as a price by XPath', () => {
  const path = ".//dt[normalize-space()='Unit price']/following-sibling::*[1]"
  expect(pathsFor('<dl><dt> Unit\n price <dd id=t1>4 pieces</dl>')).toEqual([
    { selector: path, field: path, matches: 1 },
  ])
  const inner = ".//th[normalize-space()='Price']/following-sibling::*[1]/b[1]"
  expect(pathsFor('<table><tr><th>Price<td><b id=t1>$4.50</b></table>')).toMatchObject([
    { selector: inner, field: { xpath: inner, as: 'number' } },
  ])
})

test('a button is found by its own text', () => {
  expect(pathsFor('<div><button id=t1>Load more</button></div>')).toMatchObject([
    { selector: ".//button[normalize-space()='Load more']" },
  ])
})

test('in items a label holds if most of them have it; a value of one of them is not a label', () => {
  const row = (id: string, name: string) =>
    `<li><b>${name}</b><i>Price</i><u${id}>4 pieces</u></li>`
  const html = `<ul>${row(' id=t1', 'Pen')}${row('', 'Ink')}${row('', 'Cap')}</ul>`
  expect(pathsFor(html, 'li')).toMatchObject([
    { selector: ".//i[normalize-space()='Price']/following-sibling::*[1]", matches: 3 },
  ])
  expect(pathsFor('<ul><li><b>Pen</b><u id=t1>4</u><li><b>Ink</b><u>5</u></ul>', 'li')).toEqual([])
})

test('a long text, one without letters, and one with an apostrophe name nothing', () => {
  for (const label of ['x'.repeat(41), '12', "it's"])
    expect(pathsFor(`<dl><dt>${label}<dd id=t1>4 pieces</dl>`)).toEqual([])
  const many = '<i></i>'.repeat(5_000)
  expect(pathsFor(`<dl><dt>Price<dd id=t1>4 pieces</dl>${many}`)).toEqual([])
})
