import { describe, expect, test } from 'vitest'
import { each, found } from '../../support/found-list.ts'

// Columns of lists that nothing names: the place of a value tells what it is, where all items are
// built alike around it.

const FIRMS = ['Oak', 'Elm', 'Ash', 'Fir', 'Yew', 'Box', 'Bay', 'Fig']
const card = (i: number, rest: string) =>
  `<li class="flex"><h3 class="text-lg"><a href="/jobs/${i}">Job of number ${i}</a></h3>${rest}</li>`
const list = (rest: (i: number, firm: string) => string) =>
  found(`<ul class="grid">${each(8, (i) => card(i, rest(i, FIRMS[i - 1] ?? '')))}</ul>`)
const TITLED = ['title', 'url']

describe('values that nothing names', () => {
  test('are columns of texts, in their order', () => {
    const { first, rows } = list(
      (i, firm) =>
        `<div class="mt-2"><span class="text-sm">${firm} Works</span>` +
        `<span class="text-sm">${i % 2 === 0 ? 'Full-time' : 'Part-time'}</span></div>`,
    )
    expect(first).toEqual({
      title: 'Job of number 1',
      url: 'https://a.example/jobs/1',
      text: 'Oak Works',
      text_2: 'Part-time',
    })
    expect(rows[7]).toMatchObject({ text: 'Fig Works', text_2: 'Full-time' })
  })

  test('have the name of their form: numbers and dates', () => {
    const { first } = list((i) => `<p>${i * 3}</p><p><time datetime="2026-03-0${i}">now</time></p>`)
    expect(first).toMatchObject({ number: 3, date: '2026-03-01' })
  })

  test('have the name of their form, if only the column shows the order of day and month', () => {
    const { first } = list(
      (i) => `<p><time>${i + 8}-0${i}-2026</time></p><p><b>${i + 10}-0${i}-2025</b></p>`,
    )
    expect(first).toMatchObject({ date: '2026-01-09', date_2: '2025-01-11' })
  })

  test('are null where their element is empty', () => {
    const { rows } = list((i, firm) => `<p class="sub">${i === 3 ? '' : firm}</p>`)
    expect(rows.map(({ text }) => text)).toEqual(
      FIRMS.map((firm) => (firm === 'Ash' ? null : firm)),
    )
  })
})

test.each([
  [
    'an item lacks an element',
    (i: number, firm: string) => `<p>${firm}</p>${i === 5 ? '' : `<p>Road ${firm}</p>`}`,
  ],
  [
    'an item has an element more before it',
    (i: number, firm: string) => `${i === 5 ? '<b>New</b>' : ''}<p>${firm}</p>`,
  ],
  [
    'one of the elements looks otherwise',
    (i: number, firm: string) => `<p class="${i === 5 ? 'badge' : 'sub'}">${firm}</p>`,
  ],
  ['all say the same', () => '<p>Open now</p>'],
  ['most say what the title says', (i: number) => `<p>Job of number ${i}</p>`],
  [
    'one is a long text',
    (i: number, firm: string) => `<p>${i === 5 ? 'word '.repeat(40) : firm}</p>`,
  ],
])('there is no such column if %s', (_, rest) => {
  const { rows } = list(rest)
  expect(rows).toHaveLength(8)
  for (const row of rows)
    expect(Object.keys(row).filter((name) => name.startsWith('text'))).toEqual([])
  expect(Object.keys(rows[0] ?? {})).toEqual(expect.arrayContaining(TITLED))
})

test('all items are compared, however many there are', () => {
  const { first } = found(
    `<ul class="grid">${each(300, (i) => card(i, i === 290 ? '<b>x</b>' : `<p>Firm ${i}a</p>`))}</ul>`,
  )
  expect(Object.keys(first ?? {})).toEqual(TITLED)
})

test('a list too long to compare has only columns with names', () => {
  const { first, rows } = found(
    `<ul class="grid">${each(5_001, (i) => card(i, `<p>Firm ${i}a</p>`))}</ul>`,
  )
  expect(rows).toHaveLength(5_001)
  expect(Object.keys(first ?? {})).toEqual(TITLED)
})

test('the type of a column is that of all its texts', () => {
  const { rows } = found(
    `<ul class="grid">${each(40, (i) => card(i, `<p>${i === 30 ? 'sold out' : i}</p>`))}</ul>`,
  )
  expect(rows[29]).toMatchObject({ text: 'sold out' })
})

test('a value is a column if the first item lacks its text', () => {
  const { rows } = list((i, firm) => `<p>${i === 1 ? '' : firm}</p>`)
  expect(rows.map(({ text }) => text)).toEqual([null, ...FIRMS.slice(1)])
})

test('the words of a button are not a column', () => {
  const { first } = list((i) => `<a href="/b/${i}">${i % 2 === 0 ? 'Add to cart' : 'Tell me'}</a>`)
  expect(Object.keys(first ?? {})).toEqual(TITLED)
})

test.each(['x"y', 'a]b', "x'y"])('an element called %s ends no page', (name) => {
  const { rows } = list((_, firm) => `<div><${name}>${firm}</${name}></div>`)
  expect(rows).toHaveLength(8)
})

describe('a text of nothing but counts', () => {
  test.each([
    ['words after numbers', (i: number) => `${i} ${i === 1 ? 'Reply' : 'Replies'} · 10${i}7 Views`],
    ['words before numbers', (i: number) => `Replies: ${i}, Views: 10${i}7`],
  ])('is a column for each: %s', (_, text) => {
    const { rows } = list((i) => `<p class="stats">${text(i)}</p>`)
    expect(rows).toHaveLength(8)
    for (const [index, row] of rows.entries())
      expect(row).toEqual({
        title: `Job of number ${index + 1}`,
        url: `https://a.example/jobs/${index + 1}`,
        replies: index + 1,
        views: 1007 + 10 * (index + 1),
      })
  })

  const others = [
    ['lacks a count', (i: number) => (i === 7 ? '400 views' : `${i} replies · 30${i} views`)],
    [
      'has them the other way round',
      (i: number) => (i === 7 ? '300 views · 7 replies' : `${i} replies · 30${i} views`),
    ],
    [
      'has a space in a number',
      (i: number) => (i === 7 ? '4 replies · 1 227 views' : `${i} replies · 30${i} views`),
    ],
  ] as const
  test.each(others)('is one text if one of the items %s', (_, text) => {
    const { rows } = list((i) => `<p class="stats">${text(i)}</p>`)
    for (const [index, row] of rows.entries()) expect(row).toMatchObject({ text: text(index + 1) })
  })

  test('is looked at in all items', () => {
    const { first } = found(
      `<ul class="grid">${each(40, (i) =>
        card(i, `<p>${i === 39 ? '9 views · 9 replies' : `${i} replies · 30${i} views`}</p>`),
      )}</ul>`,
    )
    expect(Object.keys(first ?? {})).not.toContain('views')
  })

  test('has no count in a word with a number', () => {
    const { first } = list((i) => `<p class="stats">Replies: ${i} Views: 12${i} Rating5 / 5</p>`)
    expect(Object.keys(first ?? {})).toEqual(['title', 'url', 'description'])
  })

  test('is one text where it has other words', () => {
    const { first } = list((i) => `<p class="stats">${i} Replies, 12${i} Views of friends</p>`)
    expect(first).toMatchObject({ description: '1 Replies, 121 Views of friends' })
  })
})
