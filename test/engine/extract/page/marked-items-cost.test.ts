import { expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../../src/engine/extract/page/page-content.ts'

const RDF = 'prefix="rdf: http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
const times = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('')

/** Reads the items of a hostile page; returns them and their cost. */
function read(html: string) {
  const budget = new PageBudget()
  const body = new TextEncoder().encode(`<!DOCTYPE html><body>${html}`)
  const contentType = 'text/html; charset=utf-8'
  const page = new PageContent({ url: 'https://a.example/', contentType, body }, START, budget)
  const items = page.markedItems.map(({ value }) => value)
  const cuts = budget.losses.cuts?.map(({ what }) => what) ?? []
  return { items, cuts, steps: budget.spent.steps, overrun: budget.overrun }
}

test('a part that thousands of items name is read up to a bound', () => {
  const part = `<p id="p">${times(1_000, () => '<i itemprop="a">x</i>')}</p>`
  const { items, cuts, overrun } = read(part + '<b itemscope itemref="p"></b>'.repeat(2_000))
  expect(items).toHaveLength(2_000)
  expect(items[0]).toEqual({ a: Array.from({ length: 1_000 }, () => 'x') })
  expect(items.at(-1)).toEqual({})
  expect(cuts).toEqual(['values that items name in itemref'])
  expect(overrun).toBeNull()
})

test('an RDF list that is a member of itself ends', () => {
  const { items, cuts } = read(`<div ${RDF}>
    <p about="_:a" rel="rdf:first" resource="_:a"></p>
    <p about="/b" typeof="schema:Thing"><a rel="schema:part" resource="_:a"></a></p></div>`)
  expect(items).toEqual([{ '@id': 'https://a.example/b', '@type': 'Thing', part: [] }])
  expect(cuts).toEqual(['levels of RDFa'])
})

test('RDF lists of which each has the next one twice do not grow without end', () => {
  const list = (i: number): string =>
    `<p about="_:a${i}"><a rel="rdf:first" resource="_:a${i + 1}"></a><a rel="rdf:rest" resource="_:b${i}"></a></p>
     <p about="_:b${i}"><a rel="rdf:first" resource="_:a${i + 1}"></a></p>`
  const { cuts, steps } = read(`<div ${RDF}>${times(18, list)}
    <p about="_:a18" rel="rdf:first" resource="/x"></p>
    <p about="/b" typeof="schema:Thing"><a rel="schema:part" resource="_:a0"></a></p></div>`)
  expect(cuts).toEqual(['members of RDFa lists'])
  expect(steps).toBeLessThan(1_000_000)
})

test('a thing with a long name is named once, however many statements it has', () => {
  const name = `https://a.example/${'v'.repeat(100_000)}`
  const { items, steps } = read(
    `<div about="${name}" typeof="schema:Thing">${times(1_000, (i) => `<i property="schema:p${i}">x</i>`)}</div>`,
  )
  expect(items).toMatchObject([{ '@id': name, p0: 'x', p999: 'x' }])
  expect(steps).toBeLessThan(1_000_000)
})

test('a vocabulary with a long address is not repeated in names', () => {
  const { items } = read(
    `<div vocab="https://a.example/${'v'.repeat(3_000)}" typeof="Thing"><i property="name">x</i></div>`,
  )
  expect(items).toEqual([])
})
