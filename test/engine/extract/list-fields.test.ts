import { atOnce } from '../../../src/engine/extract/page/in-turns.ts'
import { describe, expect, test } from 'vitest'
import { detectAllParts } from '../../../src/engine/extract/auto.ts'
import { PageContent } from '../../../src/engine/extract/page/page-content.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { each, found, LIST_URL as url } from '../../support/found-list.ts'

const WORDS = 'Some thirty words about this matter, written by a person who has seen it'

describe('the title of an item', () => {
  test('is not a text that all items have', () => {
    const { first } = found(
      each(
        8,
        (i) =>
          `<div class="card"><h4>View details</h4><a href="/p/${i}"><img src="/blank.gif">` +
          `<h2>Pen ${i}</h2></a><p>${WORDS} ${i}</p></div>`,
      ),
    )
    expect(first).toEqual({
      title: 'Pen 1',
      url: 'https://a.example/p/1',
      description: `${WORDS} 1`,
    })
  })

  test('is the heading of the highest level, and not the number of an article', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<div class="card"><h4>Source ${i % 2}</h4><h3><a href="/n/${i}">News ${i}` +
          ` of today</a></h3><h2 class="item-sku">No. ${i}</h2><p>${WORDS} ${i}</p></div>`,
      ),
    )
    expect(first).toMatchObject({ title: 'News 1 of today', url: 'https://a.example/n/1' })
  })

  test('is whole where its text is cut, and its link says the rest', async () => {
    const name = (i: number): string => `A long name of the thing with number ${i}, in full`
    const cases: readonly (readonly [string, (text: string, i: number) => string])[] = [
      ['in the link', (text, i) => `<h3><a href="/p/${i}" title="${name(i)}">${text}</a></h3>`],
      [
        'in a heading with a date',
        (text, i) => `<h3><i>New</i><a href="/p/${i}" title="${name(i)}">${text}</a></h3>`,
      ],
      [
        'around the heading',
        (text, i) => `<a href="/p/${i}" title="${name(i)}"><h3>${text}</h3></a>`,
      ],
    ]
    const fails = await failingCases(
      cases,
      ([where]) => where,
      ([, make]) => {
        const { rows } = found(
          each(
            6,
            (i) =>
              `<div class="card">${make(i % 2 === 0 ? name(i) : `${name(i).slice(0, 20)}…`, i)}` +
              `<p>${WORDS} ${i}</p></div>`,
          ),
        )
        expect(rows.map(({ title }) => title)).toEqual([1, 2, 3, 4, 5, 6].map(name))
      },
    )
    expect(fails).toEqual([])
  })

  test('is in the link of a picture where the only text is a day', () => {
    const picture = (title: (i: number) => string) =>
      found(
        each(
          6,
          (i) =>
            `<div class="card"><div class="day">March ${i + 10}, 2026</div>` +
            `<a href="/c/${i}" title="${title(i)}"><img src="/i/${i}.png" alt=""></a></div>`,
        ),
      ).first
    expect(picture((i) => `Lights of harbour ${i}`)).toMatchObject({
      title: 'Lights of harbour 1',
      date: '2026-03-11',
      url: 'https://a.example/c/1',
    })
    expect(picture(() => 'Open the picture')).toMatchObject({ title: 'March 11, 2026' })
    const { first } = found(
      each(6, (i) => `<p><a href="/c/${i}" title="Tide number ${i}">March ${i + 10}, 2026</a></p>`),
    )
    expect(first).toMatchObject({ title: 'March 11, 2026' })
  })

  test('is its text where the link says something else', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<div class="card"><h3><a href="/p/${i}" title="Open ${i}">Thing number ${i} and…</a></h3>` +
          `<p>${WORDS} ${i}</p></div>`,
      ),
    )
    expect(first).toMatchObject({ title: 'Thing number 1 and…' })
  })

  test('is the name of a product, not its brand', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<li itemprop="itemListElement"><h2 itemprop="brand"><a href="/b/${i % 3}">Brand ` +
          `${i % 3}</a></h2><h3 itemprop="name"><a href="/p/${i}">Jacket ${i}` +
          `</a></h3><span itemprop="price">${i}9,95</span></li>`,
      ),
    )
    expect(first).toMatchObject({
      title: 'Jacket 1',
      url: 'https://a.example/p/1',
      brand: 'Brand 1',
      price: 19.95,
    })
  })

  test('is the link in an element that is named as a title, without the date beside it', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<li class="teaser"><div class="headline"><span>${i} days ago</span><a href="/n/` +
          `${i}">A headline of some length ${i}</a><p>${WORDS} ${i}</p></div></li>`,
      ),
    )
    expect(first).toMatchObject({
      title: 'A headline of some length 1',
      description: `${WORDS} 1`,
    })
  })

  test('is the link without a picture, if two links lead to the same page', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<li class="cell"><div><a class="ref" href="/p/${i}"><img src="/i/${i}` +
          `.jpg"></a></div><div><a class="ref" href="/p/${i}">Kettle number ${i}` +
          '</a></div></li>',
      ),
    )
    expect(first).toMatchObject({ title: 'Kettle number 1', url: 'https://a.example/p/1' })
  })
})

describe('the price of an item', () => {
  test('is neither a price that is struck out nor a saving', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<div class="card"><h2><a href="/p/${i}">Lamp number ${i}</a></h2><div ` +
          `class="prices"><del><span>$9${i}.00</span></del><span class="price price--now">` +
          `<span>$5${i}.50</span></span></div></div>`,
      ),
    )
    expect(first).toMatchObject({ price: 51.5 })
  })

  test('has its raised cents, and not a dash of the words before it', () => {
    const { first, second } = found(
      each(
        6,
        (i) =>
          `<div class="card"><h2><a href="/p/${i}">Lamp number ${i}</a></h2><span ` +
          `class="price">${i % 2 ? `$1,23${i}<sup>99</sup>` : `From - $${i}0`}</span></div>`,
      ),
    )
    expect([first?.['price'], second?.['price']]).toEqual([1_231.99, 20])
  })

  test('is found by the class that a build tool made of its name', () => {
    const { first, extract } = found(
      each(
        6,
        (i) =>
          `<div class="card"><h2><a href="/p/${i}">Lamp number ${i}</a></h2>` +
          `${i % 2 ? '<span>New</span>' : ''}<div class="Card_price__x6Dx1"><span>$5${i}` +
          '</span></div></div>',
      ),
    )
    expect(first).toMatchObject({ price: 51 })
    expect(JSON.stringify(extract.fields['price'])).toContain('[class*=Card_price__]')
  })
})

describe('the date of an item', () => {
  const dated = (date: string) =>
    found(
      each(
        6,
        (i) =>
          `<div class="card"><h2><a href="/p/${i}">Lamp number ${i}</a></h2>${date.replaceAll('@', String(i))}</div>`,
      ),
    ).first

  test('is neither a time of day nor the code of an article, and comes from an element that can be read', () => {
    expect(dated('<time>10:0@ in the morning</time>')).not.toHaveProperty('date')
    expect(dated('<span itemprop="gtin12">451388602856@</span>')).not.toHaveProperty('date')
    expect(dated('<abbr title="2015-06-0@T20:38:00Z">20:38</abbr>')).toMatchObject({
      date: '2015-06-01T20:38:00Z',
    })
    expect(dated('<meta itemprop="datePublished" content="2015-06-0@">')).toMatchObject({
      date: '2015-06-01',
    })
  })
})

describe('posts', () => {
  const post = (i: number, attributes: string) =>
    `<article ${attributes}><div class="side"><h4 class="username"><a href="/members/` +
    `${i % 4}">Person ${i % 4}</a></h4></div><div class="main"><a href="/t/1#p${i}` +
    `"><time datetime="2026-01-0${i}">January ${i}</time></a><div class="body">${WORDS} ` +
    `${i}. ${WORDS}.</div></div></article>`

  test('have an author, a permanent link, a date and a text, and no title', () => {
    const { first, rows } = found(each(6, (i) => post(i, 'class="post"')))
    expect(rows).toHaveLength(6)
    expect(first).toEqual({
      author: 'Person 1',
      url: 'https://a.example/t/1',
      date: '2026-01-01',
      text: `${WORDS} 1. ${WORDS}.`,
    })
  })

  test('are not read as lists of their columns', () => {
    const columns = (i: number): string =>
      post(i, 'class="post"')
        .replace('class="side"', 'class="cell side"')
        .replace('class="main"', 'class="cell main"')
        .replace(`${WORDS}.`, `${WORDS}. `.repeat(12))
    const { rows, first } = found(`<div class="thread">${each(6, columns)}</div>`)
    expect(rows).toHaveLength(6)
    expect(first).toMatchObject({ author: 'Person 1', date: '2026-01-01' })
  })

  test('are posts also if they quote others under a heading', () => {
    const quoting = (i: number): string =>
      post(i, 'class="post"').replace(
        'class="body">',
        `class="body"><blockquote><div class="quote-title">Person ${i} said:</div>So it is.</blockquote>`,
      )
    const { first } = found(each(6, quoting))
    expect(first).not.toHaveProperty('title')
    expect(first).toMatchObject({ author: 'Person 1', date: '2026-01-01' })
  })

  test('count as the content if they are marked as comments', () => {
    const { rows } = found(
      '<main><h1>A topic</h1><ul class="comments">' +
        each(8, (i) => post(i % 9, `class="item" id="comment_${i}"`).replaceAll('article', 'li')) +
        '</ul></main>',
    )
    expect(rows).toHaveLength(8)
  })

  test("are one list, whatever the classes of the first author's posts", () => {
    const { rows } = found(
      '<main><ul>' +
        each(9, (i) =>
          post(i, `itemprop="comment" class="${i % 2 ? 'owner-post' : 'pt-4'}"`).replaceAll(
            'article',
            'li',
          ),
        ) +
        '</ul></main>',
    )
    expect(rows).toHaveLength(9)
  })
})

describe('the list of a page', () => {
  const card = (i: number) =>
    `<div class="col"><h3><a href="/n/${i}">News of day ${i}</a></h3><p>${WORDS}, and what came of it ${i}.</p></div>`

  test('leaves out items with neither a title nor a link', () => {
    const { rows, first } = found(
      `<main><div class="col"><p>${WORDS}.</p></div>${each(9, card)}</main>`,
    )
    expect(rows).toHaveLength(9)
    expect(first).toMatchObject({ title: 'News of day 1' })
  })

  test('comes before the article that the page is marked as', () => {
    const says = '<meta property="og:type" content="article">'
    expect(found(`<main>${each(9, card)}</main>`, says)).toMatchObject({ kind: 'list' })
    const sections = each(9, (i) => card(i).replace(/<a [^>]*>|<\/a>/g, ''))
    expect(found(`<main>${sections}</main>`, says)).toMatchObject({ kind: 'article' })
  })

  test('is not the layout around the content', () => {
    const { rows } = found(
      `<div>${each(6, card)}</div><div><h2>Roll</h2><a href="/r">${WORDS}</a></div><div>` +
        `<h2>Foot</h2><a href="/f">${WORDS}</a></div>`,
    )
    expect(rows).toHaveLength(6)
  })

  test('may have equal titles, if nothing else names its items', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<div class="card"><a href="/p/${i}"><img src="/i/${i}.jpg"></a><h3><a href="/p/` +
          `${i}">Spectacles</a></h3><b class="price">$${i}0</b></div>`,
      ),
    )
    expect(first).toMatchObject({ title: 'Spectacles', url: 'https://a.example/p/1' })
  })

  test('comes before the single product that a shop states for all items, and before a calendar', () => {
    const goods = (count: number): string =>
      each(
        count,
        (i) =>
          `<li class="tile"><a class="name" href="/p/${i}">Barbecue ${i}</a><span class="price">$${i}99</span></li>`,
      )
    const state =
      '<script type="application/ld+json">{"@type":"Product","name":"Barbecues","offers":{"price":99}}</script>'
    expect(found(`<main><ul>${goods(40)}</ul></main>`, state)).toMatchObject({ kind: 'list' })
    expect(found(`<main><ul>${goods(12)}</ul></main>`, state)).toMatchObject({ kind: 'product' })
    const days = each(
      5,
      (week) => `<tr>${each(7, (day) => `<td>${(week - 1) * 7 + day}</td>`)}</tr>`,
    )
    const month = `<table><tr>${each(7, (day) => `<th>D${day}</th>`)}</tr>${days}</table>`
    expect(found(`<main><ul>${goods(8)}</ul>${month}</main>`)).toMatchObject({ kind: 'list' })
  })

  test('is proposed once', () => {
    const rows = [8, 2].map((length) => `<div class="row">${each(length, card)}</div>`).join('')
    const body = new TextEncoder().encode(`<main>${rows}</main>`)
    const content = new PageContent({ url, contentType: 'text/html', body })
    const items = atOnce(detectAllParts(content)).map(({ extract }) => extract.items)
    expect(items.filter((one) => one === '.col')).toEqual(['.col'])
  })

  test('comes before a guide to the goods', () => {
    const goods = each(
      8,
      (i) =>
        `<li class="tile"><a class="name" href="/p/${i}">Espresso machine ${i}` +
        `</a><span class="price">$${i}99</span></li>`,
    )
    const guide = each(20, (i) => `<p>${WORDS}. ${WORDS}. Answer ${i}.</p>`)
    expect(found(`<main><ul>${goods}</ul><div>${guide}</div></main>`)).toMatchObject({
      kind: 'list',
      rows: { length: 8 },
    })
  })
})

test('a value has no label that stands before it in all items', () => {
  const list = (sku: (index: number) => string): string =>
    each(
      6,
      (i) =>
        `<div class="card"><a href="/p/${i}"><h3>Espresso machine ${i}</h3></a>` +
        `<span class="category">分类：machines ${i}</span><b class="sku">${sku(i)}</b><p>${WORDS}</p></div>`,
    )
  expect(found(list((i) => `Item number: EM-${i}`)).first).toMatchObject({
    sku: 'EM-1',
    category: 'machines 1',
  })
  expect(found(list((i) => `Artikelnummer: EM-${i}`)).first).toMatchObject({ sku: 'EM-1' })
  // The common start of all values may be a part of them.
  expect(found(list((i) => `Star Wars: R${i}`)).first).toMatchObject({ sku: 'Star Wars: R1' })
  const differing = list((i) => (i === 3 ? 'EM: 3' : `Item number: EM-${i}`))
  expect(found(differing).first).toMatchObject({ sku: 'Item number: EM-1' })
})

describe('a description in no element of its own', () => {
  const BLURB = `${WORDS}, and who tells it to everybody`
  const cells = (text: (index: number) => string): string =>
    `<table>${each(
      8,
      (i) => `<tr><td><b><a href="/p/${i}">Pen number ${i}</a></b><br>${text(i)}<br>Old</td></tr>`,
    )}</table>`

  test('is the long text beside the others', () => {
    expect(found(cells((i) => `${BLURB} ${i}`)).first).toEqual({
      title: 'Pen number 1',
      url: 'https://a.example/p/1',
      description: `${BLURB} 1`,
    })
    const item = each(6, (i) => `<li><a href="/p/${i}">Pen ${i}</a>\n  ${BLURB} ${i}</li>`)
    expect(found(`<ul>${item}</ul>`).first).toMatchObject({ description: `${BLURB} 1` })
  })

  test('is not a short text, and not one that most items share', () => {
    expect(found(cells((i) => `Made of steel ${i}`)).first).not.toHaveProperty('description')
    expect(found(cells(() => BLURB)).first).not.toHaveProperty('description')
    const few = cells((i) => (i < 4 ? `${BLURB} ${i}` : 'New'))
    expect(found(few).first).not.toHaveProperty('description')
  })

  test('does not replace one that has an element', () => {
    const both = cells((i) => `<p>${WORDS} ${i}</p>${BLURB} ${i}`)
    expect(found(both).first).toMatchObject({ description: `${WORDS} 1` })
  })
})
