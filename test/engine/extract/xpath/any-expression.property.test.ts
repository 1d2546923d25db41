import fc from 'fast-check'
import { expect, it } from 'vitest'
import { PageContent } from '../../../../src/engine/extract/page/page-content.ts'
import { checkedXPath } from '../../../../src/engine/extract/xpath/checked-xpath.ts'
import type { Issue } from '../../../../src/kernel/errors.ts'

const HTML = `<html><body><div id="a" class="card"><h2>One</h2><p>first <b>bold</b></p></div>
<div id="b"><h2>Two</h2><p>second</p><a href="/two">more</a></div>
<ul><li>x</li><li>y</li><li data-n="3">z</li></ul></body></html>`
const PAGE = {
  url: 'https://a.example/list',
  contentType: 'text/html',
  body: new TextEncoder().encode(HTML),
}
const START = { label: 'start', depth: 0, hop: 1 }

it('an expression throws no error but a refusal', () => {
  const parts = fc.constantFrom(
    '/',
    '//',
    'a',
    '*',
    '@',
    '[',
    ']',
    '(',
    ')',
    '1',
    '"x"',
    "'",
    '.',
    '..',
    'text()',
    'last()',
    'contains(',
    ',',
    '=',
    '|',
    ' and ',
    'not(',
    '::',
    'parent',
    '-',
    '>',
    ' ',
    'p',
    '@*',
    'position()',
    'following::',
    'preceding::node()',
    'count(',
    '*',
    ' div ',
    'sum(',
    '$',
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 14 }), (steps) => {
      const issues: Issue[] = []
      const nodes = checkedXPath(steps.join(''), 'x', issues)(new PageContent(PAGE, START), null)
      expect(Array.isArray(nodes)).toBe(true)
    }),
    { numRuns: 1_500 },
  )
})
