import { expect, test } from 'vitest'
import { PageContent } from '../../../../src/engine/extract/page/page-content.ts'
import { formatPage } from '../../../../src/engine/extract/format/format-page.ts'
import { readElement } from '../../../../src/engine/extract/value/read-element.ts'

function markdown(html: string) {
  const body = new TextEncoder().encode(`<!DOCTYPE html><body>${html}`)
  const url = 'https://a.example/'
  const page = new PageContent({ url, contentType: 'text/html; charset=utf-8', body })
  const element = page.tree.elements.find(({ name }) => name === 'body')
  return element === undefined
    ? formatPage(page, 'markdown')
    : readElement(element, undefined, 'markdown', page)
}

test.each([
  ['a no-break space stays', '<p>10&nbsp;000<span>&nbsp;</span>€</p>', '10\u00a0000\u00a0€'],
  ['no mark begins or ends with one', '<p>a<i>&nbsp;b&nbsp;</i>c</p>', 'a\u00a0*b*\u00a0c'],
  [
    'an exclamation mark before a link',
    '<p>Go!<a href="/x">there</a></p>',
    'Go\\![there](https://a.example/x)',
  ],
  ['spaces of code', '<p>x <code> a</code> <code> b </code></p>', 'x ` a` `  b  `'],
  ['line breaks around code', '<p>x<code>\n a\n</code>y</p>', 'x `a` y'],
  ['code next to code', '<p><code>a</code><code>b</code><i><code>c</code></i></p>', '`ab`*`c`*'],
  ['emphasis next to emphasis', '<p><b>a</b><b>b</b> <b>c</b></p>', '**ab** **c**'],
  ['a variable', '<p><var>x</var></p>', '`x`'],
  ['a list after a list', '<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>', '- a\n\n* b\n\n- c'],
  ['a numbered one', '<ol><li>a</ol><ol start=3><li>b</ol>', '1. a\n\n3) b'],
  ['a list after a text', '<ul><li>a</ul><p>x</p><ul><li>b</ul>', '- a\n\nx\n\n- b'],
  ['a rule in an item', '<ul><li>a</li><li><hr></li></ul>', '- a\n- ***'],
  ['words of a heading', '<h2><b>a</b> b</h2>', '## **a** b'],
  ['a whole heading', '<h2> <b>a</b> </h2>', '## a'],
])('%s', (_, html, expected) => expect(markdown(html)).toBe(expected))
