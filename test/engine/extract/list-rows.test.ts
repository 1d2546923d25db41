import { describe, expect, test } from 'vitest'
import { failingCases } from '../../support/failing-cases.ts'
import { each, found } from '../../support/found-list.ts'

const WORDS = 'Some thirty words about this matter, written by a person who has seen it'

describe('the rows of a list', () => {
  test('may be tables for layout, one for each item', () => {
    const { kind, rows } = found(
      `<table><tr><td>${each(
        6,
        (i) =>
          `<table width="510"><tr><td><a class="head" href="/n/${i}">News number ${i}</a></td></tr>` +
          `<tr><td>${WORDS} ${i}</td></tr></table><hr>`,
      )}</td></tr></table>`,
    )
    expect({ kind, titles: rows.map(({ title }) => title) }).toEqual({
      kind: 'list',
      titles: [1, 2, 3, 4, 5, 6].map((i) => `News number ${i}`),
    })
  })

  test('are in all bodies of a table, each under a title of its own', () => {
    const board = (i: number): string =>
      `<tr class="board"><td><a class="name" href="/b/${i}">Board number ${i}</a><p>${WORDS} ${i}</p>` +
      `</td><td>${i} Posts</td></tr>`
    const bodyOf = (part: number): string =>
      `<tbody class="part"><tr><td colspan="2"><h3>Part ${part}</h3></td></tr>` +
      `${each(5, (i) => board(part * 5 + i))}</tbody>`
    const { rows } = found(`<table>${[0, 1].map(bodyOf).join('')}</table>`)
    expect(rows.map(({ url }) => url)).toEqual(
      Array.from({ length: 10 }, (_, index) => `https://a.example/b/${index + 1}`),
    )
  })

  test('are not the headings of their sections, and no rows of a table beside them', () => {
    const boards = each(
      12,
      (i) =>
        `${i % 4 === 0 ? `<tr><td><a href="/part/${i}">Part ${i} of the forum</a></td></tr>` : ''}` +
        `<tr><td><img src="/i.png"></td><td><a href="/b/${i}">Board number ${i}</a></td>` +
        `<td>${i * 31} / ${i * 77}</td><td>Mar ${i + 1}, 2026 1:38 AM</td></tr>`,
    )
    const { rows, first } = found(`<table><tr><td><table>${boards}</table></td></tr></table>`)
    expect(rows.map(({ url }) => url)).toEqual(
      Array.from({ length: 12 }, (_, index) => `https://a.example/b/${index + 1}`),
    )
    expect(first).toMatchObject({ date: '2026-03-02T01:38:00', text: '31 / 77' })
  })

  test('may have fewer cells and lead elsewhere, with a date of their own', () => {
    const { rows } = found(
      `<table>${each(
        15,
        (i) =>
          `<tr><td>March ${i}, 2026</td>${
            i % 5 === 0
              ? `<td colspan="3"><a href="https://b.example/${i}">Concert of guests ${i}</a></td></tr>`
              : `<td><a href="/e/${i}">Concert number ${i}</a></td><td>Hall ${i}</td><td>${i} : 0</td></tr>`
          }`,
      )}</table>`,
    )
    expect(rows).toHaveLength(15)
  })

  test('may share a cell over several rows', () => {
    const { rows } = found(
      `<table>${each(
        12,
        (i) =>
          `<tr>${i % 3 === 1 ? `<td rowspan="3">Week ${i} of the year</td>` : ''}` +
          `<td><a href="/b/${i}">Match number ${i} of the cup</a></td><td>${i} : 0</td><td>Hall ${i}</td></tr>`,
      )}</table>`,
    )
    expect(rows).toHaveLength(12)
  })

  test.each([
    ['a heading above them', '<p class="post"><a href="/all">All that we wrote</a></p>', ''],
    ['a link to more', '', '<p class="post"><a href="/all">More of what we wrote</a></p>'],
  ])('are not %s, which has no more than a link', (_name, before, after) => {
    const posts = each(
      8,
      (i) =>
        `<p class="post"><a href="/p/${i}">Post number ${i} of the blog</a> <b class="date">March ${i}, 2026</b> ` +
        `<i class="author">Ida Lund ${i}</i></p>`,
    )
    const { rows } = found(`<main>${before}${posts}${after}</main>`)
    expect(rows.map(({ url }) => url)).toEqual(
      Array.from({ length: 8 }, (_, index) => `https://a.example/p/${index + 1}`),
    )
  })

  test('may have no more than a link at their ends, if it leads where the others do', () => {
    const people = each(8, (i) => {
      const facts = `<b class="phone">+47 22 33 44 ${10 + i}</b> <i class="room">Room ${100 + i}</i>`
      return `<li><a href="/people/${i}">Ida Lund the ${i}</a> ${i === 1 || i === 8 ? '' : facts}</li>`
    })
    expect(found(`<main><ul>${people}</ul></main>`).rows).toHaveLength(8)
  })

  test('are without the link to more of them, even if it leads where they do', () => {
    const entries = (last: string): string =>
      each(8, (i) => {
        const facts = `<b class="date">March ${i}, 2026</b> <i class="author">Ida Lund</i>`
        const name = i === 8 ? last : `A text about lights, number ${i}`
        return `<li><a href="/texts/${i}">${name}</a> ${i === 8 ? '' : facts}</li>`
      })
    const rowsWith = (last: string) => found(`<main><ul>${entries(last)}</ul></main>`).rows
    expect(rowsWith('More texts …')).toHaveLength(7)
    expect(rowsWith('More than lights')).toHaveLength(7)
    expect(rowsWith('More and more about lights of the north')).toHaveLength(8)
  })

  test('are in a form, however long the menus of the page are', () => {
    const menu = each(200, (i) => `<li><a href="/units/${i}">A unit of this site ${i}</a></li>`)
    const titles = each(
      10,
      (i) => `<tr><td><a href="/news/${i}">What was said in week ${i}</a></td></tr>`,
    )
    const { rows, first } = found(
      `<nav><ul>${menu}</ul></nav><main><form><table>${titles}</table></form></main>`,
    )
    expect(rows).toHaveLength(10)
    expect(first).toMatchObject({ title: 'What was said in week 1' })
  })

  test('are not those of a form beside a list, however long the menus of the page are', async () => {
    const menu = each(150, (i) => `<li><a href="/units/${i}">A unit of this site ${i}</a></li>`)
    const lamps = each(
      8,
      (i) =>
        `<div class="card"><a href="/p/${i}">Lamp ${i}</a><span class="price">€ ${i}9.90</span></div>`,
    )
    const news = each(
      8,
      (i) => `<li><a href="/n/${i}">News ${i} of the town</a> <time>2026-03-0${i}</time></li>`,
    )
    const filter = each(
      40,
      (i) => `<li><a href="?b=${i}">Brand of lamps ${i}</a> <span>(${i})</span></li>`,
    )
    const archive = each(30, (i) => `<li><a href="/old/${i}">Archive of the month ${i}</a></li>`)
    const fails = await failingCases(
      [
        [filter, `<div class="lamps">${lamps}</div>`, { title: 'Lamp 1', price: 19.9 }] as const,
        [archive, `<ul class="news">${news}</ul>`, { date: '2026-03-01' }] as const,
      ],
      ([links]) => links.slice(0, 40),
      ([links, list, row]) => {
        const form = `<form class="beside"><ul>${links}</ul></form>`
        const { rows, first } = found(`<nav><ul>${menu}</ul></nav><main>${form}${list}</main>`)
        expect(rows).toHaveLength(8)
        expect(first).toMatchObject(row)
      },
    )
    expect(fails).toEqual([])
  })

  test('are not the links of a form that only change the query of the page', () => {
    const menu = each(150, (i) => `<li><a href="/units/${i}">A unit of this site ${i}</a></li>`)
    const filter = each(
      40,
      (i) => `<li><a href="?b=${i}">Brand of lamps ${i}</a> <span>(${i})</span></li>`,
    )
    expect(
      found(
        `<header><nav><ul>${menu}</ul></nav></header><main><form><ul>${filter}</ul></form></main>`,
      ).kind,
    ).toBe('page')
  })

  test('may have few cells, as what is cancelled and what shares its cells with another', async () => {
    const row = (i: number): string =>
      `<tr><td><a href="/c/${i}">Course ${i}</a></td><td>Monday</td><td>${i + 3} places</td>` +
      `<td>€ ${i}0.00</td></tr>`
    const short = (i: number, rest: string): string =>
      `<tr><td><a href="/c/${i}">Course ${i}</a></td>${rest}</tr>`
    const job = (i: number): string =>
      `<td><a href="/j/${i}">Job ${i}</a></td><td>Mar ${i}, 2026</td></tr>`
    const fails = await failingCases(
      [
        [
          'cancelled',
          10,
          each(10, (i) => (i === 4 ? short(i, '<td colspan="3">cancelled') : row(i))),
        ],
        [
          'postponed',
          12,
          each(12, (i) => (i % 6 ? row(i) : short(i, '<td colspan="4">postponed'))),
        ],
        [
          'a department with two jobs',
          11,
          each(10, (i) =>
            i === 7
              ? `<tr><td rowspan="2">Works ${i}</td><td rowspan="2">Town</td>${job(i)}<tr>${job(11)}`
              : `<tr><td>Works ${i}</td><td>Town</td>${job(i)}`,
          ),
        ],
        ['no cells at the end', 10, each(10, (i) => (i % 5 ? row(i) : short(i, '')))],
        [
          'a whole row at the end',
          10,
          each(10, (i) =>
            i === 10
              ? `<tr><td colspan="4"><a href="/c/10">Course 10</a> is full</td></tr>`
              : row(i),
          ),
        ],
      ] as const,
      ([name]) => name,
      ([, count, rows]) => {
        expect(found(`<table>${rows}</table>`).rows).toHaveLength(count)
      },
    )
    expect(fails).toEqual([])
  })

  test('are without the numbers of other pages, above them, below them, in a table of their own', async () => {
    const row = (i: number): string =>
      `<tr><td><a href="/t/${i}">Thread about ${i}</a></td><td>Ann ${i}</td><td>${i} answers</td>` +
      `<td>Mar ${i}, 2026</td></tr>`
    const numbers = 'Pages: <a href="?p=2">2</a> <a href="?p=3">3</a> <a href="?p=2">next »</a>'
    const wide = `<tr><td colspan="4">${numbers}</td></tr>`
    const rows = each(10, row)
    const fails = await failingCases(
      [
        `<table>${rows}${wide}</table>`,
        `<table>${wide}${rows}</table>`,
        `<table>${wide}${rows}${wide}</table>`,
        `<div><table>${rows}</table><table><tr><td>${numbers}</td></tr></table></div>`,
      ],
      (page) => page.slice(0, 40),
      (page) => {
        const { rows: all, first } = found(page)
        expect(all).toHaveLength(10)
        expect(first).toMatchObject({ title: 'Thread about 1' })
      },
    )
    expect(fails).toEqual([])
  })

  test('are those of sections, several levels above the items', () => {
    const section = (part: number): string =>
      `<section class="box"><h2>Part ${part}</h2><div class="inner"><ul>${each(
        4,
        (i) =>
          `<li><h3><a href="/${part}/${i}">News ${part} of day ${i}</a></h3><p>${WORDS}</p></li>`,
      )}</ul></div></section>`
    const { rows, first } = found(`<main>${each(5, section)}</main>`)
    expect(rows).toHaveLength(20)
    expect(first).toMatchObject({ title: 'News 1 of day 1' })
  })

  test('of a table are those of a list if a cell has several values', () => {
    const topic = (i: number): string =>
      `<tr><td><a class="name" href="/t/${i}">Topic number ${i}</a></td><td class="starter">` +
      `<a class="author" href="/user/p${i}">Person ${i}</a> <time datetime="2026-01-0${i}">` +
      `${i} January</time></td><td>${i * 7}</td><td>${i}</td><td>${9 - i}</td>` +
      `<td>${i % 3}</td><td class="views">${i * 11} views</td></tr>`
    const { kind, first } = found(
      `<table><thead><tr><th>Topic</th><th>Started</th><th>Replies</th><th>Pages</th>` +
        `<th>Rank</th><th>Pins</th><th>Views</th></tr></thead>` +
        `<tbody>${each(8, topic)}</tbody></table>`,
    )
    expect({ kind, first }).toMatchObject({
      kind: 'list',
      first: { title: 'Topic number 1', author: 'Person 1', date: '2026-01-01', views: 11 },
    })
  })

  test('are the entries of an index, and not its letters', () => {
    const letter = (name: string): string =>
      `<div class="part"><div class="letter">${name}</div><div class="entries">${each(
        4,
        (i) => `<a href="/${name}/${i}">${name}${'aeio'[i - 1] ?? ''}t</a>`,
      )}</div></div>`
    const { rows, first } = found(`<main>${[...'ABCDE'].map(letter).join('')}</main>`)
    expect(rows).toHaveLength(20)
    expect(first).toEqual({ title: 'Aat', url: 'https://a.example/A/1' })
  })

  test('are the entries of an index with comments, in the tree of a browser', () => {
    const { rows } = found(
      `<b><p>x</b>y</p><h1>Index of cities</h1>\n<h2>Cities</h2> <!-- list --> ` +
        `<ul>${each(6, (i) => `<li><a href="/c/${i}">Aa${i}</a></li>`)}</ul>`,
    )
    expect(rows).toHaveLength(1)
  })

  test('are not an index beside an article, and no menu below digits', () => {
    const index = ['A', 'B', 'C'].map(
      (name) =>
        `<h3>${name}</h3><ul>${each(3, (i) => `<li><a href="/${name}/${i}">${name}${'bcd'[i - 1]}ta`)}</ul>`,
    )
    const prose = each(12, (i) => `<p>Part ${i}: ${WORDS}.</p>`)
    expect(found(index.join('')).rows).toHaveLength(9)
    expect(found(`<article>${prose}</article><div>${index.join('')}</div>`).kind).toBe('article')
    // A long index has words before it.
    const long = [...'ABCDEF'].map(
      (name) =>
        `<h3>${name}</h3><ul>${each(25, (i) => `<li><a href="/${name}/${i}">${name}${i}ta`)}</ul>`,
    )
    const intro = each(2, (i) => `<p>Part ${i}: ${`${WORDS}, `.repeat(4)}all of them.</p>`)
    expect(found(`<main>${intro}${long.join('')}</main>`).rows).toHaveLength(150)
    const menu =
      '<ul><li><a href="/">Home</a><li><a href="/a">About</a><li><a href="/n">News</a></ul>'
    expect(found(each(3, (i) => `<h4>${i}</h4>${menu}`)).kind).toBe('page')
  })

  test('are in a <noscript>, however the page writes it', async () => {
    const posts = each(
      9,
      (i) =>
        `<li><h3><a href="/n/${i}">News number ${i}</a></h3><p>${WORDS.repeat(4)} ${i}</p></li>`,
    )
    const pages = [
      `<noscript><ul>\r\n${posts.replaceAll('\n', '\r\n')}</ul></noscript>`,
      `<noscript><ul>\0${posts}</ul></noscript>`,
      `<!-- <noscript><ul>${posts}</ul></noscript> --><noscript><ul>${posts}</ul></noscript>`,
      `<noscript data-x="a<b"><ul>${posts}</ul></noscript>`,
      `<noscript><ul>${posts}</ul>`,
      `<b><p>x</b>y</p><noscript><ul>${posts}</ul></noscript>`,
    ]
    const fails = await failingCases(
      pages,
      (page) => page.slice(0, 40),
      (page) => {
        expect(found(`<div id="app">Loading</div>${page}`).rows).toHaveLength(9)
      },
    )
    expect(fails).toEqual([])
  })

  test('are in a <noscript> if the page shows little else', () => {
    const posts = `<NoScript><ul>${each(
      9,
      (i) =>
        `<li><h3><a href="/n/${i}">News number ${i}</a></h3><p>${WORDS.repeat(4)} ${i}</p></li>`,
    )}</ul></noscript>`
    expect(found(`<div id="app">Loading</div>${posts}`).rows).toHaveLength(9)
    const shown = each(60, (i) => `<p>Part ${i}: ${WORDS}.</p>`)
    expect(found(`<main>${shown}</main>${posts}`).kind).toBe('article')
  })
})
