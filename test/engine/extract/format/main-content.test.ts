import { describe, expect, test } from 'vitest'
import { formatPage } from '../../../../src/engine/extract/format/format-page.ts'
import { PageContent } from '../../../../src/engine/extract/page/page-content.ts'

const prose = (topic: string): string =>
  `The ${topic} was known to all who lived there, and nobody wondered about it, although ` +
  `strangers, who came by boat, asked for it every summer before they left again.`
const paragraphs = (topic: string, count = 4): string =>
  Array.from({ length: count }, (_, index) => `<p>${prose(`${topic} ${index}`)}</p>`).join('')

function formatOf(
  format: 'text' | 'markdown',
  body: string,
  head = '',
  url = 'https://a.example/page',
): string {
  const page = {
    url,
    contentType: 'text/html; charset=utf-8',
    body: new TextEncoder().encode(
      `<!doctype html><html><head>${head}</head><body>${body}</body></html>`,
    ),
  }
  return String(formatPage(new PageContent(page), format) ?? '')
}
const textOf = (body: string): string => formatOf('text', body)

describe('the main content is found', () => {
  test('in the only child with most of the prose', () => {
    const text = textOf(
      `<div><div class="row"><div class="left"><p>${prose('teaser')}</p></div>` +
        `<div class="right"><div>${paragraphs('harbour', 8)}</div></div></div></div>`,
    )
    expect(text).toContain('harbour 7')
    expect(text).not.toContain('teaser')
  })

  test('in all sections if none has most of the prose', () => {
    const text = textOf(
      ['first', 'second', 'third']
        .map((one) => `<section>${paragraphs(one, 2)}</section>`)
        .join(''),
    )
    for (const one of ['first 0', 'second 1', 'third 1']) expect(text).toContain(one)
  })

  test('in a table cell of a layout', () => {
    const text = textOf(
      `<table><tr><td><p>${prose('column')}</p></td><td>${paragraphs('harbour', 8)}</td></tr></table>`,
    )
    expect(text).toContain('harbour 0')
    expect(text).not.toContain('column')
  })

  test('in an element that is named as an aside, if it has half of the text', () => {
    for (const tag of [
      'form',
      'div class="page-sidebar"',
      'div class="widget share"',
      'div style="display: none"',
    ]) {
      const text = textOf(`<${tag}>${paragraphs('harbour')}</${tag.split(' ')[0]}><p>Imprint</p>`)
      expect(text, tag).toContain('harbour 3')
    }
  })

  test.each([
    ['name', 'div class="cookie-consent"'],
    ['identifier', 'div id="onetrust-pc-sdk"'],
    ['attribute', 'div role="dialog" aria-modal="true"'],
  ])('never in a consent dialog, however long it is; it is known by its %s', (_, tag) => {
    const text = textOf(
      `<main><p>${prose('harbour')}</p></main><${tag}>${paragraphs('data', 9)}</div>`,
    )
    expect(text).toBe(prose('harbour'))
  })

  test('in an element whose class only says that a consent dialog is open', () => {
    expect(textOf(`<div class="cookie-banner-open">${paragraphs('harbour')}</div>`)).toContain(
      'harbour 3',
    )
  })

  test('in the whole page if prose is the smaller part of its text', () => {
    const facts = Array.from(
      { length: 40 },
      (_, index) => `<div>Berth ${index} for boats</div>`,
    ).join('')
    const text = textOf(
      `<main><div class="a">${paragraphs('harbour', 2)}</div><div class="b">${facts}</div></main>`,
    )
    expect(text).toContain('harbour 1')
    expect(text).toContain('Berth 39')
  })

  test('in a <noscript> with the page for readers without scripts', () => {
    const posts = `<div id="post">${paragraphs('harbour', 20)}</div>`
    const body = `<div id="app"><p>Loading</p></div><noscript><p>${prose('short')}</p></noscript>`
    expect(textOf(`${body}<noscript>${posts}</noscript>`)).toContain('harbour 19')
    const menu = `<nav><ul>${'<li><a href="/a">Some department of the shop</a>'.repeat(120)}</ul></nav>`
    expect(textOf(`${menu}<noscript>${posts}</noscript>`)).toContain('harbour 19')
    expect(
      textOf(`<main>${paragraphs('pier', 20)}</main><noscript>${posts}</noscript>`),
    ).not.toContain('harbour')
  })

  test('in a marked article beside longer lists of other pages', () => {
    const teaser = (i: number): string =>
      `<li><h4>Story ${i}</h4><p>What they saw there on day ${i}, told by them alone</p></li>`
    const others = Array.from({ length: 60 }, (_, index) => teaser(index)).join('')
    const text = textOf(`<article>${paragraphs('harbour', 6)}</article><ul>${others}</ul>`)
    expect(text).toContain('harbour 5')
    expect(text).not.toContain('Story')
  })

  test('never in a footer, however long', () => {
    const text = textOf(
      `<main>${paragraphs('harbour', 2)}</main><footer>${paragraphs('seller', 9)}</footer>`,
    )
    expect(text).toContain('harbour 1')
    expect(text).not.toContain('seller')
  })

  test('in Chinese like in other scripts', () => {
    const sentence = '港口的故事大家都知道，夏天坐船来的人也会问起它，然后又离开。'
    const text = textOf(
      `<div class="a"><p>Contact us by mail, or call us, or come by</p></div>` +
        `<div class="b"><p>${sentence}</p><p>${sentence}</p><p>${sentence}</p></div>`,
    )
    expect(text).toContain(sentence)
    expect(text).not.toContain('Contact')
  })

  test('on a page of links, with the links', () => {
    const links = Array.from(
      { length: 12 },
      (_, index) => `<li><a href="/${index}">Part ${index}</a></li>`,
    )
    expect(textOf(`<main><h1>Parts</h1><ul>${links.join('')}</ul></main>`)).toContain('Part 11')
  })
})

describe('an element that is marked as an aside', () => {
  test.each([
    ['a name', '<div class="newsletter">Left out</div>'],
    ['a role', '<div role="complementary">Left out</div>'],
    ['an attribute', '<div hidden>Left out</div>'],
    ['a style', '<div style="color:red; display:none">Left out</div>'],
    ["readers' comments", `<div id="comments">${paragraphs('Left out', 9)}</div>`],
  ])('by %s is left out', (_, html) => {
    const text = textOf(`<article>${paragraphs('harbour')}${html}</article>`)
    expect(text).toContain('harbour 3')
    expect(text).not.toContain('Left out')
  })

  test.each([
    ['a name about something else', '<div class="column has-sidebar no-banner">Stays</div>'],
    ['a part of React that a script moves', '<div hidden id="S:1a">Stays</div>'],
    ['a widget of a page builder', '<div class="elementor-widget-wrap widget">Stays</div>'],
  ])('%s stays', (_, html) => {
    expect(textOf(`<main>${paragraphs('harbour')}${html}</main>`)).toContain('Stays')
  })

  test('stays if it has comments and the page has nothing else', () => {
    const posts = `<div class="comment">${paragraphs('answer', 3)}</div>`.repeat(3)
    expect(textOf(`<h1>Question</h1><div id="comments">${posts}</div>`)).toContain('answer 2')
  })
})

describe('a part that a reader opens', () => {
  test.each([
    ['a tab', `<div role="tabpanel" aria-hidden="true" hidden>${paragraphs('panel', 2)}</div>`],
    [
      'a button',
      `<button aria-expanded="false" aria-controls="p0 p1">Size</button><div id="p1" style="display:none">${paragraphs('panel', 2)}</div>`,
    ],
    [
      'a tab that names it',
      `<a role="tab" aria-controls="p1">Size</a><div id="p1" hidden>${paragraphs('panel', 2)}</div>`,
    ],
  ])('by %s is content', (_, html) => {
    expect(textOf(`<main>${paragraphs('harbour')}${html}</main>`)).toContain('panel 1')
  })

  test('keeps its heading, if that is a button', () => {
    const question =
      '<h3><button aria-expanded="false">Is there a ferry?</button></h3>' +
      `<p>${prose('ferry')}</p><button>Send</button>`
    for (const format of ['text', 'markdown'] as const) {
      const text = formatOf(format, `<main>${paragraphs('harbour')}${question}</main>`)
      expect(text, format).toContain('Is there a ferry?')
      expect(text, format).not.toContain('Send')
    }
  })

  test('has no other button in its heading', () => {
    const parts =
      `<h2>Install <button>Copy link</button></h2>${paragraphs('rope', 2)}` +
      `<h2><span>Use it</span><button aria-label="Permalink">#</button></h2>${paragraphs('sail', 2)}` +
      `<h3><button>Save</button><button><svg></svg>Undo</button></h3>${paragraphs('oar', 2)}` +
      `<h3><button>Is it safe?</button> <i class="arrow"></i></h3>${paragraphs('tide', 2)}`
    for (const format of ['text', 'markdown'] as const) {
      const lines = formatOf(format, `<main>${paragraphs('harbour')}${parts}</main>`).split('\n')
      const short = lines
        .map((line) => line.replace(/^#+ /, ''))
        .filter(({ length }) => length < 40)
      expect(short.filter((line) => line !== '' && line !== '---')).toEqual([
        'Install',
        'Use it',
        'Is it safe?',
      ])
    }
  })

  const opens = (attributes: string): string =>
    `<button aria-controls="x" ${attributes}>Open</button>`
  const answer = paragraphs('answer', 2)
  test.each([
    [
      'is the one that an input names',
      `<input aria-controls="x"><div id="x" hidden>${answer}</div>`,
    ],
    ['is named by a button that opens nothing', `${opens('')}<div id="x" hidden>${answer}</div>`],
    [
      'is a tooltip',
      `${opens('aria-expanded="false"')}<div id="x" role="tooltip" hidden>${answer}</div>`,
    ],
    [
      'is a list box',
      `${opens('aria-expanded="false"')}<div id="x" role="listbox" hidden>${answer}</div>`,
    ],
    [
      'is a menu of languages',
      `${opens('aria-expanded="false"')}<ul id="x" hidden>${'<li>The answer'.repeat(20)}</ul>`,
    ],
    [
      'is an empty cart',
      `${opens('aria-expanded="false"')}<div id="x" aria-hidden="true" hidden><h2>Cart</h2><p>There is no answer in it.</p></div>`,
    ],
    [
      'is a note in a line',
      `<p>Rope ${opens('aria-expanded="false"')}<span id="x" hidden>${prose('answer')}</span></p>`,
    ],
  ])('is left out if it %s', (_, html) => {
    const text = textOf(`<main>${paragraphs('harbour', 6)}${html}${paragraphs('island')}</main>`)
    expect(text).toContain('island 3')
    expect(text).not.toContain('answer')
  })

  test('is left out if it lies over the page', () => {
    const dialog = `<div id="d" class="modal" hidden>${paragraphs('dialog', 1)}</div>`
    const text = textOf(
      `<main>${paragraphs('harbour')}<a aria-controls="d">Open</a></main>${dialog}`,
    )
    expect(text).not.toContain('dialog 0')
  })
})

describe('a name that most sections of a page have', () => {
  const page = (name: string): string =>
    `<main><p>${prose('harbour')}</p>${`<div class="${name}">${paragraphs('section', 2)}</div>`.repeat(3)}</main>`

  test('is that of content', () => {
    expect(textOf(page('promo'))).toContain('section 1')
  })

  test.each(['sidebar', 'related', 'newsletter', 'subscribe', 'share', 'promo sidebar'])(
    'is that of parts beside the content if it is %s',
    (name) => {
      expect(textOf(page(name))).toBe(prose('harbour'))
    },
  )

  test('is that of parts beside the content in an article, and if few elements have it', () => {
    const article = '<meta property="og:type" content="article">'
    expect(formatOf('text', page('promo'), article)).toBe(prose('harbour'))
    const two = ['promo', 'related'].map(
      (name) => `<div class="${name}">${paragraphs('side')}</div>`,
    )
    const short = `<main><h1>News</h1>${paragraphs('harbour', 3)}${two.join('')}</main>`
    expect(textOf(short)).not.toContain('side')
  })

  test('says that it lies over the page, and these are left out', () => {
    expect(textOf(page('popup'))).toBe(prose('harbour'))
  })
})

describe('a list', () => {
  const cards = Array.from(
    { length: 24 },
    (_, index) => `<div class="card"><a href="/p/${index}">Harbour lamp number ${index}</a></div>`,
  ).join('')

  test('of links that is much of the page stays, unless the page is an article', () => {
    const body = `<div>${cards}</div>${paragraphs('lamps', 6)}`
    const article = '<meta property="og:type" content="article">'
    expect(formatOf('text', `<main>${body}</main>`)).toContain('lamp number 23')
    expect(formatOf('text', `<main>${body}</main>`, article)).not.toContain('lamp number 23')
  })

  test('of texts has their titles, which are links', () => {
    const items = Array.from(
      { length: 6 },
      (_, index) =>
        `<article><div><h2><a href="/n/${index}">News number ${index}</a></h2></div>` +
        `<p>${prose(`news ${index}`)}</p></article>`,
    )
    expect(textOf(`<main>${items.join('')}</main>`)).toContain('News number 5')
  })

  test('of links with a text each stays in prose, one of links alone does not', () => {
    const list = (note: string): string =>
      `<ul>${['first', 'second', 'third'].map((one) => `<li><a href="/${one}">The long way to the ${one} pier of the town</a>${note}</li>`).join('')}</ul>`
    const within = (html: string): string =>
      textOf(`<article>${paragraphs('harbour', 4)}${html}${paragraphs('island', 4)}</article>`)
    expect(within(list(', open from May to June'))).toContain('third pier')
    expect(within(list(''))).not.toContain('third pier')
  })
})

describe('on a forum', () => {
  const page =
    `<article><h1>Which rope?</h1>${paragraphs('question', 3)}</article>` +
    `<div id="comments"><div class="comment">${paragraphs('answer', 9)}</div></div>`
  const type = (name: string): string =>
    `<script type="application/ld+json">{"@type":"${name}","name":"Which rope?"}</script>`
  const textAt = (url: string, head = ''): string => formatOf('text', page, head, url)

  test('comments are content, by its data', () => {
    expect(textAt('https://a.example/1', type('QAPage'))).toContain('answer 8')
    expect(textAt('https://a.example/1', type('BlogPosting'))).not.toContain('answer')
  })

  test.each(['https://forum.a.example/1', 'https://a.example/threads/which-rope.7/'])(
    'comments are content, by its address %s',
    (url) => {
      expect(textAt(url)).toContain('answer 8')
    },
  )

  test('facts about the author of a post are not content', () => {
    const posts = Array.from(
      { length: 5 },
      (_, index) =>
        `<div class="post"><div class="message-user"><h4>Ida</h4><p>Gold member</p></div>` +
        `<p>${prose(`post ${index}`)}</p></div>`,
    )
    const text = textOf(`<main>${posts.join('')}</main>`)
    expect(text).toContain('post 4')
    expect(text).not.toContain('Gold member')
  })
})

describe('text that occurs twice', () => {
  const part = `<h2>Care</h2><div>${paragraphs('rope', 2)}</div>`

  test('for wide and for narrow screens is kept once', () => {
    const text = textOf(`<main>${part}<div class="narrow">${part}</div></main>`)
    expect(text.split('\n').filter((line) => line === prose('rope 0'))).toHaveLength(1)
  })

  test('stays if new text is beside it', () => {
    const text = textOf(`<main>${part}<div>${paragraphs('rope', 3)}</div></main>`)
    expect(text.split('\n').filter((line) => line === prose('rope 0'))).toHaveLength(2)
  })

  test('stays in a quotation or in code', () => {
    const quote = `<blockquote><p>${prose('rope 0')}</p></blockquote>`
    expect(
      textOf(`<main>${part}${quote}</main>`)
        .split('\n')
        .filter((line) => line === prose('rope 0')),
    ).toHaveLength(2)
  })
})

describe('the title and the lead', () => {
  const page =
    `<main><div class="top"><nav>Home</nav><p>Section</p><h1>The harbour</h1>` +
    `<div class="info">12 May</div><div class="lead"><p>${prose('lead')}</p></div></div>` +
    `<div class="story">${paragraphs('harbour', 6)}</div>` +
    `<div class="next"><p>Another story</p></div></main>`

  test('are recognised: the text begins with the lead', () => {
    const lines = textOf(page).split('\n')
    expect(lines[0]).toBe(prose('lead'))
    expect(lines.at(-1)).toBe(prose('harbour 5'))
  })

  test('are recognised: Markdown also has the title', () => {
    expect(formatOf('markdown', page).split('\n')[0]).toBe('# The harbour')
  })

  test('keep a table between them and the text', () => {
    const table = '<table><tr><td>Rope</td><td>3 m</td></tr></table>'
    const text = textOf(
      `<main><div><h1>The harbour</h1><p>12 May</p>${table}</div><div>${paragraphs('harbour', 6)}</div></main>`,
    )
    expect(text).toContain('Rope')
    expect(text).not.toContain('12 May')
  })

  test('are not a heading that was never closed', () => {
    expect(textOf(`<h1>The harbour${paragraphs('harbour')}`)).toContain('harbour 3')
  })

  test('may be a lead before the text of a marked article without a title', () => {
    const text = textOf(
      `<article><div><p>${prose('lead')}</p></div><div>${paragraphs('harbour', 6)}</div></article>`,
    )
    expect(text.split('\n')[0]).toBe(prose('lead'))
  })
})

describe('in prose', () => {
  const within = (html: string): string =>
    textOf(`<article>${paragraphs('harbour', 3)}${html}${paragraphs('island', 3)}</article>`)

  test('a block of links is left out with its heading', () => {
    const text = within(
      '<h3>More about it</h3><div><a href="/a">One story</a> <a href="/b">Two stories</a></div>',
    )
    expect(text).not.toContain('stories')
    expect(text).toContain('island 2')
  })

  test('a heading that has text as well stays', () => {
    const text = within(
      `<h3>The pier</h3><div><a href="/a">One</a> <a href="/b">Two</a></div><p>${prose('pier')}</p>`,
    )
    expect(text).toContain('The pier')
  })

  test('a paragraph with a link stays', () => {
    expect(within('<p>See <a href="/a">the list of all piers</a></p>')).toContain('all piers')
  })

  test.each([
    'Related:',
    'Read also:',
    '>> Lesen Sie auch:',
    'Lire aussi :',
    'Te puede interesar:',
  ])('a line that only links to another page is left out: %s', (label) => {
    const text = within(`<p>${label} <a href="/a">All the piers of the north coast</a></p>`)
    expect(text).not.toContain('piers of the north')
    expect(within(`<p>${label} ${prose('pier')} <a href="/a">All</a></p>`)).toContain('pier was')
  })

  test.each([
    'byline',
    'post-meta',
    'related-posts',
    'share-bar',
    'author-box',
    'reviews',
    'copyright',
  ])('an element with the name %s is left out', (name) => {
    expect(within(`<div class="${name}">Left out</div>`)).not.toContain('Left out')
  })

  test('a name that most of the content has does not count', () => {
    const posts = Array.from(
      { length: 8 },
      (_, index) => `<div class="post author-ida"><p>${prose(`post ${index}`)}</p></div>`,
    )
    expect(textOf(`<main>${posts.join('')}</main>`)).toContain('post 7')
  })

  test('code, tables, lists, captions and notes stay', () => {
    const text = within(
      '<pre>let a = 1</pre><table><tr><td>Oslo</td><td>3</td></tr></table><ul><li>rope</li></ul>' +
        '<figure><img src="a.png"><figcaption>The pier at dawn</figcaption></figure>' +
        '<p id="fn1">1. A note</p>',
    )
    for (const one of ['let a = 1', 'Oslo', 'rope', 'The pier at dawn', '1. A note'])
      expect(text).toContain(one)
  })
})

describe('the page of a product', () => {
  const product = { '@type': 'Product', name: 'Lamp' }
  const ld = (data: unknown): string =>
    `<script type="application/ld+json">${JSON.stringify(data)}</script>`
  const about = `<div class="about">${paragraphs('lamp', 3)}</div>`
  const reviews = `<div class="customer-reviews">${paragraphs('buyer', 8)}</div>`
  const read = (body: string, head: string): string => formatOf('text', body, head)

  test.each([
    ['by its data', ld(product)],
    ['by its data in a graph', ld({ '@graph': [{ '@type': 'WebPage' }, product] })],
    ['by its variants', ld({ '@type': 'ProductGroup' })],
    ['by what it says to other sites', '<meta property="og:type" content="product">'],
  ])('has no reviews: %s', (_, head) => {
    const text = read(about + reviews, head)
    expect(text).toContain('lamp 2')
    expect(text).not.toContain('buyer')
  })

  test.each([
    ['of an article about it', ''],
    ['of a list', ld([product, product])],
    ['of a list, as it says', '<meta property="og:type" content="product.group">'],
  ])('keeps them on the page %s', (_, head) => {
    expect(read(about + reviews, head)).toContain('buyer 7')
  })

  test('keeps them if they are nearly all of it', () => {
    expect(read(`<h1>Lamp</h1>${reviews}`, ld(product))).toContain('buyer 7')
    const long = `<div class="reviews">${paragraphs('buyer', 40)}</div>`
    expect(read(`<div>${paragraphs('lamp', 2)}</div>${long}`, ld(product))).toContain('buyer 39')
  })
})
