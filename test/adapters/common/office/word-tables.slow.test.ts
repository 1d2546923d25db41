import { expect, it } from 'vitest'
import { makeDocx, paragraph } from '../../../support/fakes/make-office.ts'
import { DOCX, pageOf, rowsOf } from '../../../support/office-page.ts'

/** A table of a Word file in which all cells look alike. */
function plainTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((texts) => texts.map((text) => `<w:tc>${paragraph(text)}</w:tc>`).join(''))
  return `<w:tbl>${cells.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>`
}

it('a Word file has names in the first rows of its tables where they stand above values', async () => {
  const cities = plainTable([
    ['City', 'Land', 'Shops'],
    ['Bergen', 'Norway', '3'],
    ['Lund', 'Sweden', '11'],
  ])
  const cell = (text: string, properties = ''): string =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`
  const row = (...cells: readonly string[]): string => `<w:tr>${cells.join('')}</w:tr>`
  const above =
    '<w:tbl>' +
    row(
      cell('Region', '<w:vMerge w:val="restart"/>'),
      cell('2024', '<w:gridSpan w:val="2"/>'),
      cell('2025'),
    ) +
    row(cell('', '<w:vMerge/>'), cell('Units'), cell('Value'), cell('Units')) +
    row(cell('North'), cell('1'), cell('20'), cell('3')) +
    row(cell('South'), cell('4'), cell('50'), cell('6')) +
    row(cell('West'), cell('7'), cell('80'), cell('9')) +
    '</w:tbl>'
  const two = await pageOf(await makeDocx(cities + paragraph('And sales:') + above), DOCX)
  expect(rowsOf(two, { extract: 'auto' })).toEqual([
    { region: 'North', '2024_units': 1, '2024_value': 20, '2025_units': 3 },
    { region: 'South', '2024_units': 4, '2024_value': 50, '2025_units': 6 },
    { region: 'West', '2024_units': 7, '2024_value': 80, '2025_units': 9 },
  ])
  const shops = await pageOf(await makeDocx(cities), DOCX)
  expect(rowsOf(shops, { extract: 'auto' })).toEqual([
    { city: 'Bergen', land: 'Norway', shops: 3 },
    { city: 'Lund', land: 'Sweden', shops: 11 },
  ])
  const values = plainTable([
    ['Pen', '2.50'],
    ['Ink', '4.20'],
  ])
  const bare = await pageOf(await makeDocx(values), DOCX)
  expect(
    rowsOf(bare, { extract: { items: 'td', fields: { text: { css: ':scope' } } } }),
  ).toHaveLength(4)
})

it('a Word table has names above years, and above values of which few are missing', async () => {
  const heads = async (rows: readonly (readonly string[])[]): Promise<number> =>
    rowsOf(await pageOf(await makeDocx(plainTable(rows)), DOCX), {
      extract: { items: 'thead > tr', fields: { text: 'th' } },
    }).length
  const priced = (...prices: readonly string[]) => [
    ['Item', 'Maker', 'Price'],
    ...prices.map((price, index) => [`Pen ${index}`, 'Quill', price]),
  ]
  expect(await heads(priced('1200', '900', '400'))).toBe(1)
  expect(await heads(priced('1994', '2001', '2010'))).toBe(1)
  expect(await heads(priced('5', '–', '7', '8', '9'))).toBe(1)
  expect(await heads(priced('5', 'n/a', '7', '8'))).toBe(0)
  // A first row with a year may have names, one with another number has none.
  const [, ...records] = priced('5', '6', '7')
  expect(await heads([['Item', 'Maker', '2024'], ...records])).toBe(1)
  expect(await heads([['Item', 'Maker', '12'], ...records])).toBe(0)
  expect(await heads(priced('1979', '1995', '2001').slice(1))).toBe(0)
})

it('a Word file has no names in tables of texts whose first row is like the others', async () => {
  const heads = async (table: string): Promise<number> =>
    rowsOf(await pageOf(await makeDocx(table), DOCX), {
      extract: { items: 'th', fields: { text: { css: ':scope' } } },
    }).length
  const people = [
    ['Ann', 'Paris', 'Clerk'],
    ['Bob', 'Rome', 'Cook'],
  ]
  const facts = [
    ['Name', 'Ann'],
    ['Price', '2.50'],
    ['Weight', '3'],
  ]
  expect(await heads(plainTable(people))).toBe(0)
  expect(await heads(plainTable(facts))).toBe(0)
  const row = (texts: readonly string[], style: (column: number) => readonly [string, boolean]) =>
    `<w:tr>${texts.map((text, column) => `<w:tc>${paragraph(text, ...style(column))}</w:tc>`).join('')}</w:tr>`
  // Bold names at the left, a style that all cells have, and a first row with one of its own.
  const left = facts.map((texts) => row(texts, (column) => ['', column === 0]))
  expect(await heads(`<w:tbl>${left.join('')}</w:tbl>`)).toBe(0)
  const all = people.map((texts) => row(texts, () => ['heading1', true]))
  expect(await heads(`<w:tbl>${all.join('')}</w:tbl>`)).toBe(0)
  for (const [style, isBold] of [
    ['heading1', false],
    ['', true],
  ] as const) {
    const first = row(['Name', 'City', 'Job'], () => [style, isBold])
    const rest = people.map((texts) => row(texts, (column) => ['', isBold && column === 0]))
    expect(await heads(`<w:tbl>${first}${rest.join('')}</w:tbl>`)).toBe(3)
  }
})

it('a Word file has names in a second row only if they name parts, and look like the first', async () => {
  const cell = (text: string, isBold: boolean, properties = ''): string =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text, '', isBold)}</w:tc>`
  const heads = async (
    first: string,
    rest: readonly (readonly string[])[],
    isBold: (row: number) => boolean,
  ): Promise<unknown> => {
    const rows = rest.map(
      (texts, row) =>
        `<w:tr>${texts.map((text) => cell(text, isBold(row), text === '' ? '<w:vMerge/>' : '')).join('')}</w:tr>`,
    )
    const table = `<w:tbl><w:tr>${first}</w:tr>${rows.join('')}</w:tbl>`
    return rowsOf(await pageOf(await makeDocx(table), DOCX), {
      extract: { items: 'thead > tr', fields: { text: 'th' } },
    }).length
  }
  const wide = '<w:gridSpan w:val="2"/>'
  const deep = '<w:vMerge w:val="restart"/>'
  const people = [
    ['Ann', 'Smith', 'Paris'],
    ['Bob', 'Ray', 'Rome'],
    ['Cid', 'Poe', 'Oslo'],
  ]
  const contact = cell('Contact', true, wide) + cell('City', true)
  expect(await heads(contact, people, () => false)).toBe(1)
  const group = cell('Contact', true, wide) + cell('Job', true, wide)
  const jobs = people.map((texts) => [...texts, `${texts[0]}'s job`])
  expect(await heads(group, jobs, () => false)).toBe(1)
  const named = [['First', 'Last', 'Place', 'Title'], ...jobs]
  expect(await heads(group, named, (row) => row === 0)).toBe(2)
  // A cell at the side of records is not a name above them.
  const side = cell('Team', true, deep) + cell('Name', true) + cell('City', true)
  const beside = people.map(([name = '', , city = '']) => ['', name, city])
  expect(await heads(side, beside, () => false)).toBe(1)
})
