import { atOnce } from '../../../src/engine/extract/page/in-turns.ts'
import { describe, expect, test } from 'vitest'
import { refusedParts } from '../../../src/engine/extract/auto/refused-items.ts'
import { PageContent, START } from '../../../src/engine/extract/page/page-content.ts'
import { each } from '../../support/found-list.ts'

// Proves what detection says of elements that repeat and are not a list.

function refused(body: string) {
  const page = {
    url: 'https://a.example/',
    contentType: 'text/html; charset=utf-8',
    body: new TextEncoder().encode(`<!doctype html><title>All</title><body>${body}`),
  }
  return atOnce(refusedParts(new PageContent(page, START)))
}
const PROSE = 'Some words that are neither a list nor a table, and are the content of this page.'

describe('a repeated group that is not a list has a reason', () => {
  test.each([
    [
      'a menu',
      `<nav id="top" class="bar x">${each(5, (i) => `<a href="/${i}">Go to ${i}</a>`)}</nav><p>${PROSE}`,
      '5 nav#top.bar > a are in nav#top.bar, which is beside the content.',
    ],
    [
      'a list beside the element of the content, whose names say nothing',
      `<div class="x">${each(3, (i) => `<a href="/${i}">No ${i}</a>`)}</div><main><p>${PROSE}</main>`,
      '3 div.x > a have 4 characters of text each, and are outside the main part of the page.',
    ],
    [
      'a list beside the only article',
      `<div class="x">${each(3, (i) => `<a href="/${i}">No ${i}</a>`)}</div><article><p>${PROSE}</article>`,
      '3 div.x > a have 4 characters of text each, and are outside the main part of the page.',
    ],
    [
      'a list beside two articles',
      `<div class="x">${each(3, (i) => `<a href="/${i}">No ${i}</a>`)}</div>${each(2, () => `<article><p>${PROSE}</article>`)}`,
      '3 div.x > a have 4 characters of text each.',
    ],
    [
      'two cards',
      `<main>${each(2, (i) => `<article><h2><a href="/${i}">Card number ${i}</a></h2></article>`)}</main>`,
      '2 main > article are 2; a list has 3 or more.',
    ],
    [
      'short words',
      `<main><ul class="kinds">${each(9, (i) => `<li><a href="/${i}">No ${i}</a></li>`)}</ul></main>`,
      '9 ul.kinds > li have 4 characters of text each.',
    ],
    [
      'plain sentences',
      `<main>${each(4, (i) => `<div class="s">${PROSE} ${i}</div>`)}</main>`,
      '4 main > div.s have no links, and no pictures, headings, dates or prices.',
    ],
    [
      'links that say nothing more',
      `<main>${each(4, (i) => `<p class="s"><a>${PROSE} ${i}</a></p>`)}</main>`,
      '4 main > p.s give only the column title.',
    ],
    [
      'a table of layout',
      `<main><table role="presentation">${each(3, (i) => `<tr><td>${PROSE}<td>${i}</tr>`)}</table></main>`,
      '3 tbody > tr are in a table that is marked as layout.',
    ],
    [
      'a table without headings',
      `<main><table>${each(3, (i) => `<tr><td>${PROSE}<td>${i}</tr>`)}</table></main>`,
      '3 tbody > tr are in a table without headings to name its columns.',
    ],
  ])('%s', (_, body, reason) => {
    expect(refused(body).map((one) => one.reason)).toContain(reason)
  })
})

test('the elements with the most text come first, with the text of the first one', () => {
  const menu = `<nav>${each(3, (i) => `<a href="/${i}">Go to ${i}</a>`)}</nav>`
  const [first, second] = refused(`${menu}<main>${each(4, () => `<div>${PROSE}</div>`)}</main>`)
  expect(first).toMatchObject({ items: 'main > div', count: 4, text: PROSE.slice(0, 80).trim() })
  expect(second).toMatchObject({ items: 'nav > a', count: 3, text: 'Go to 1' })
})

test('a list that was found is not refused, nor are its parts', () => {
  const card = (i: number): string =>
    `<li class="card"><h3><a href="/${i}">Card number ${i}</a></h3><b>a</b><b>b</b><b>c</b></li>`
  expect(refused(`<main><ul>${each(5, card)}</ul></main>`)).toEqual([])
})
