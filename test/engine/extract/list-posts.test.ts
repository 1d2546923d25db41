import { describe, expect, test } from 'vitest'
import { failingCases } from '../../support/failing-cases.ts'
import { each, found } from '../../support/found-list.ts'

const WORDS = 'Some thirty words about this matter, written by a person who has seen it'

describe('a post', () => {
  /** A post of a forum, with badges beside the name and reactions below the text. */
  const post = (i: number, text: string): string =>
    `<article class="message"><div class="message-side message-user"><div class="message-details">` +
    `<h4 class="message-name"><a class="username" href="/members/p.${i}/">Person ${i}</a></h4>` +
    '<h5 class="badge">Member</h5></div></div><div class="message-main"><div class="message-content">' +
    `${text}</div><footer><img class="reaction" src="/like/${i}.png"><a href="/likes/${i}">Person 7 ` +
    `and ${i} others like this, as far as we know</a></footer></div></article>`

  test('has the name of its author without badges, and its text without reactions', () => {
    const { rows, first, second } = found(
      `<main>${each(6, (i) =>
        post(
          i,
          i === 1
            ? `${WORDS} 1`
            : `<div itemprop="text">${WORDS} ${i}<img src="/e/${i}.png"></div>`,
        ),
      )}</main>`,
    )
    expect(rows).toHaveLength(6)
    expect([first, second]).toEqual(
      [1, 2].map((i) => ({ author: `Person ${i}`, text: `${WORDS} ${i}` })),
    )
  })

  test('is not named by the letter and the state that stand for a picture', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<li class="post"><a class="who" href="/user/p${i}"><span>P</span><span>Offline</span></a>` +
          `<a class="bold" href="/user/p${i}">Person ${i}</a><div class="body">${WORDS}. ${WORDS} ` +
          `${i}.</div></li>`,
      ),
    )
    expect(first).toMatchObject({ author: 'Person 1' })
  })

  describe('that the page counts', () => {
    const box = (inner: string): string => `<div class="box">${inner}</div>`
    const links =
      '<a href="/q/1">Which boats are the fastest of all?</a><a href="/q/2">And why?</a>'
    const answer = (i: number): string =>
      `<div class="box answer-item-${i} line"><div><i class="box"><svg></svg></i>${box(
        `<div class="box"><a class="box" href="/profile/p${i}">Person ${i}</a></div>` +
          `<a href="/also/${i}">Which boats are the slowest of ${i}?</a>` +
          `<div class="box answer_content">${WORDS} ${i}. ${WORDS}.</div>`,
      )}</div></div>${i % 2 === 0 ? `<div class="box line">${links}</div>` : ''}`

    test('is without what stands between them', () => {
      const { rows, first } = found(`<main>${each(6, answer)}</main>`)
      expect(rows).toHaveLength(6)
      expect(first).toEqual({ author: 'Person 1', text: `${WORDS} 1. ${WORDS}.` })
    })

    test('may have an element of its kind around it', () => {
      const item = (i: number): string =>
        `<div class="box answer-${i}">${box(
          `<div class="box"><a class="box" href="/profile/p${i}">Person ${i}</a></div>` +
            `<div class="box answer_content">${WORDS} ${i}. ${WORDS}.</div>`,
        )}</div>${i % 2 === 0 ? `<div class="box">${links}</div>` : ''}`
      const { first, extract } = found(`<main>${each(6, item)}</main>`)
      expect(extract.items).toBe('[class*=answer-]')
      expect(first).toEqual({ author: 'Person 1', text: `${WORDS} 1. ${WORDS}.` })
    })

    test('is with those that the page does not count after them', () => {
      const item = (i: number): string =>
        `<div class="item${i <= 4 ? ` top-${i}` : ''}"><a href="/profile/p${i}">Person ${i}</a>` +
        `<div class="comment-text">${WORDS} ${i}. ${WORDS}.</div></div>`
      expect(found(`<main>${each(6, item)}</main>`).rows).toHaveLength(6)
    })

    test('is not chosen by numbers that are not in turn', () => {
      const body = each(6, (i) => answer(i).replace(`item-${i}`, `item-${(i * i) % 7}`))
      expect(found(`<main>${body}</main>`).extract.items).not.toContain('answer-item')
    })
  })

  test('has the title that is its heading, though its text is named as an answer', () => {
    const item = (i: number): string =>
      `<article class="post"><h2><a href="/q/${i}">A question about boat ${i}</a></h2>` +
      `<a class="author" href="/u/${i}">Person ${i}</a><div class="answer-text">${WORDS}</div></article>`
    const { first } = found(each(6, item))
    expect(first).toMatchObject({ title: 'A question about boat 1', author: 'Person 1' })
  })

  test('has no title for a field whose name is that of its text', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<li class="reply"><a class="username" href="/users/${i}">Person ${i}</a>` +
          `<div class="field field-name-comment-body field--name-body"><p>${WORDS} ${i}.</p>` +
          '</div></li>',
      ),
    )
    expect(first).toEqual({ author: 'Person 1', text: `${WORDS} 1.` })
  })

  test('has the title that a field at the end of a class names', async () => {
    const fails = await failingCases(
      ['views-field views-field-name', 'field-name', 'field field--name-name'],
      (name) => name,
      (name) => {
        const { first } = found(
          each(
            8,
            (i) =>
              `<div class="views-row"><img src="/${i}.jpg"><a class="more" href="/n/${i}">` +
              `Read all that is known of it</a><div class="${name}">Institute ${i}</div></div>`,
          ),
        )
        expect(first).toMatchObject({ title: 'Institute 1' })
      },
    )
    expect(fails).toEqual([])
  })

  test('is named by its hCard without the words around it', () => {
    const { first } = found(
      each(
        6,
        (i) =>
          `<li class="comment"><div class="comment-author vcard"><b class="fn">` +
          `<a href="https://p${i}.example/">Person ${i}</a></b> <span class="says">says:</span>` +
          `</div><div class="comment-content">${WORDS} ${i}.</div></li>`,
      ),
    )
    expect(first).toEqual({ author: 'Person 1', text: `${WORDS} 1.` })
  })
})

describe('the text of an item that is not a post', () => {
  const reviews = (text: (i: number) => string) =>
    found(
      each(
        6,
        (i) =>
          `<div class="card"><h3><a href="/r/${i}">Opinion number ${i}</a></h3><script>run("${WORDS} ` +
          `${WORDS} ${WORDS} ${WORDS}")</script>${text(i)}</div>`,
      ),
    ).first

  test('is its description, whatever its element', () => {
    const text = `${WORDS}, and again ${WORDS}`
    expect(reviews((i) => `<div class="x"><div>${text} ${i}</div></div>`)).toMatchObject({
      description: `${text} 1`,
    })
    expect(reviews((i) => `<span class="review-text">Well written ${i}</span>`)).toMatchObject({
      description: 'Well written 1',
    })
  })

  test('is not a list of links', () => {
    const links = (i: number): string => each(9, (tag) => `<a href="/t/${tag}">Tag ${tag} ${i}</a>`)
    expect(reviews((i) => `<div class="x">${links(i)}</div>`)).not.toHaveProperty('description')
  })
})

describe('a thread without classes', () => {
  /** A post with its replies, which nothing but its tags tells from a list of other things. */
  const post = (who: string, inside: string): string =>
    `<li><a href="/user/${who}">${who}</a> <time datetime="2026-01-02">long ago</time>` +
    `<p>${WORDS}, says ${who}</p>${inside === '' ? '' : `<ul>${inside}</ul>`}</li>`

  test('has a row for each post, at any depth', () => {
    const { rows } = found(
      `<main><ul>${each(4, (i) =>
        post(`ann${i}`, post(`bob${i}`, i === 2 ? post('cleo', '') : '')),
      )}</ul></main>`,
    )
    const of = (who: string) =>
      expect.objectContaining({ author: who, date: '2026-01-02', text: `${WORDS}, says ${who}` })
    expect(rows.slice(0, 5)).toEqual(['ann1', 'bob1', 'ann2', 'bob2', 'cleo'].map(of))
    expect(rows).toHaveLength(9)
  })
})

test('posts that answer one subject have no title, and their authors are numbered members', () => {
  const post = (i: number): string =>
    `<div id="p${i}" class="post"><div class="postbody"><h3><a href="#p${i}">` +
    `${i === 1 ? '' : 'Re: '}Where to buy good tea</a></h3><p class="by">by <b>` +
    `<a href="/forum/member5${i}.html">Person ${i}</a></b> » 2026-01-0${i}</p>` +
    `<div class="content">${WORDS} ${i}</div></div></div>`
  const { rows, first } = found(`<main>${each(5, post)}</main>`)
  expect(first).toEqual({ author: 'Person 1', date: '2026-01-01', text: `${WORDS} 1` })
  expect(rows).toHaveLength(5)
})

test('a thread has the answers that are in elements of their own between its posts', () => {
  const post = (who: string, level: string): string =>
    `<article class="posting ${level}"><a class="author" href="/u/${who}">${who}</a>` +
    `<time datetime="2026-01-05">5</time><div class="post-text">${WORDS}, says ${who}</div></article>`
  const { rows } = found(
    `<main><div>${each(
      4,
      (i) =>
        `${post(`ann${i}`, 'top')}<div class="answers"><div>${post(`bob${i}`, 'low')}</div></div>`,
    )}</div></main>`,
  )
  expect(rows.map(({ author, text }) => [author, text])).toEqual(
    [1, 2, 3, 4].flatMap((i) =>
      [`ann${i}`, `bob${i}`].map((who) => [who, `${WORDS}, says ${who}`]),
    ),
  )
})

test('answers have the post before them that they answer, and no title of what they quote', () => {
  const post = (i: number): string =>
    `<div id="n${i}"${i === 1 ? '' : ' itemprop="comment"'} class="posting"><a class="creator" ` +
    `href="/u/p${i}">Person ${i}</a> <time datetime="2026-01-0${i}">${i}</time>` +
    `<div itemprop="text"><div class="title">Person ${i}:</div><p>${WORDS} ${i}</p></div></div>`
  const { rows } = found(`<main><div>${each(6, post)}</div></main>`)
  expect(rows.map(({ author, date, title }) => [author, date, title])).toEqual(
    [1, 2, 3, 4, 5, 6].map((i) => [`Person ${i}`, `2026-01-0${i}`, undefined]),
  )
})

test('a thread of plain elements has a row for each post, without the replies to it', () => {
  const post = (who: string, depth: number): string =>
    `<div><span><a href="/u/${who}">${who}</a></span><span>2026-01-0${depth}</span>` +
    `<div><p>${WORDS}, says ${who}</p></div>` +
    `${depth < 3 ? `<div>${post(`${who}${depth}`, depth + 1)}</div>` : ''}</div>`
  const { rows } = found(
    `<main><h1>All</h1><div>${each(4, (i) => post(`ann${i}`, 1))}</div></main>`,
  )
  const of = (who: string, depth: number) =>
    expect.objectContaining({
      author: who,
      date: `2026-01-0${depth}`,
      text: `${WORDS}, says ${who}`,
    })
  expect(rows.slice(0, 4)).toEqual([of('ann1', 1), of('ann11', 2), of('ann112', 3), of('ann2', 1)])
  expect(rows).toHaveLength(12)
})

test('an entry that lacks a value has none of the entries inside it', () => {
  const entry = (name: string, price: string, inside: string): string =>
    `<li><h3><a href="/${name}">Kind ${name}</a></h3>${price}<p>All of kind ${name}</p>${inside}</li>`
  const { rows } = found(
    `<main><ul>${each(5, (i) =>
      entry(
        `a${i}`,
        i === 3 ? '' : `<b class="price">$${i}.50</b>`,
        `<ul>${entry(`b${i}`, '<b class="price">$9.50</b>', '')}</ul>`,
      ),
    )}</ul></main>`,
  )
  const outer = rows.filter(({ url }) => String(url).includes('/a'))
  expect(outer.map(({ price }) => price)).toEqual([1.5, 2.5, null, 4.5, 5.5])
})
