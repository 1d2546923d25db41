import { describe, expect, test } from 'vitest'
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
