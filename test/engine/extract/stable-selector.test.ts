import { expect, test } from 'vitest'
import { select } from '../../../src/engine/extract/auto/stable-selector.ts'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../src/engine/extract/page/page-content.ts'
import { each } from '../../support/found-list.ts'

// Proves that lists of one page, which share many names, do not search the page for each again.

function pageOf(items: number) {
  const html = `<ul>${each(items, (i) => `<li class="item"><a href="/${i}">${i}</a></li>`)}</ul>`
  const budget = new PageBudget()
  const page = { url: 'https://a.example/', contentType: 'text/html' }
  const body = new TextEncoder().encode(html)
  return { budget, content: new PageContent({ ...page, body }, START, budget) }
}

test('a selector is searched in a page once', () => {
  const { budget, content } = pageOf(500)
  const first = select(content, 'li.item', null)
  const { steps } = budget.spent
  expect(select(content, 'li.item', null)).toEqual(first)
  expect(budget.spent.steps).toBe(steps)
  expect(first).toHaveLength(500)
})

test('matches are those of the page and the element that are asked for', () => {
  const { content } = pageOf(3)
  const other = pageOf(5).content
  const [, second] = select(content, 'li.item', null)
  expect(select(other, 'li.item', null)).toHaveLength(5)
  expect(select(content, 'a', second ?? null).map(({ attribs }) => attribs['href'])).toEqual(['/2'])
})
