import { describe, expect, test } from 'vitest'
import { detect } from '../../../../src/engine/extract/auto.ts'

const url = 'https://a.example/page/'
const SENTENCE = 'The keeper of the light wrote down which ships went by, and what the wind did. '
const ARTICLE = '<meta property="og:type" content="article">'
const PROSE = `<p>${SENTENCE.repeat(8)}</p>`
const each = (length: number, make: (i: number) => string): string =>
  Array.from({ length }, (_, index) => make(index + 1)).join('\n')

function kindOf(main: string, head = ''): string {
  const html = `<!doctype html><html><head><title>A page</title>${head}</head><body><main>${main}</main>`
  return detect({ url, contentType: 'text/html', body: new TextEncoder().encode(html) }).kind
}

const jsonLd = (...data: readonly object[]): string =>
  data.map((one) => `<script type="application/ld+json">${JSON.stringify(one)}</script>`).join('')

const cards = (length: number): string =>
  `<ul>${each(
    length,
    (i) =>
      `<li class="card"><a href="/p/${i}"><img src="/i/${i}.jpg" alt=""><h3>Lamp ${i}</h3></a>` +
      `<span class="price">$${i}.50</span></li>`,
  )}</ul>`

describe('an article is not a list because of', () => {
  test('sections whose headings lead nowhere', () => {
    const section = (i: number): string =>
      `<div class="part"><h2>Part ${i}</h2><p>${SENTENCE.repeat(9)} <a href="/${i}">More</a></p></div>`
    expect(kindOf(each(4, section))).toBe('article')
    // With links to pages of their own, they are entries of a blog.
    const entry = (i: number): string =>
      `<div class="part"><h2><a href="/e/${i}">Part ${i}</a></h2><p>${SENTENCE.repeat(9)}</p></div>`
    expect(kindOf(each(6, entry))).toBe('list')
  })

  test('its sources', () => {
    const sources = (name: string): string =>
      `${PROSE}<ul>${each(
        30,
        (i) =>
          `<li class="${name}"><a href="/s/${i}">The title of source ${i}</a>, and its publisher</li>`,
      )}</ul>`
    expect(kindOf(sources('reference'))).toBe('article')
    expect(kindOf(sources('article-references__item'))).toBe('article')
    expect(kindOf(sources('entry'))).toBe('list')
    expect(kindOf(sources('field--type-entity-reference field__item'))).toBe('list')
    expect(kindOf(sources('type-entity-reference-item'))).toBe('list')
  })

  test('the comments of its readers, which are the content of a forum', () => {
    const comment = (i: number): string =>
      `<li class="comment"><b class="author">Keeper ${i}</b> <a href="#c${i}">` +
      `<time datetime="2026-01-0${i}">${i} January</time></a><p>${SENTENCE.repeat(4)}</p></li>`
    const comments = `<ol>${each(9, comment)}</ol>`
    expect(kindOf(`<article><h1>Light</h1>${PROSE}</article>${comments}`, ARTICLE)).toBe('article')
    expect(kindOf(`<h1>Which light?</h1><p>${SENTENCE}</p>${comments}`, ARTICLE)).toBe('list')
  })

  test('paragraphs with links in their sentences', () => {
    const paragraph = (i: number): string =>
      `<p>The harbour has a light, <a href="/l/${i}">number ${i}</a>, that nobody keeps any more.</p>`
    expect(kindOf(`<h1>Lights</h1>${each(9, paragraph)}`)).not.toBe('list')
    const entry = (i: number): string =>
      `<p><a href="/l/${i}">Light number ${i}</a> The harbour has a light that nobody keeps.</p>`
    expect(kindOf(`<h1>Lights</h1>${each(9, entry)}`)).toBe('list')
  })

  test('teasers, if it has more sentences of its own', () => {
    const teaser = (i: number): string =>
      `<div class="teaser"><h3><a href="/e/${i}">Entry ${i}</a></h3><p>${SENTENCE.repeat(3)}</p></div>`
    const page = (own: number): string => `<p>${SENTENCE.repeat(own)}</p>${each(8, teaser)}`
    expect(kindOf(page(32), ARTICLE)).toBe('article')
    expect(kindOf(page(14), ARTICLE)).toBe('list')
    expect(kindOf(`<article>${page(14)}</article>`, ARTICLE)).toBe('article')
  })

  test('few links beside much text', () => {
    const links = `<ul>${each(3, (i) => `<li><a href="/n/${i}">A story, number ${i}</a></li>`)}</ul>`
    expect(kindOf(`<article>${PROSE.repeat(2)}</article>${links}`)).toBe('article')
  })

  test('the way to the page, as JSON-LD', () => {
    const names = ['Home', 'Lights', 'Keepers', 'Stories']
    const trail = {
      '@type': 'BreadcrumbList',
      itemListElement: names.map((name, index) => ({
        '@type': 'ListItem',
        position: index + 1,
        name,
        item: `https://a.example/${index}`,
      })),
    }
    expect(kindOf('<h1>The light</h1><p>Short.', jsonLd(trail))).toBe('page')
    expect(kindOf('<h1>The light</h1>', jsonLd({ ...trail, '@type': 'ItemList' }))).toBe('list')
  })
})

test('sentences without paragraphs are an article, if the page says that it is one', () => {
  const lines = `<h1>The light</h1><div>${each(6, () => `${SENTENCE}<br><br>`)}</div>`
  expect(kindOf(lines, ARTICLE)).toBe('article')
  expect(kindOf(lines)).toBe('page')
  // A list that says so is still one.
  const teaser = (i: number): string =>
    `<div class="post"><h2><a href="/e/${i}">Entry ${i}</a></h2><div>${SENTENCE}</div></div>`
  expect(kindOf(each(9, teaser), ARTICLE)).toBe('list')
})

test('a table of a page that says it is an article is more than few sentences', () => {
  const rows = each(30, (i) => `<tr><td>${i}<td>Driver ${i}<td>${100 - i}`)
  const table = `<table><tr><th>Place<th>Name<th>Points${rows}</table>`
  expect(kindOf(`<h1>Standings</h1><p>${SENTENCE.repeat(3)}</p>${table}`, ARTICLE)).toBe('table')
})

describe('the product of a page is found', () => {
  const offers = { '@type': 'Offer', price: '9.50' }
  const product = { '@type': 'Product', name: 'Lamp', offers }

  test('by a type in lower case, and by its variants', () => {
    expect(kindOf(`<h1>Lamp</h1>${cards(10)}`, jsonLd({ ...product, '@type': 'product' }))).toBe(
      'product',
    )
    const group = { '@type': 'ProductGroup', hasVariant: [1, 2, 3, 4, 5].map(() => product) }
    expect(kindOf(`<h1>Lamp</h1>${cards(10)}`, jsonLd(group))).toBe('product')
    expect(kindOf(`<h1>Lamps</h1>${cards(10)}`, jsonLd(product, product, product, product))).toBe(
      'list',
    )
  })

  test('by what the page says to other sites', () => {
    const says = (type: string): string => `<meta property="og:type" content="${type}">`
    expect(kindOf(`<h1>Lamp</h1>${cards(10)}`, says('product'))).toBe('product')
    expect(kindOf(`<h1>Lamp</h1>${cards(40)}`, says('product'))).toBe('list')
    expect(kindOf(`<h1>Lamps</h1>${cards(10)}`, says('product.group'))).toBe('list')
    const amount = '<meta property="product:price:amount" content="9.50">'
    expect(kindOf(`<h1>Lamp</h1>${cards(10)}`, amount)).toBe('product')
    expect(kindOf(PROSE, amount + ARTICLE)).toBe('article')
  })

  test('but not in an article of a newspaper, which names its subscription', () => {
    const news = { '@type': 'NewsArticle', isPartOf: { '@type': ['CreativeWork', 'Product'] } }
    expect(kindOf(PROSE, jsonLd(news))).toBe('article')
  })
})

describe('a page that shows one product is not a list', () => {
  const product = `<h1>Oil lamp</h1><p class="price">$40.00</p><table>${each(
    9,
    (i) => `<tr><td>It lights the harbour for ${i} nights, in any wind and all rain.</td></tr>`,
  )}</table>`
  const others = (length: number): string =>
    `<ul>${each(length, (i) => `<li class="o"><a href="/o/${i}">Wick number ${i}</a></li>`)}</ul>`

  test('of others, which have little of its text', () => {
    expect(kindOf(product + others(4))).toBe('product')
    expect(kindOf(product + others(60))).toBe('list')
  })

  test('if its price is not in the list, and beside a heading', () => {
    const text = product.replace('<p class="price">$40.00</p>', '')
    expect(kindOf(text + others(4))).toBe('list')
    expect(kindOf(text + cards(4))).toBe('list')
    expect(kindOf(text + others(4) + '<p class="price">$40.00</p>')).toBe('list')
  })

  test('unless the list has columns of its own, and nothing can be bought beside it', () => {
    const buy = '<button>Add to cart</button>'
    expect(kindOf(product + cards(4))).toBe('list')
    expect(kindOf(product + buy + cards(4))).toBe('product')
    expect(kindOf(product + cards(4).replaceAll('</li>', `${buy}</li>`))).toBe('list')
    const jobs = each(
      8,
      (i) =>
        `<li class="job"><a href="/j/${i}">Keeper ${i}</a> <span class="place">Moor ${i}</span></li>`,
    )
    const pay = '<h1>Work</h1><p>We pay at least $4,000.00 a month</p>'
    expect(kindOf(`${pay}<div>${'<p>Come.</p>'.repeat(300)}</div><ul>${jobs}</ul>`)).toBe('list')
  })
})
