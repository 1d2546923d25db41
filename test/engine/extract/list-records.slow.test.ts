import { describe, expect, test } from 'vitest'
import { each, found } from '../../support/found-list.ts'

// Lists whose records are not in an element of their own, and columns that have a name but no role.

const WORDS = 'Some thirty words about this matter, written by a person who has seen it'

describe('a record of several elements beside each other', () => {
  test('is a row of a table with the row below it', () => {
    const { first, rows } = found(
      `<table>${each(
        6,
        (i) =>
          `<tr class="athing"><td class="title"><span class="rank">${i}.</span></td>` +
          `<td class="title"><span class="line"><a href="/item/${i}">A story of number ${i}</a>` +
          ` <span class="site">(<a href="/from/${i}"><i>x${i}.example</i></a>)</span></span></td></tr>` +
          `<tr><td colspan="2"></td><td><span class="score">${i}5 points</span> by ` +
          `<a href="user?id=u${i}">u${i}</a> <a href="/item/${i}">${i} comments</a></td></tr>` +
          '<tr class="spacer"></tr>',
      )}</table>`,
    )
    expect(rows).toHaveLength(6)
    expect(first).toMatchObject({
      title: 'A story of number 1',
      url: 'https://a.example/item/1',
      author: 'u1',
      points: 15,
      comments: 1,
      domain: 'x1.example',
    })
  })

  test('is a term with what describes it', () => {
    const { first, rows } = found(
      `<dl>${each(8, (i) => `<dt>Term ${i}</dt><dd>What it means, by ${i} people</dd>`)}</dl>`,
    )
    expect(rows).toHaveLength(8)
    expect(first).toEqual({ title: 'Term 1', description: 'What it means, by 1 people' })
  })

  test('is a heading with a link, and the paragraphs below it', () => {
    const { first, rows } = found(
      `<div>${each(
        6,
        (i) =>
          `<h3><a href="/talk/${i}">A talk about number ${i}</a></h3>` +
          `<p class="meta">Ann, 1${i} May 2026</p><p>${WORDS} ${i}</p><hr>`,
      )}</div>`,
    )
    expect(rows).toHaveLength(6)
    expect(first).toEqual({
      title: 'A talk about number 1',
      url: 'https://a.example/talk/1',
      date: '2026-05-11',
      description: `${WORDS} 1`,
    })
  })

  describe('is a heading that is not a link, and a text that leads on', () => {
    const text = 'A text about what was seen, with what others wrote on it, for all to read. '
    const names = ['Ann', 'Bob', 'Cleo', 'Dora', 'Emil', 'Fay']
    const column = (from: number, lead: (i: number) => string): string =>
      each(
        6,
        (i) =>
          `<h2>Report ${from + i}</h2><div><i>Mar ${i + 10}, 2026</i><p>${text.repeat(4)}` +
          `<a href="https://b.example/${i}">${names[i - 1]}</a></p><p>${lead(from + i)}</p></div>`,
      )

    test('in several columns', () => {
      const lead = (i: number): string => `<a href="/reports/${i}">Comments (${i})</a>`
      const { kind, rows, first } = found(
        `<div><div class="left">${column(0, lead)}</div>` +
          `<div class="right">${column(6, lead)}</div></div>`,
      )
      expect([kind, rows.length]).toEqual(['list', 12])
      expect(first).toMatchObject({
        title: 'Report 1',
        url: 'https://a.example/reports/1',
        date: '2026-03-11',
      })
    })

    test('unless it leads nowhere', () => {
      const sections = each(6, (i) => `<h2>Report ${i}</h2><div><p>${text.repeat(4)}</p></div>`)
      expect(found(`<main>${sections}</main>`).kind).toBe('article')
    })
  })

  test('is not a pair of rows in two colours', () => {
    const { rows } = found(
      `<table>${each(
        8,
        (i) =>
          `<tr class="row${(i % 2) + 1}"><td><a href="/p/${i}">The name of number ${i}</a></td>` +
          `<td class="price">$${i}.50</td></tr>`,
      )}</table>`,
    )
    expect(rows).toHaveLength(8)
  })

  test('has comments inside comments as rows of their own', () => {
    const comment = (who: string, inside: string): string =>
      `<div class="comment"><p class="head"><a class="author" href="/u/${who}">${who}</a></p>` +
      `<div class="body">${WORDS}, says ${who}</div><div class="replies">${inside}</div></div>`
    const { rows } = found(
      `<div class="thread">${each(6, (i) => comment(`ann${i}`, comment(`bob${i}`, '')))}</div>`,
    )
    expect(rows.slice(0, 2)).toEqual([
      { author: 'ann1', text: `${WORDS}, says ann1` },
      { author: 'bob1', text: `${WORDS}, says bob1` },
    ])
    expect(rows).toHaveLength(12)
  })
})

describe('a comment that was deleted', () => {
  /** A comment, or what is left of one (`who`: null), with what stands around its replies. */
  const comment = (who: string | null, replies: string, replyName: string): string =>
    `<div class="comment"><div class="part">${
      who === null
        ? '<i class="note">deleted by a moderator</i>'
        : `<a class="author" href="/u/${who}">${who}</a> <time datetime="2026-01-0${who.at(-1)}"></time>`
    }<div class="body">${WORDS}, says ${who}</div></div><div class="${replyName}">${replies}</div></div>`

  test.each([
    ['are in an element with a name', 'replies', '> .part a.author'],
    ['are in one with the name of others', 'part', 'a.author:not(:scope div.comment *)'],
  ])('has nothing of its replies, which %s', (_, name, selector) => {
    const { rows, extract } = found(
      `<div class="thread">${each(6, (i) =>
        comment(i === 2 ? null : `ann${i}`, comment(`bob${i}`, '', name), name),
      )}</div>`,
    )
    const of = (who: string | null, i: number) => ({
      author: who,
      date: who === null ? null : `2026-01-0${i}`,
      text: `${WORDS}, says ${who}`,
    })
    expect(rows.slice(0, 4)).toEqual([of('ann1', 1), of('bob1', 1), of(null, 2), of('bob2', 2)])
    expect(rows).toHaveLength(12)
    expect(extract.fields['author']).toBe(selector)
  })
})

describe('items that are not told by their first class', () => {
  test('have a layout inside that has the same class', () => {
    const { rows, first } = found(
      `<main>${each(
        6,
        (i) =>
          `<div class="flex gap"><img src="/i/${i}.png"><div class="flex"><h3><a href="/p/${i}">` +
          `Thing number ${i}</a></h3><b class="price">$${i}.50</b></div></div>`,
      )}</main>`,
    )
    expect(rows).toHaveLength(6)
    expect(first).toMatchObject({ title: 'Thing number 1', price: 1.5 })
  })

  test.each([
    ['numbers of posts', (i: number) => `post-${i} post hentry`],
    ['events', () => 'event-row'],
    ['advertisements of a market', () => 'ad-listitem'],
  ])('are %s', (_, classOf) => {
    const { rows, first } = found(
      `<main>${each(
        6,
        (i) =>
          `<div class="${classOf(i)}"><div class="event-title"><a href="/p/${i}">Thing number ` +
          `${i}</a></div><div class="event-venue">Hall ${i}a</div></div>`,
      )}</main>`,
    )
    expect(rows).toHaveLength(6)
    expect(first).toMatchObject({ title: 'Thing number 1', location: 'Hall 1a' })
  })

  test('are questions that open', () => {
    const { rows, first } = found(
      `<div>${each(
        6,
        (i) => `<details><summary>What is part ${i} for?</summary><p>${WORDS} ${i}</p></details>`,
      )}</div>`,
    )
    expect(rows).toHaveLength(6)
    expect(first).toEqual({ title: 'What is part 1 for?', description: `${WORDS} 1` })
  })
})

describe('the title of a card that is one link', () => {
  test.each([
    ['after a date', '<p>2026-05-0@</p><p>Story number @</p>'],
    ['before a summary', `<div>Story number @</div><div>${WORDS} @</div>`],
    ['before a version', '<b class="x-name">Story number @</b> <b class="x-version">1.@</b>'],
  ])('is its part %s', (_, inside) => {
    const { first } = found(
      `<ul>${each(6, (i) => `<li class="card"><a href="/s/${i}">${inside.replaceAll('@', String(i))}</a></li>`)}</ul>`,
    )
    expect(first).toMatchObject({ title: 'Story number 1', url: 'https://a.example/s/1' })
  })
})

describe('a value that an item does not have', () => {
  const lacking = (make: (i: number, isThere: boolean) => string) =>
    found(each(8, (i) => make(i, i !== 3))).rows[2]

  test('is null in a record that ends before it', () => {
    const row = lacking(
      (i, isThere) =>
        `<h3><a href="/t/${i}">A talk about number ${i}</a></h3>` +
        (isThere ? `<p>${WORDS} ${i}</p>` : ''),
    )
    expect(row).toMatchObject({ title: 'A talk about number 3', description: null })
  })

  test.each([
    [
      'a word names it',
      (i: number, isThere: boolean) =>
        `${isThere ? `<span>${i} beds</span>` : ''}<span>${i}0 baths</span>`,
      { beds: null, baths: 30 },
    ],
    [
      'a term names it',
      (i: number, isThere: boolean) =>
        `<dl>${isThere ? `<dt>Rooms</dt><dd>${i}</dd>` : ''}<dt>Floor</dt><dd>1${i}</dd></dl>`,
      { rooms: null, floor: 13 },
    ],
  ])('is not the value of another column if %s', (_, parts, expected) => {
    const row = lacking(
      (i, isThere) =>
        `<li class="home"><h3><a href="/h/${i}">Home number ${i}</a></h3>${parts(i, isThere)}</li>`,
    )
    expect(row).toMatchObject(expected)
  })

  test('takes no characters of a text without the label', () => {
    const { rows } = found(
      each(
        14,
        (i) =>
          `<li class="home"><h3><a href="/h/${i}">Home number ${i}</a></h3>` +
          `<b class="maker">${i === 14 ? 'Acme' : 'Maker: Firm'} ${i}a</b></li>`,
      ),
    )
    expect(rows[0]).toMatchObject({ maker: 'Firm 1a' })
    expect(rows[13]).toMatchObject({ maker: 'Acme 14a' })
  })
})

describe('a column without a role', () => {
  const card = (parts: (i: number) => string) =>
    found(
      each(
        6,
        (i) =>
          `<li class="card"><h3><a href="/p/${i}">Thing number ${i}</a></h3>` +
          `<div class="rest">${parts(i)}</div></li>`,
      ),
    ).first ?? {}

  test.each([
    ['its class', (i: number) => `<b class="card__phone">+44 ${i}</b>`, { phone: '+44 1' }],
    ['a word beside a number', (i: number) => `<b>${i}0 stars today</b>`, { stars_today: 10 }],
    ['a word before a number', (i: number) => `<b>Cited by ${i}0</b>`, { cited_by: 10 }],
    ['its term', (i: number) => `<dl><dt>Maker</dt><dd>Firm ${i}a</dd></dl>`, { maker: 'Firm 1a' }],
    ['its title', (i: number) => `<b title="Living area">${i}0 m²</b>`, { living_area: '10 m²' }],
    ['a year', (i: number) => `<b>199${i}</b>`, { year: 1991 }],
    ['a length of time', (i: number) => `<b>1h ${i}m</b>`, { duration: '1h 1m' }],
    [
      'the class around it',
      (i: number) => `<p class="agent"><b>Ann ${i}a</b></p>`,
      { agent: 'Ann 1a' },
    ],
    ['its link', (i: number) => `<a href="/p/${i}/forks">${i}0</a>`, { forks: 10 }],
  ])('has the name of %s', (_, parts, expected) => {
    expect(card(parts)).toMatchObject(expected)
  })

  test('is a list if most items have several', () => {
    const first = card(
      (i) => `<a class="tag" href="/t/${i}">a${i}</a> <a class="tag" href="/t">b${i}</a>`,
    )
    expect(first).toMatchObject({ tag: ['a1', 'b1'] })
  })

  test.each([
    ['a text that all items have', () => '<b class="agent">Acme</b>'],
    ['a class that tells how it looks', (i: number) => `<b class="color-muted">word ${i}a</b>`],
    ['an age', (i: number) => `<b>${i} hours ago</b>`],
    ['an address', (i: number) => `<b>${i} High Street</b>`],
    ['a class of fonts', (i: number) => `<b class="font-size">word ${i}a</b>`],
    [
      'a story of a person at its address',
      (i: number) => `<a href="/@ann/story-${i}">More of ${i}a</a>`,
    ],
  ])('is not made of %s', (_, parts) => {
    // A value without a name has its position, or its form.
    const named = Object.keys(card(parts)).filter((name) => name !== 'date' && name !== 'text')
    expect(named).toEqual(['title', 'url'])
  })

  test('leaves out the label that all its texts begin with', () => {
    expect(card((i) => `<b class="subject">Subject: field ${i}a</b>`)).toMatchObject({
      subject: 'field 1a',
    })
  })

  test('is found by its cell in a row that names nothing', () => {
    const threads = each(
      8,
      (i) =>
        `<tr><td><img src="/i.png"></td><td><font><a class="to" href="/thread/${i}"><b>` +
        `Thread about thing ${i}</b></a></font></td><td><font><a href="/profile?user=${i}">` +
        `Person ${i}</a></font></td><td><table><tr><td><font>Mar ${i + 10}, 2026 2:40 AM</font>` +
        '</td><td>last</td></tr></table></td></tr>',
    )
    const pages =
      '<tr><td colspan="4">Pages: <a class="to" href="/threads?page=2">page 2</a></td></tr>'
    const { rows, first } = found(
      `<table><tr><td><table>${threads}${pages}</table></td></tr></table>`,
    )
    expect(rows).toHaveLength(8)
    expect(first).toMatchObject({
      title: 'Thread about thing 1',
      url: 'https://a.example/thread/1',
      author: 'Person 1',
      date: '2026-03-11T02:40:00',
    })
  })

  test('is named by the heading of its column in the rows of a table', () => {
    const { first } = found(
      '<table><thead><tr><th>Thread</th><th>Answers</th><th>Last post</th></tr></thead><tbody>' +
        `${each(
          8,
          (i) =>
            `<tr><td><a href="/t/${i}">A thread about number ${i}</a> <span>Started by ` +
            `<a href="/user/ann${i}">ann${i}</a></span> <time datetime="2026-05-1${i}"></time></td>` +
            `<td>${i}2</td><td>by bob${i}</td></tr>`,
        )}</tbody></table>`,
    )
    expect(first).toEqual({
      title: 'A thread about number 1',
      url: 'https://a.example/t/1',
      author: 'ann1',
      date: '2026-05-11',
      answers: 12,
      last_post: 'by bob1',
    })
  })
})

describe('values that were taken for others', () => {
  const priced = (price: string): unknown =>
    found(
      each(
        6,
        (i) =>
          `<li class="card"><h3><a href="/p/${i}">Thing number ${i}</a></h3>` +
          `<div class="price">${price.replaceAll('@', String(i))}</div></li>`,
      ),
    ).first?.['price']

  test('a regular price beside the price of a sale is the one before', () => {
    const price =
      '<div class="price__regular"><b class="price-item price-item--regular">$@9.00</b></div>' +
      '<div class="price__sale"><b class="price-item price-item--sale">$@5.00</b></div>'
    expect(priced(price)).toBe(15)
    expect(priced('<b class="price-item price-item--regular">$@9.00</b>')).toBe(19)
  })

  test('a sale of some is not the price of the others', () => {
    const { rows } = found(
      each(
        6,
        (i) =>
          `<li class="card"><h3><a href="/p/${i}">Thing number ${i}</a></h3>` +
          `<b class="price regular">$${i}9</b>${i > 4 ? `<i class="sale-price">$${i}</i>` : ''}</li>`,
      ),
    )
    expect(rows[0]).toMatchObject({ price: 19 })
    expect(rows[5]).toMatchObject({ price: 6 })
  })

  test('the picture of a person is not the picture of a thread', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<li class="thread"><a class="avatar" href="/u/${i}"><img src="/i/${i}.png"></a>` +
          `<h3><a href="/t/${i}">Thread number ${i}</a></h3></li>`,
      ),
    )
    expect(first).not.toHaveProperty('image')
  })

  test('a table may have its headings in plain cells above columns of numbers', () => {
    const { first } = found(
      '<table><tr><td>#</td><td>Team</td><td>Won</td><td>Points</td></tr>' +
        `${each(6, (i) => `<tr><td>${i}</td><td><a href="/t/${i}">Team ${i}</a></td><td>${i}</td><td>${i}3</td></tr>`)}` +
        '</table>',
    )
    expect(first).toMatchObject({ team: 'Team 1', won: 1, points: 13 })
  })
})
