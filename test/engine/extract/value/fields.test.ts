import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/json.ts'
import type { Field } from '../../../../src/engine/recipe/recipe-input.ts'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'

function value(field: Field, html: string): Json | undefined {
  const body = new TextEncoder().encode(html)
  const plan = compileRecipe({
    start: { urls: ['https://a.example/'] },
    extract: { fields: { always: { css: 'body', attr: 'class' }, field } },
  } as never)
  return plan.process(
    {
      url: 'https://a.example/dir/page',
      contentType: 'text/html; charset=utf-8',
      body: new TextEncoder().encode(`<body class=b>${new TextDecoder().decode(body)}`),
    },
    { label: 'start', depth: 0, hop: 1 },
  ).rows[0]?.['field']
}

describe('text', () => {
  test.each([
    ['<p>one</p><p>two</p>', 'one two'],
    ['<i>one</i><b>two</b>', 'onetwo'],
    ['one<br>two', 'one two'],
    ['<table><tr><td>a<td>b<tr><td>c</table>', 'a b c'],
    ['  a \n\t b\u00a0c ', 'a b c'],
    ['a<script>x()</script><style>.y{}</style><noscript>no</noscript>b', 'ab'],
    ['a<!-- note -->b', 'ab'],
    ['<ul><li>x</li><li>y</li></ul>', 'x y'],
    ['&lt;b&gt; &amp; é', '<b> & é'],
    ['', null],
    [' \n ', null],
  ])('of %s is %s', (html, expected) =>
    expect(value('#t', `<div id=t>${html}</div>`)).toBe(expected),
  )

  test('of elements that have none by themselves', () => {
    expect(value('meta[name=x]', '<meta name=x content=" y ">')).toBe('y')
    expect(value('input', '<input value=5>')).toBe('5')
    expect(value('script#data', '<script id=data>var a = 1 < 2</script>')).toBe('var a = 1 < 2')
  })
})

describe('types', () => {
  test.each<[Field, string, Json]>([
    [{ css: 'a', attr: 'href' }, '<a href=" ../x ">', ' ../x '],
    [{ css: 'a', attr: 'href', as: 'url' }, '<a href=" ../x ">', 'https://a.example/x'],
    [{ css: 'a', as: 'url' }, '<a href="?q=1#z">t</a>', 'https://a.example/dir/page?q=1'],
    [{ css: 'a', as: 'url' }, '<a href="javascript:x()">t</a>', null],
    [
      { css: 'img', as: 'url' },
      '<base href="//cdn.example/"><img src=i.png>',
      'https://cdn.example/i.png',
    ],
    [{ css: 'a', attr: 'title' }, '<a href=x>', null],
    [{ css: 'img', attr: 'alt' }, '<img alt="">', ''],
    [{ css: 'b', as: 'number' }, '<b>$1,299.50</b>', 1299.5],
    [{ css: 'b', as: 'integer' }, '<b>4.9 stars</b>', 4],
    [{ css: 'b', as: 'number' }, '<b>none</b>', null],
    [{ css: 'data', as: 'number' }, '<data value=7.5>seven</data>', 7.5],
    [
      { css: '[itemprop=price]', as: 'number' },
      '<span itemprop=price content=9.99>ten</span>',
      9.99,
    ],
    [
      { css: 'time', as: 'date' },
      '<time datetime="2026-01-05T10:00Z">yesterday</time>',
      '2026-01-05T10:00:00Z',
    ],
    [{ css: 'b', as: 'date' }, '<b>5 Jan 2026</b>', '2026-01-05'],
    [{ css: 'b', as: 'boolean' }, '<b>In stock</b>', true],
    [{ css: 'input', attr: 'disabled', as: 'boolean' }, '<input disabled>', true],
    [{ css: 'b', as: 'boolean' }, '<b>perhaps</b>', null],
    [{ css: 'script', as: 'json' }, '<script>{"a":[1,null]}</script>', { a: [1, null] }],
    [{ css: 'script', as: 'json' }, '<script>{a:1}</script>', null],
    [
      { css: 'p', as: 'html' },
      '<p class="x">a &amp; <b>b</b><br></p>',
      '<p class="x">a &amp; <b>b</b><br></p>',
    ],
    [
      { css: 'div', as: 'markdown' },
      '<div><h2>T</h2><p>a <a href="/x">l</a></p></div>',
      '## T\n\na [l](https://a.example/x)',
    ],
    [{ css: 'li', many: true }, '<li>1<li><li>3', ['1', '3']],
    [{ css: 'li', many: true, as: 'integer' }, '<li>1<li>x', [1]],
    [{ css: 'li', many: true }, '', []],
    [['h1', { css: 'h2' }, { const: 'c' }], '<h2>two</h2>', 'two'],
    [['h1', { const: { a: 1 } }], '', { a: 1 }],
    [
      { css: 'div', fields: { a: 'i', b: { css: 'b', fields: { c: 'u' } } } },
      '<div><i>1</i><b><u>2</u></b></div>',
      { a: '1', b: { c: '2' } },
    ],
    [{ css: 'h6', fields: { a: 'i' } }, '', null],
    [{ meta: 'Price' }, '<meta itemprop=price content=5>', '5'],
    [{ meta: 'price', as: 'number' }, '<meta itemprop=price content=5>', 5],
    [{ url: true }, '', 'https://a.example/dir/page'],
    [
      { jsonld: '$.price', as: 'number' },
      '<script type="application/ld+json">{"price":"1.5"}</script>',
      1.5,
    ],
    [
      { jsonld: '$.offers' },
      '<script type="application/ld+json">{"offers":{"a":1}}</script>',
      { a: 1 },
    ],
    [
      { jsonld: '$.a' },
      '<script type="application/ld+json">//<![CDATA[\n{"a":"x"}\n//]]></script>',
      'x',
    ],
    [{ jsonld: '$.a' }, '<script type="application/ld+json">{"a":1,}</script>', 1],
    [{ jsonld: '$.a' }, '<script type="application/ld+json">{"a":1 "b":}</script>', null],
    [{ jsonld: '$.a' }, '<script type="application/ld+json">{"a":oops}</script>', null],
    [
      { jsonld: '$..a', many: true },
      '<script type="application/ld+json">[{"a":1},{"a":2}]</script>' +
        '<script type="APPLICATION/LD+JSON">{"a":3}</script>',
      [1, 2, 3],
    ],
  ])('%j is read from %s', (field, html, expected) => expect(value(field, html)).toEqual(expected))
})
