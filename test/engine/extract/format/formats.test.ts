import { describe, expect, test } from 'vitest'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'
import type { Row } from '../../../../src/kernel/json.ts'

const sentence =
  'The tide turned at noon, and the boats, which had waited since dawn, left the harbour one after another. '
const article = `<!doctype html><html lang="en-GB"><head><title>Tides of March | The Harbour Post</title><meta name="description" content="What the sea gave back."><meta property="og:site_name" content="The Harbour Post">
<meta property="og:image" content="/i/tide.jpg"><meta property="article:published_time" content="2026-03-04T05:06:07Z"><meta name="author" content="Ida Lund"><link rel="canonical" href="/tides"></head>
<body><header class="site-header"><nav><a href="/">Home</a> <a href="/news">News</a></nav></header>
<main><article><h1>Tides of March</h1><p class="byline">By Ida Lund</p><p>${sentence.repeat(3)}</p><p>${sentence.repeat(2)}See <a href="../more?x=1#f">more</a>.</p><ul><li>first</li><li>second</li></ul>
<pre><code class="language-js">let a = 1
let b</code></pre><table><tr><th>Port</th><th>Tide</th></tr><tr><td>Oslo</td><td>3</td></tr></table><div class="share-buttons"><a href="https://social.example/">Share this</a></div><script>track()</script></article>
<aside>Advertisement for soap</aside></main><section class="related-posts"><a href="/o">Other story</a></section><footer>Imprint and privacy</footer></body></html>`

function rowOf(
  formats: ('text' | 'markdown' | 'html' | 'links' | 'metadata' | 'article' | 'structured')[],
  html: string,
): Row {
  const body = new TextEncoder().encode(html)
  return (
    compileRecipe({ start: { urls: ['https://a.example/'] }, formats }).process(
      { url: 'https://a.example/2026/page', contentType: 'text/html; charset=utf-8', body },
      { label: 'start', depth: 0, hop: 1 },
    ).rows[0] ?? {}
  )
}

test('text has the main content, with a line for each block', () => {
  const text = String(rowOf(['text'], article)['text'])
  expect(text.split('\n').slice(0, 2)).toEqual([
    sentence.repeat(3).trim(),
    `${sentence.repeat(2)}See more.`,
  ])
  expect(text).toContain('first\nsecond')
  for (const beside of [
    'Tides of March',
    'By Ida Lund',
    'Home',
    'soap',
    'Imprint',
    'Other story',
    'Share this',
    'track()',
  ])
    expect(text).not.toContain(beside)
})

test('Markdown has headings, lists, code, tables and absolute links', () => {
  const markdown = String(rowOf(['markdown'], article)['markdown'])
  for (const part of [
    '# Tides of March',
    '[more](https://a.example/more?x=1#f)',
    '- first\n- second',
    '```js\nlet a = 1\nlet b',
    '| Port | Tide |',
    '| Oslo | 3 |',
  ])
    expect(markdown).toContain(part)
  for (const beside of ['Home', 'soap', 'Imprint', 'Share this', 'track()'])
    expect(markdown).not.toContain(beside)
})

test('HTML has no scripts, styles or handlers, and absolute links', () => {
  const html = String(
    rowOf(
      ['html'],
      '<body><p onclick="x()" style="a" class=c>a<script>b</script><style>c</style>' +
        '<a href="/x">y</a><a href="#f">f</a><a href="javascript:z()">z</a></p></body>',
    )['html'],
  )
  expect(html).toBe(
    '<body><p class="c">a<a href="https://a.example/x">y</a><a href="#f">f</a><a>z</a></p></body>',
  )
})

test('links are absolute and without duplicates', () => {
  expect(
    rowOf(
      ['links'],
      '<a href=/x><img></a><a href="/x#top">The  X</a><a href=mailto:a@b.c>m</a><area href=y alt=Area><a>none</a>',
    )['links'],
  ).toEqual([
    { url: 'https://a.example/x', text: 'The X' },
    { url: 'https://a.example/2026/y', text: 'Area' },
  ])
})

test('article has the parts of an article and the number of its words', () => {
  const row = rowOf(['article', 'text', 'markdown'], article)
  expect(row['article']).toMatchObject({
    title: 'Tides of March | The Harbour Post'.split(' | ')[0],
    byline: 'Ida Lund',
    published: '2026-03-04T05:06:07Z',
    siteName: 'The Harbour Post',
    language: 'en-GB',
    excerpt: 'What the sea gave back.',
    image: 'https://a.example/i/tide.jpg',
    text: row['text'],
    markdown: row['markdown'],
  })
  const words = (text: string) => rowOf(['article'], `<article><p>${text}</p></article>`)['article']
  expect([words("It's 3 o'clock – isn't it?"), words('東京は雨 today')]).toMatchObject([
    { wordCount: 5 },
    { wordCount: 5 },
  ])
  expect(rowOf(['article', 'html'], '<p></p>')['article']).toBeNull()
})

test('structured has all structured data of a page', () => {
  const html = `<meta property="og:image" content="/a.png"><meta property="og:image" content="/b.png"><meta name="twitter:card" content="summary"><meta name="viewport" content="x"><script type="application/ld+json">[{"@type":"Product","name":"Pen"}]</script>
    <div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Pen</b><i itemprop="offers" itemscope><u itemprop="price">3</u></i></div>`
  expect(rowOf(['structured'], html)['structured']).toEqual({
    jsonld: [{ '@type': 'Product', name: 'Pen' }],
    microdata: [{ '@type': 'Product', name: 'Pen', offers: { price: '3' } }],
    rdfa: [],
    microformats: null,
    openGraph: { 'og:image': ['/a.png', '/b.png'] },
    twitter: { 'twitter:card': 'summary' },
  })
  expect(rowOf(['structured', 'html'], '<p>x')['structured']).toBeNull()
})

describe('metadata', () => {
  test('comes from meta elements', () => {
    expect(rowOf(['metadata'], article)['metadata']).toEqual({
      title: 'Tides of March',
      description: 'What the sea gave back.',
      author: 'Ida Lund',
      date: '2026-03-04T05:06:07Z',
      site: 'The Harbour Post',
      language: 'en-GB',
      canonical: 'https://a.example/tides',
      image: 'https://a.example/i/tide.jpg',
      type: null,
    })
  })

  test('comes from JSON-LD and from the markup', () => {
    const ld = {
      '@type': 'NewsArticle',
      headline: 'H',
      author: [{ name: 'A' }, { name: 'B' }],
      datePublished: '2026-01-05',
    }
    expect(
      rowOf(['metadata'], `<script type="application/ld+json">${JSON.stringify(ld)}</script><p>x`)[
        'metadata'
      ],
    ).toMatchObject({ title: 'H', author: 'A, B', date: '2026-01-05', type: 'NewsArticle' })
    expect(
      rowOf(
        ['metadata'],
        '<title>Big news - Site</title><h1>Big news</h1><a rel=author>Cy</a>' +
          '<span class="post-date">5 January 2026</span>',
      )['metadata'],
    ).toMatchObject({ title: 'Big news', author: 'Cy', date: '2026-01-05' })
  })

  test('is null if there is none', () => {
    expect(rowOf(['metadata'], '<p>x')['metadata']).toEqual({
      title: null,
      description: null,
      author: null,
      date: null,
      site: null,
      language: null,
      canonical: null,
      image: null,
      type: null,
    })
  })
})
