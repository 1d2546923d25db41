import { describe, expect, test } from 'vitest'
import { madeAs } from '../../../src/engine/extract/auto/item-elements.ts'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { parseTree } from '../../../src/engine/extract/tree/parse-tree.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { each, found } from '../../support/found-list.ts'

const WORDS = 'Some thirty words about this matter, written by a person who has seen it'
/** The first row of a list whose items have a title and something else; `@` is their number. */
const withParts = (parts: string, lang = '') =>
  found(
    each(
      6,
      (i) =>
        `<li class="entry"><h3><a href="/t/${i}">Topic number ${i}</a></h3>` +
        `${parts.replaceAll('@', String(i))}</li>`,
    ),
    '',
    lang,
  ).first

describe('numbers with a word', () => {
  test('are columns, wherever the word stands', async () => {
    const cases: readonly (readonly [string, Record<string, number>])[] = [
      ['<b>1@ replies</b><b>20@ views</b>', { replies: 11, views: 201 }],
      ['<ul><li>Replies: 1@</li><li>Views: 340@</li></ul>', { replies: 11, views: 3401 }],
      [
        '<dl><dt>Antworten</dt><dd>1@</dd></dl><dl><dt>Aufrufe:</dt><dd>9@</dd></dl>',
        { replies: 11, views: 91 },
      ],
      [
        '<i class="n">0 <dfn>R\u00e9ponses</dfn></i><i class="v">8@ <dfn>Vus</dfn></i>',
        { replies: 0, views: 81 },
      ],
      ['<b class="comment-count">1@</b>', { comments: 11 }],
      ['<a class="c" href="/t/@#comments">1@</a>', { comments: 11 }],
      ['<b>Topics: @</b><b>Posts: 7@</b>', { topics: 1, posts: 71 }],
      ['<span class="reviewcount">4@</span>', { reviews: 41 }],
    ]
    const fails = await failingCases(
      cases,
      ([parts]) => parts,
      ([parts, expected]) => {
        const row = withParts(parts)
        expect(row).toMatchObject(expected)
        expect(Object.keys(row ?? {})).toHaveLength(2 + Object.keys(expected).length)
      },
    )
    expect(fails).toEqual([])
  })

  test('are not columns if a sign would make them negative', () => {
    expect(withParts('<b class="reviews">(1@)</b>')).not.toHaveProperty('reviews')
    expect(withParts('<div class="m">- 1@ comments</div>')).not.toHaveProperty('comments')
  })

  test('have their thousands grouped, whatever the page says of its language', async () => {
    const cases: readonly (readonly [string, Record<string, number | string>])[] = [
      ['<b>1,23@ views</b>', { views: 1_231 }],
      ['<b>1.23@ Aufrufe</b>', { views: 1_231 }],
      ['<b class="views">1,23@</b>', { views: 1_231 }],
      ['<b class="views">1.23@</b>', { views: 1_231 }],
      ['<b>1@ replies · 1,23@ views</b>', { replies: 11, views: 1_231 }],
      ['<b class="views">1@K</b>', { views: '11K' }],
      // Nothing says whether a distance of `1,231` is more than a thousand.
      ['<b class="distance">1,23@</b>', { distance: '1,231' }],
    ]
    const fails = await failingCases(
      cases,
      ([parts]) => parts,
      ([parts, columns]) => expect(withParts(parts)).toMatchObject(columns),
    )
    expect(fails).toEqual([])
  })

  test('without a word stay as they are written, whatever the sign in them may be', () => {
    const distances = (all: readonly string[]) =>
      found(
        each(
          6,
          (i) =>
            `<li class="entry"><h3><a href="/t/${i}">Place number ${i}</a></h3>` +
            `<b class="distance">${all[i - 1]}</b></li>`,
        ),
      ).rows.map(({ distance }) => distance)
    const all = [
      ['12', '987', '1,234', '12,345', '7', '2,000'],
      ['3.875', '4', '3.625', '2.750', '3', '4.125'],
      ['1.250 l', '1.500 l', '2 l', '1.750 l', '3 l', '2.125 l'],
      ['1,234', '12,345', '2,000', '4,321', '1,000', '2,222'],
    ]
    for (const unknown of all) expect(distances(unknown)).toEqual(unknown)
    const proved = ['12', '987', '1,234', '1,012,345', '7', '2,000']
    expect(distances(proved)).toEqual([12, 987, 1_234, 1_012_345, 7, 2_000])
  })

  test('that a person is paid are a salary, and no price', () => {
    expect(withParts('<b class="salary">€4@,000 – €5@,000</b>')).toMatchObject({
      salary: '€41,000 – €51,000',
    })
  })

  test('of a person who wrote a post are not columns of the post', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<article class="post"><a class="username" href="/members/${i}">Person ${i}</a>` +
          `<b>Posts: ${i}00</b><div class="body">${WORDS} ${i}. ${WORDS}.</div></article>`,
      ),
    )
    expect(first).toMatchObject({ author: 'Person 1' })
    expect(first).not.toHaveProperty('posts')
  })
})

describe('the date of an item', () => {
  test('may be in a line that says who wrote it, in the language of the page', () => {
    const line = '<p>Publicado el @ de marzo de 2016 por Una Persona</p>'
    expect(withParts(`${line}<p>${WORDS} @</p>`, ' lang="es"')).toMatchObject({
      date: '2016-03-01',
      description: `${WORDS} 1`,
    })
  })

  test('may be counted from the visit', () => {
    expect(withParts('<p>@ days ago</p>')).toMatchObject({ date: '2026-03-19' })
    expect(withParts('<p>1@ stars today</p>')).not.toHaveProperty('date')
    expect(withParts('<p>in @ days</p>')).not.toHaveProperty('date')
    expect(withParts('<p>at 10:2@</p>')).not.toHaveProperty('date')
  })

  test('has the order of day and month that its column tells, else stays as it is written', () => {
    const dated = (dates: readonly string[]) =>
      found(
        each(
          dates.length,
          (i) =>
            `<li><h3><a href="/n/${i}">News number ${i}</a></h3><p>${WORDS} ${i}</p>` +
            `<span class="when">${dates[i - 1] ?? ''}</span></li>`,
        ),
      ).rows.map(({ date }) => date)
    const clear = ['11-02-2024', '11-05-2024', '11-29-2024', '12-01-2024']
    expect(dated(clear)).toEqual(['2024-11-02', '2024-11-05', '2024-11-29', '2024-12-01'])
    expect(dated(['02/11/2024', '29/11/2024', '05/11/2024'])).toEqual([
      '2024-11-02',
      '2024-11-29',
      '2024-11-05',
    ])
    const unclear = ['11-02-2024', '11-05-2024', '12-01-2024']
    expect(dated(unclear)).toEqual(unclear)
    const torn = ['11-29-2024', '29-11-2024', '12-01-2024']
    expect(dated(torn)).toEqual(torn)
  })

  test('is that of the title, where the text is rough', () => {
    expect(withParts('<span title="2/2@/2024 5:00:00 AM">2 years ago</span>')).toMatchObject({
      date: '2024-02-21T05:00:00',
    })
  })

  test('is not a date in the words of its title', () => {
    const { first } = found(
      each(6, (i) => `<li><h3><a href="/n/${i}">News of 1${i} March 2026</a></h3></li>`),
    )
    expect(first).toEqual({ title: 'News of 11 March 2026', url: 'https://a.example/n/1' })
  })
})

describe('the columns of an item', () => {
  test('do not say its title twice', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<div class="card"><a href="/p/${i}"><b class="title"><p><span>${WORDS}</span> ${i}` +
          '</p></b></a></div>',
      ),
    )
    expect(first).toEqual({ title: `${WORDS} 1`, url: 'https://a.example/p/1' })
  })

  test('take the reduced price first, and the only price where there is one', () => {
    const { rows } = found(
      each(8, (i) => {
        const prices =
          i % 4 === 2
            ? `<p class="old-price"><b class="price">$5${i}.00</b></p><p class="special-price">` +
              `<b class="price">$3${i}.00</b></p>`
            : `<p class="regular"><b class="price">$4${i}.00</b></p>`
        return `<div class="card"><h2><a href="/p/${i}">Lamp number ${i}</a></h2>${prices}</div>`
      }),
    )
    expect(rows.map(({ price }) => price)).toEqual([41, 32, 43, 44, 45, 36, 47, 48])
  })

  test('say a title without the source and the number beside it', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<div class="card"><h2><span><a href="/n/${i}">News that has a title ${i}</a> <a ` +
          `href="https://b.example/${i}">(b.example)</a></span><b>${i}7</b></h2><p>${WORDS}</p></div>`,
      ),
    )
    expect(first).toMatchObject({ title: 'News that has a title 1', url: 'https://a.example/n/1' })
  })

  test('have the price whose sign is an element of its own, and not the one that is crossed', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<div class="card"><h2><a href="/p/${i}">Lamp number ${i}</a></h2><p class="cross-price">` +
          `was <i>9${i}.00</i> EUR</p><a class="buy" href="/buy/${i}"><b>5${i}.95 <i>EUR</i></b></a></div>`,
      ),
    )
    expect(first).toMatchObject({ price: 51.95 })
  })
})

describe('the columns of an item with classes of a build tool', () => {
  test('are named by what the tests of the site find', () => {
    const { first, extract } = found(
      each(
        6,
        (i) =>
          `<li class="xQ7"><a class="dBj29YaudGjV80UCeSh" href="/p/${i}"><span class="nL0nEPe34KFnc">` +
          `<span data-test="product-brand">Maker ${i}</span><span data-test="product-title">Pen ` +
          `for letters ${i}</span></span></a><div><span data-test="full-price">$${i}.50</span></div></li>`,
      ),
    )
    expect(first).toEqual({
      title: 'Pen for letters 1',
      url: 'https://a.example/p/1',
      price: 1.5,
      brand: 'Maker 1',
    })
    expect(extract.fields['title']).toBe('[data-test=product-title]')
  })
})

test('names that tests have for each item on its own leave a list as it is', async () => {
  const row = { title: 'Link number 1', url: 'https://a.example/l/1', description: `${WORDS} 1` }
  const cards = (hooks: readonly string[], named: string): string =>
    hooks
      .map(
        (hook, i) =>
          `<div class="card"><a${named} data-testid="link-${hook}" href="/l/${i + 1}">Link number ` +
          `${i + 1}</a><p${named} data-testid="${hook}">${WORDS} ${i + 1}</p></div>`,
      )
      .join('\n')
  const colours = ['red', 'blue', 'green', 'white', 'black', 'pink', 'gold', 'grey']
  const fails = await failingCases(
    [
      cards(colours, ''),
      cards(
        colours.map((_, i) => `text-${i}`),
        '',
      ),
      cards(colours, ' class="part"'),
    ],
    (body) => body.slice(0, 60),
    (body) => {
      expect(found(body).rows).toHaveLength(8)
      expect(found(body).first).toEqual(row)
    },
  )
  expect(fails).toEqual([])
})

test('items are made alike, whatever number is in the names that tests have for their parts', () => {
  const budget = new PageBudget()
  const item = (i: number): string =>
    `<li><a data-testid="link-${i}">a</a><p data-qa="p-${i}">b</p>`
  const { elements } = parseTree(`<ul>${each(2, item)}</ul>`, false, budget)
  const [first, second] = elements.filter(({ name }) => name === 'li')
  expect(first && second && madeAs(first, budget)(second)).toBe(true)
})

test('the price of a heading is the amount behind the name, whatever number is in it', async () => {
  const cases = [
    ['Phone 1@ Pro', '$719.00', 719],
    ['Phone 1@ Pro', '719,50 \u20ac', 719.5],
    ['Phone 1@ Pro', '\u20ac 5.50 \u2013 \u20ac 90.00', 5.5],
    ['Phone', '1 719,00 kr', 1719],
  ] as const
  const fails = await failingCases(
    cases,
    (parts) => parts.join(' '),
    ([name, amount, price]) => {
      const titled = (i: number): string =>
        `<div class="box"><h3><a href="/k/${i}">${name.replace('@', String(i))}</a> ${amount}</h3></div>`
      expect(found(each(8, titled)).first).toMatchObject({ title: name.replace('@', '1'), price })
    },
  )
  expect(fails).toEqual([])
})

test('one price with another number before it leaves the other prices as they are', async () => {
  const fails = await failingCases(
    ['2 für 5,00 €', '4er-Pack 12,99 €', '100–150 €', '-20% 1 299 kr', '2 for $5.00'],
    (odd) => odd,
    (odd) => {
      const priced = (i: number): string =>
        `<li><h3><a href="/p/${i}">Lamp of some kind, ${i}</a></h3><p>${WORDS} ${i}</p>` +
        `<span class="price">${i === 4 ? odd : odd.includes('$') ? `$1${i}.99` : `1${i},99 €`}</span></li>`
      const { rows } = found(each(12, priced))
      expect(rows).toHaveLength(12)
      const others = rows.filter((_, index) => index !== 3).map(({ price }) => price)
      expect(others).toEqual([1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12].map((i) => Number(`1${i}.99`)))
    },
  )
  expect(fails).toEqual([])
  const range = (i: number): string =>
    `<li><h3><a href="/p/${i}">Lamp of some kind</a></h3><span class="price">1${i}0–150 €</span></li>`
  expect(found(each(8, range)).first).toMatchObject({ price: 110 })
})

test('the title of an item is the link in its heading, without the prices beside it', () => {
  const { first } = found(
    each(
      6,
      (i) =>
        `<div class="box"><h2><a class="kind" href="/k/${i}">Stones ${i}</a> <small>€ ${i}.50 – ` +
        `€ 90.00</small></h2><p>${WORDS} ${i}</p></div>`,
    ),
  )
  expect(first).toMatchObject({ title: 'Stones 1', url: 'https://a.example/k/1' })
})

test('the image of an item may be in a set of sizes alone, beside a placeholder', () => {
  const { rows } = found(
    each(
      6,
      (i) =>
        `<li><picture><source data-srcset=" /${i}.webp 1x, /${i}b.webp 2x" srcset=""><img ` +
        `src="/blank.svg" data-src=""></picture><h3><a href="/n/${i}">News number ${i}</a></h3>` +
        `<p>${WORDS} ${i}</p></li>`,
    ),
  )
  expect(rows.map(({ image }) => image)).toEqual(
    [1, 2, 3, 4, 5, 6].map((i) => `https://a.example/${i}.webp`),
  )
})

test('the first image of a set may have no size', () => {
  const { first } = found(
    each(
      6,
      (i) =>
        `<li><img srcset="/a${i}.jpg, /b${i}.jpg 2x"><h3><a href="/n/${i}">News number ${i}</a></h3>` +
        `<p>${WORDS} ${i}</p></li>`,
    ),
  )
  expect(first).toMatchObject({ image: 'https://a.example/a1.jpg' })
})

describe('a picture in the background', () => {
  const cards = (style: (i: number) => string) =>
    found(
      each(
        6,
        (i) =>
          `<li><a href="/n/${i}"><div class="thumb" style="${style(i)}"><b>News</b></div></a>` +
          `<h3><a href="/n/${i}">News number ${i}</a></h3><p>${WORDS} ${i}</p></li>`,
      ),
    ).rows.map(({ image }) => image)

  test('is the image of an item, with quotes and without', async () => {
    const fails = await failingCases(
      [
        (i: number) => `height: 9px; background-image: url('/${i}.jpg'); width: 5px`,
        (i: number) => `background: #fff url(/${i}.jpg)`,
        (i: number) => `background: #ff${i} url(/${i}.jpg)`,
        (i: number) => `background-color:#fff;background-image:url(/${i}.jpg)`,
        (i: number) => `background-size:cover;background:url(/${i}.jpg)`,
        (i: number) => `cursor:url(x.cur);background:url(/${i}.jpg)`,
        (i: number) => `background:URL(/${i}.jpg)`,
        (i: number) => `background-image:url(&quot;/${i}.jpg&quot;)`,
      ],
      (style) => style(1),
      (style) => {
        expect(cards(style)).toEqual([1, 2, 3, 4, 5, 6].map((i) => `https://a.example/${i}.jpg`))
      },
    )
    expect(fails).toEqual([])
  })

  test('is not an image if it is the same everywhere, or in the page itself', () => {
    const none = Array.from({ length: 6 }, () => undefined)
    expect(cards(() => 'background-image: url(/blank.jpg)')).toEqual(none)
    expect(cards((i) => `background-image: url(data:image/png;base64,a${i})`)).toEqual(none)
  })
})

describe('an address in a link whose text is another', () => {
  const rows = (link: (i: number) => string) =>
    found(
      each(
        5,
        (i) => `<li class="entry"><h3><a href="/p/${i}">Person number ${i}</a></h3>${link(i)}</li>`,
      ),
    ).rows

  test('is read from the link', () => {
    const [first, second] = rows(
      (i) =>
        `<a href="mailto:p${i}@a.example?subject=Hello">Write to us</a> <a href="tel:+4${i}1">Call</a>`,
    )
    expect(first).toMatchObject({ email: 'p1@a.example', phone: '+411' })
    expect(second).toMatchObject({ email: 'p2@a.example', phone: '+421' })
  })

  test('is not a column if all lead to one', () => {
    const inCapitals = rows(
      (i) => `<a href="${i % 2 ? 'MAILTO' : 'Mailto'}:p${i}@a.example">Write</a>`,
    )
    expect(inCapitals.map(({ email }) => email)).toEqual(
      [1, 2, 3, 4, 5].map((i) => `p${i}@a.example`),
    )
    // Nothing in a recipe decodes them.
    const encoded = rows(
      (i) =>
        `<a href="mailto:p${i}%40a.example">Write</a> <a href="tel:+49%2030%20${i}00">Call</a>`,
    )
    expect(Object.keys(encoded[0] ?? {})).toEqual(['title', 'url'])
    expect(rows(() => '<a href="mailto:us@a.example">Write to us</a>')[0]).not.toHaveProperty(
      'email',
    )
  })

  test('is its text where that is the address', () => {
    const [first] = rows(
      (i) => `<a href="mailto:p${i}@a.example?cc=x@y.example">p${i}@a.example</a>`,
    )
    expect(first).toMatchObject({ email: 'p1@a.example' })
  })
})
