import { describe, expect, test } from 'vitest'
import { PageBudget, PageTooCostly } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent } from '../../../src/engine/extract/page/page-content.ts'
import { startMatching } from '../../../src/engine/extract/select/matching.ts'
import { parseSelector } from '../../../src/engine/extract/select/parse-selector.ts'
import { SelectorSet } from '../../../src/engine/extract/select/selector-set.ts'
import { parseTree } from '../../../src/engine/extract/tree/parse-tree.ts'
import { checkedXPath } from '../../../src/engine/extract/xpath/checked-xpath.ts'
import type { Issue } from '../../../src/kernel/errors.ts'
import { cpuMs } from '../../support/cpu-ms.ts'

// A tenth of the budget of a page: 0.2 seconds of an idle core. Quadratic work takes far longer.
const tenth = () => new PageBudget({ steps: 6_000_000, bytes: 3_000_000 })

describe('an XPath on a large page', () => {
  const wide = `<ul>${'<li class=x>y</li>'.repeat(20_000)}</ul>`
  const deep = '<div>'.repeat(480) + '<p>x'.repeat(400)
  test.each([
    '//*[.//*[.//*[.//*]]]',
    '//*[following-sibling::*[following-sibling::*[last()]]]',
    '//li/following-sibling::li/preceding-sibling::li',
    '//*//*//*//*//*[last()]',
    '//*[contains(., "zzz")]',
    '//*[normalize-space(.) = normalize-space(..)]',
    '//*[//* = //*]',
    '//*/ancestor::*/descendant::*',
    '//li[last()][last()][last()]',
    '//text()[contains(., "z")]',
    '//*[concat(., ., ., ., ., ., ., ., ., .) = concat(., ., ., ., ., ., ., ., ., "x")]',
  ])('%s ends soon', (xpath) => {
    for (const text of [wide, deep, wide + deep]) {
      const issues: Issue[] = []
      const select = checkedXPath(xpath, 'x', issues)
      expect(issues).toEqual([])
      const page = {
        url: 'https://a.example/list',
        contentType: 'text/html',
        body: new TextEncoder().encode(text),
      }
      const begin = cpuMs()
      expect(() =>
        select(new PageContent(page, { label: 'start', depth: 0, hop: 1 }, tenth()), null),
      ).toSatisfy(endsByBudget)
      expect(cpuMs() - begin).toBeLessThan(15_000)
    }
  })
})

describe('a selector on a large page', () => {
  test.each([
    'li:has(~ li.none)',
    'li:has(~ li ~ li ~ i)',
    'li:has(~ li ~ li ~ li.none)',
    'li ~ li ~ i',
    'x ~ li',
    ':nth-last-child(2n+1 of li)',
    'li:nth-last-child(1) ~ i',
    'li:has(~ li:nth-of-type(1000000))',
    'li:nth-child(2n+1)',
    'div div div div div div div div div div .none',
    ':contains(none)',
    'div:has(.none)',
  ])('%s ends soon', (css) => {
    const tree = parseTree(
      `${'<div>'.repeat(400)}<ul>${'<li>item</li>'.repeat(30_000)}</ul>`,
      false,
      new PageBudget(),
    )
    const begin = cpuMs()
    const set = new SelectorSet()
    set.add(parseSelector(css), true)
    expect(() => set.find(tree, null, startMatching(tenth()))).toSatisfy(endsByBudget)
    expect(cpuMs() - begin).toBeLessThan(15_000)
  })
})

/** It ends by itself, or when the budget of the page ends. */
function endsByBudget(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    return error instanceof PageTooCostly
  }
}
