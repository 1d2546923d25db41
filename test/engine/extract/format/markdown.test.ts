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
  [
    'a link around paragraphs is one',
    '<a href="/x"><div>May 5</div><p>Spring <b>sale</b></p></a> more',
    '[May 5  \n\\\nSpring **sale**](https://a.example/x)\n\nmore',
  ],
  [
    'a link that begins in a line',
    '<p>See <a href="/x">this<br><br><img src="/i"></a> or that',
    'See [this  \n\\\n![](https://a.example/i)](https://a.example/x) or that',
  ],
  ['a link around one paragraph', '<a href="/x"><p>a</p></a>b', '[a](https://a.example/x)\n\nb'],
  [
    'a link around a heading is the heading',
    '<a href="/x"><p>May 5</p><h3></h3><h2>Spring</h2><p>All of it</p></a>',
    'May 5\n\n## [Spring](https://a.example/x)\n\nAll of it',
  ],
  [
    'a link around a list begins it',
    '<a href="/x"><ul><li>a<li>b</ul></a>',
    '- [a](https://a.example/x)\n- b',
  ],
  [
    'a link around blocks in an item',
    '<ul><li><a href="/x"><div>a</div><div>- b</div></a></ul>',
    '- [a  \n  \\\n  \\- b](https://a.example/x)',
  ],
  [
    'a link to a footnote',
    '<p>So<sup><a href="#fn 1">1</a></sup>, <a href="/x?y#s">more</a></p>',
    'So<sup>[1](https://a.example/#fn%201)</sup>, [more](https://a.example/x?y#s)',
  ],
  ['a link to nothing', '<p><a href="#">up</a></p>', '[up](https://a.example/)'],
  [
    'a link with a fragment that is data',
    `<p><a href="#${'a'.repeat(501)}">b</a></p>`,
    '[b](https://a.example/)',
  ],
  [
    'a footnote on another page, without the text that a browser is to mark',
    '<p><a href="/notes#n1">1</a> <a href="/notes#:~:text=a">2</a> <a href="/#n3:~:text=a">3</a></p>',
    '[1](https://a.example/notes#n1) [2](https://a.example/notes) [3](https://a.example/#n3)',
  ],
  ['a link in a heading', '<h2><a href="/x"><div>a</div></a></h2>', '## [a](https://a.example/x)'],
  [
    'a list between items is in the one before',
    '<ul><li>a</li><ol><li>b</ol><li>c</ul>',
    '- a\n  1. b\n- c',
  ],
  ['a paragraph between items', '<ol><li>a</li><p>x</p><li>b</ol>', '1. a\n\n   x\n2. b'],
  ['a text between items', '<ol><li>a</li>x<li>b</ol>', '1. a\n\nx\n\n2. b'],
  ['a list that begins with a list', '<ul><ul><li>a</ul><li>b</ul>', '- a\n\n- b'],
  ['a whole heading', '<h2> <b>a</b> </h2>', '## a'],
])('%s', (_, html, expected) => expect(markdown(html)).toBe(expected))

test('the marks before a line are bounded, however deep its quotes and lists are', () => {
  const lines = 'a line\n'.repeat(50)
  for (const open of ['<blockquote>', '<ul><li>', '<ol><li>', '<blockquote><ul><li>']) {
    const nested = `${open.repeat(100)}<pre>${lines}`
    const [longest = 0] = String(markdown(nested))
      .split('\n')
      .map((line) => line.length)
      .toSorted((a, b) => b - a)
    expect(longest).toBeLessThan(40)
  }
})
