import { describe, expect, test } from 'vitest'
import { detect, type Detection } from '../../../src/engine/extract/auto.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import type { PageResult } from '../../../src/ports/page-processor.ts'

const url = 'https://a.example/list/'
const count = (length: number, make: (i: number) => string) =>
  Array.from({ length }, (_, index) => make(index + 1)).join('\n')
const frame = (main: string, head = '') =>
  `<!doctype html><html><head><title>Shop</title>${head}</head><body><header><nav>` +
  '<ul class="menu">' +
  count(12, (i) => `<li class="menu-item"><a href="/c/${i}">Category number ${i}</a></li>`) +
  `</ul></nav></header>${main}<footer><ul>` +
  `${count(8, (i) => `<li><a href="/f/${i}">Footer link ${i}</a></li>`)}</ul></footer>` +
  '</body></html>'

function look(html: string): { found: Detection; result: PageResult } {
  const page = {
    url,
    contentType: 'text/html; charset=utf-8',
    body: new TextEncoder().encode(html),
  }
  const recipe = detect(page)
  // Proves which recipe detection proposes for a page; it is compiled and run like any other recipe.
  const follow = recipe.next === undefined ? {} : { follow: [{ next: recipe.next }] }
  const result = compileRecipe({
    start: { urls: [url] },
    extract: recipe.extract,
    ...follow,
  } as never).process(page, { label: 'start', depth: 0, hop: 1 })
  return { found: recipe, result }
}

describe('detection finds the list on', () => {
  test('a page with a grid of products and a next page', () => {
    const grid = `<main><ul class="products">${count(
      24,
      (i) =>
        `<li class="product-card col-4 x${i}"><a class="card-link" href="/p/${i}` +
        `?utm_source=grid"><img src="/i/${i}.jpg" alt=""><h2 class="card-title">Lamp ${i}` +
        `</h2></a>${i % 3 ? `<span class="badge">Sale</span>` : ''}<span class="price">$${i}` +
        '.50</span></li>',
    )}</ul>
      <div class="pagination"><span class="current">1</span><a href="/list/?page=2">2</a><a class="next" href="/list/?page=2">Next »</a></div></main>`
    const { found, result } = look(frame(grid))
    expect(found).toMatchObject({ kind: 'list', extract: { items: 'li.product-card' } })
    expect(result.rows).toHaveLength(24)
    expect(result.rows[1]).toEqual({
      title: 'Lamp 2',
      url: 'https://a.example/p/2?utm_source=grid',
      image: 'https://a.example/i/2.jpg',
      price: 2.5,
    })
    expect(found.next).toBe('a.next')
    expect(result.links.map((link) => link.url)).toEqual(['https://a.example/list/?page=2'])
  })

  test('a page of plain links, whose title and url come from one element', () => {
    const list = count(
      8,
      (i) =>
        `<li class="item"><a class="product" href="/p/${i}">amber lamp ${i}</a> <span class="price">$10.50</span></li>`,
    )
    const { result } = look(frame(`<ul class="items">${list}</ul>`))
    expect(result.rows[0]).toEqual({
      title: 'amber lamp 1',
      url: 'https://a.example/p/1',
      price: 10.5,
    })
  })

  test('an index of a blog', () => {
    const posts = count(
      10,
      (i) =>
        `<article class="post"><h2><a href="/posts/${i}">Post number ${i}</a></h2><time ` +
        `datetime="2026-01-${String(i).padStart(2, '0')}">Jan ${i}</time> <span ` +
        `class="author">Ann ${i}</span><p class="excerpt">Some forty words about the ` +
        `matter of post number ${i}, cut short.</p></article>`,
    )
    const { found, result } = look(
      frame(
        `<div id="main">${posts}<nav class="posts-navigation">` +
          '<a href="/list/page/2/" rel="next">Older posts</a></nav></div>',
      ),
    )
    expect(found.kind).toBe('list')
    expect(result.rows).toHaveLength(10)
    expect(result.rows[2]).toMatchObject({
      title: 'Post number 3',
      url: 'https://a.example/posts/3',
      date: '2026-01-03',
      author: 'Ann 3',
    })
    expect(result.links[0]?.url).toBe('https://a.example/list/page/2/')
  })

  test('a page whose items have no classes, or hashes as classes', () => {
    const plain = look(
      frame(
        '<main><ul>' +
          count(
            9,
            (i) =>
              `<li><a href="/n/${i}"><h3>Headline of the day ${i}</h3></a><p>A summary of ` +
              `it, long enough to be one, number ${i}.</p></li>`,
          ) +
          '</ul></main>',
      ),
    )
    expect(plain.found.kind).toBe('list')
    expect(plain.result.rows).toHaveLength(9)
    expect(plain.result.rows[0]).toMatchObject({
      title: 'Headline of the day 1',
      url: 'https://a.example/n/1',
    })
    const hashed = look(
      frame(
        '<main><div class="css-1x2y3z">' +
          count(
            9,
            (i) =>
              `<div class="sc-aBcD12 css-99${i}"><a href="/n/${i}"><h3>Headline of the day ` +
              `${i}</h3></a><p>A summary of it, long enough to be one, number ${i}` +
              '.</p></div>',
          ) +
          '</div></main>',
      ),
    )
    expect(hashed.result.rows).toHaveLength(9)
    expect(JSON.stringify(hashed.found.extract)).not.toMatch(/css-|sc-/)
  })
})

describe('detection reads a table', () => {
  const rows = count(
    20,
    (i) =>
      `<tr><td><a href="/city/${i}">City ${i}</a></td><td>${i * 1_000}</td><td>Region ${i % 4}</td></tr>`,
  )

  test.each([
    [
      'with thead',
      '<table class="data"><thead><tr><th>City</th><th>Population (2026)</th><th></th></tr>' +
        `</thead><tbody>${rows}</tbody></table>`,
    ],
    [
      'without',
      `<table><tr><th>City</th><th>Population (2026)</th><th></th></tr>${rows}</table><p>words</p>`,
    ],
    [
      'with bold cells for headings, below a title',
      '<table><tr><td colspan=3>Cities</td></tr><tr><td><b>City</b></td><td>' +
        `<b>Population (2026)</b></td><td><b>Area</b></td></tr>${rows}</table>`,
    ],
  ])('%s', (_, table) => {
    const { found, result } = look(frame(`<main>${table}</main>`))
    expect(found.kind).toBe('table')
    expect(result.rows).toHaveLength(20)
    expect(result.rows[4]).toMatchObject({
      city: 'City 5',
      population_2026: 5_000,
      url: 'https://a.example/city/5',
    })
  })
})

describe('detection on a single page finds', () => {
  const sentence =
    'The keeper of the light wrote down, night after night, which ships went by and what the wind did to them. '

  test('the article', () => {
    const { found, result } = look(
      frame(
        `<main><article class="story"><h1>The light</h1><p>${sentence.repeat(4)}</p><p>` +
          `${sentence.repeat(3)}</p></article></main>`,
        '<meta property="og:type" content="article"><meta name="author" content="Ida Lund">' +
          '<meta property="article:published_time" content="2026-01-05">',
      ),
    )
    expect(found.kind).toBe('article')
    expect(result.rows[0]).toMatchObject({
      title: 'The light',
      author: 'Ida Lund',
      date: '2026-01-05',
      url,
    })
    expect(String(result.rows[0]?.['content'])).toContain('The keeper of the light')
    expect(String(result.rows[0]?.['content'])).not.toContain('Footer link')
  })

  test('the product in JSON-LD', () => {
    const ld = {
      '@context': 'https://schema.org',
      '@type': 'Product',
      name: 'Lamp',
      sku: 'L-1',
      brand: { '@type': 'Brand', name: 'Lux' },
      image: '/i.jpg',
      offers: {
        '@type': 'Offer',
        price: '19.90',
        priceCurrency: 'EUR',
        availability: 'https://schema.org/InStock',
      },
    }
    const related = count(
      6,
      (i) =>
        `<li class="card"><a href="/p/${i}"><h3>Related lamp ${i}</h3></a><span class="price">$1</span></li>`,
    )
    const { found, result } = look(
      frame(
        `<main><h1>Lamp</h1><ul>${related}</ul></main>`,
        `<script type="application/ld+json">${JSON.stringify(ld)}</script>`,
      ),
    )
    expect(found.kind).toBe('product')
    expect(result.rows[0]).toMatchObject({
      name: 'Lamp',
      price: 19.9,
      currency: 'EUR',
      sku: 'L-1',
      brand: 'Lux',
      availability: 'InStock',
    })
  })

  test('the product in microdata', () => {
    const { found, result } = look(
      frame(
        '<main itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Desk' +
          '</h1><span itemprop="price" content="250.00">250 €</span>' +
          '<meta itemprop="sku" content="D-9"></main>',
      ),
    )
    expect(found.kind).toBe('product')
    expect(result.rows[0]).toMatchObject({ name: 'Desk', price: 250, sku: 'D-9' })
  })

  test('nothing, if there is nothing', () => {
    const { found, result } = look('<!doctype html><title>Hello</title><p>Nothing to see.')
    expect(found).toMatchObject({ kind: 'page' })
    expect(found.next).toBeUndefined()
    expect(result.rows[0]).toMatchObject({ title: 'Hello', text: 'Nothing to see.' })
  })
})

test('an article has neither the author nor the time of its comments', () => {
  const prose = `<p>${'A sentence of the article, which is about boats and harbours. '.repeat(8)}</p>`
  const comment =
    '<div class="comment"><b class="author">Ben</b> <time datetime="2026-01-02"></time></div>'
  const article = (head: string): unknown => {
    const { found, result } = look(
      `<main><article><h1>Boats</h1>${head}${prose}</article><section id="comments">${comment}</section></main>`,
    )
    expect(found.kind).toBe('article')
    return result.rows[0]
  }
  expect(article('')).toMatchObject({ title: 'Boats', author: null, date: null })
  expect(
    article('<p class="byline">By Ann Smith</p><time datetime="2025-12-01">then</time>'),
  ).toMatchObject({ author: 'Ann Smith', date: '2025-12-01' })
  for (const by of ['by', 'BY', ' By\n '])
    expect(article(`<p class="byline">${by} Rolf By Nilsen</p>`)).toMatchObject({
      author: 'Rolf By Nilsen',
    })
})

describe('the next page', () => {
  test.each([
    ['<a href="/list?page=2">Load more</a>', '/list?page=2'],
    ['<button class="more" data-url="/list?page=2">Show more results</button>', '/list?page=2'],
    ['<a href="#" hx-get="/list?after=abc" class="btn">Mehr laden</a>', '/list?after=abc'],
    ['<div role="button" data-next-url="/list/page/2">もっと見る</div>', '/list/page/2'],
    ['<link rel="next" href="/list/2">', '/list/2'],
    [
      '<div class="catPages1"><b>1</b> <a href="/list/2">2</a> <a href="/list/3">3</a></div>',
      '/list/2',
    ],
    ['<p class="more">1 | <a href="/list/2">2</a></p>', '/list/2'],
    ['<div class="page_next"><a href="/list/2">&lt; 次の記事</a></div>', '/list/2'],
    ['<p class=pages><b>1</b> <a href="?p=2">2</a> <a href="?p=3">3</a></p>', '/list/?p=2'],
    [
      '<ul class="pagination"><li class="prev"><a href="/list/0">‹</a></li>' +
        '<li class="active"><a href="#">1</a></li><li><a href="/list/2">2</a></li>' +
        '<li class="arrow"><a href="/list/2">›</a></li></ul>',
      '/list/2',
    ],
    ['<a href="/x?page=2" title="Nächste Seite - Ergebnis 31 bis 60">&gt;</a>', '/x?page=2'],
    [
      '<a href="/list/2" aria-label="Go to next page">→</a><a class="btn-next" href="/list/2">Load</a>',
      '/list/2',
    ],
    ['<nav><a href="/list/2">次へ</a></nav>', '/list/2'],
    ['<p>1 | <a href="/list-p2">2</a></p><p><a href="/list-p2">continued</a> »</p>', '/list-p2'],
    [
      `${['a', 'b', 'c', 'd'].map((name) => `<p><a href="/${name}">continued</a></p>`).join('')}` +
        '<a href="/list/b">Next</a>',
      '/list/b',
    ],
    ['<p><a href="/list/all?page=1">More upcoming events</a></p>', '/list/all?page=1'],
    [
      '<div class="pager"><button data-url="/list?page=1">1</button>' +
        '<button data-url="/list?page=2" aria-current="page">2</button>' +
        '<button data-url="/list?page=3">3</button></div>',
      '/list?page=3',
    ],
    [
      '<ul class="pages"><li><button disabled>1</button></li>' +
        '<li><button data-url="/list?page=2">2</button></li></ul>',
      '/list?page=2',
    ],
  ])('%s', (html, expected) => {
    const { found, result } = look(`<main>${html}</main>`)
    expect(found.next).toBeDefined()
    expect(result.links.map((link) => link.url)).toEqual([`https://a.example${expected}`])
  })

  test.each([
    '<a href="/a">Previous</a>',
    '<a class="slick-next" href="/x">Next</a>',
    '<a href="https://elsewhere.example/2">Next</a>',
    '<a href="#2">Next</a>',
    '<a href="/list/">Next</a>',
    '<a href="/offers">Show more</a>',
    '<a href="/offers?page=2">More offers</a>',
    '<a href="/offers?page=2">More events</a>',
    '<a href="/list/all?page=7">More events</a>',
    '<a href="/listing?page=2">More events</a>',
    '<a href="/list?page=4">More recent posts</a>',
    '<a href="/a">continued</a>',
    '<button data-url="/list?page=2">Buy</button>',
    '<button data-url="product-17">Load more</button>',
    '<p class="pages"><button data-url="/list?page=1">1</button><button data-url="/list?page=2">2</button></p>',
    '<a href="/b">What comes next for us</a>',
    '<ul><li class="date-next"><a href="/list/2026-04" title="Next month">»</a></li></ul>',
    '<p>Since 1999 <a href="/b">2000</a> people came</p>',
    '<p>next',
  ])('is not found: %s', (html) => {
    expect(look(`<main>${html}</main>`).found.next).toBeUndefined()
  })
})
