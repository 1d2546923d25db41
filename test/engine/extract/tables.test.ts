import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { detectRecipe } from '../../../src/engine/plan/auto-extract.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { loadRegexEngine } from '../../../src/engine/extract/value/linear-regex.ts'
import type { Row } from '../../../src/kernel/json.ts'

await loadRegexEngine()
const URL = 'https://ferries.example.com/lines'
const start = { urls: [URL] }
const visit = { label: 'start', depth: 0, hop: 1 }
const pageOf = (table: string) => ({
  url: URL,
  contentType: 'text/html; charset=utf-8',
  body: new TextEncoder().encode(`<!doctype html><html lang=en><title>Lines</title>${table}`),
})
/** The rows of a recipe's `extract`, after detection of everything that it leaves open. */
const rowsOf = (extract: unknown, table: string): readonly Row[] => {
  const page = pageOf(table)
  const { recipe } = parseRecipe({ start, extract })
  return compileRecipe(detectRecipe(recipe, page)).process(page, visit).rows
}
const cells = (fields: unknown, table: string, items = 'tr:has(td)') =>
  rowsOf({ items, fields }, table)
const auto = (table: string) => rowsOf({ items: ':auto(table)' }, table)
const asWritten = (table: string) => rowsOf({ items: ':auto(table as written)' }, table)

const SPANS = `<table>
  <tr><th rowspan=2>Line</th><th colspan=2>Crossing</th><th rowspan=2>Ships</th></tr>
  <tr><th>from</th><th>to</th></tr>
  <tr><td rowspan=2><a href="/a">A</a></td><td>Hook</td><td>Port</td><td>1,200</td></tr>
  <tr><td colspan=2>Bay</td><td>3</td></tr>
  <tr><td>B</td><td rowspan=0>Sound</td><td>Cape</td><td>7</td></tr>
  <tr><td>C</td><td>Isle</td><td>0</td></tr>
</table>`

describe('a cell of a row', () => {
  it('is found by the heading of its column or by its number, through spans', () => {
    const fields = { line: { cell: 1 }, from: { cell: 'crossing FROM' }, to: { cell: 3 } }
    expect(cells(fields, SPANS)).toEqual([
      { line: 'A', from: 'Hook', to: 'Port' },
      { line: 'A', from: 'Bay', to: 'Bay' },
      { line: 'B', from: 'Sound', to: 'Cape' },
      { line: 'C', from: 'Sound', to: 'Isle' },
    ])
  })

  it('can be read as a type, through steps, and as its first link', () => {
    const fields = {
      ships: { cell: 'Ships', as: 'number' },
      first: { cell: 'Crossing from', regex: '^.' },
      url: { cell: 'Line', as: 'url' },
      name: { cell: 1, transform: ['lower'] },
      markup: { cell: 1, as: 'html' },
    }
    const [first, , , last] = cells(fields, SPANS)
    expect(first).toEqual({
      ships: 1_200,
      first: 'H',
      url: 'https://ferries.example.com/a',
      name: 'a',
      markup: '<td rowspan="2"><a href="/a">A</a></td>',
    })
    // The number 0 is a value.
    expect(last?.['ships']).toBe(0)
  })

  it('is read without hidden parts and marks of footnotes', () => {
    const table = `<table><tr><th>Day</th><th style="display:none">Key</th><th>Seats</th></tr>
      <tr><td><span style="display:none">0001995-09-03</span>3 September<sup>[2]</sup></td><td style="display:none">9</td><td><span hidden>7000</span>42<sup><a href="#n1">1</a></sup> m<sup>2</sup></td></tr>
      <tr style="display: none"><td>gone</td><td style="display:none">9</td><td>0</td></tr></table>`
    expect(cells({ day: { cell: 'Day' }, seats: { cell: 2 } }, table)).toEqual([
      { day: '3 September', seats: '42 m2' },
    ])
  })

  it('does not come from headings, titles of sections, notes or hidden rows', () => {
    expect(cells({ line: { cell: 'Line' } }, SPANS, 'table tr')).toHaveLength(4)
  })

  it('is null if the item is not a row of a table, or has no such column', () => {
    expect(cells({ a: { cell: 'Berth' }, b: { cell: 9 } }, SPANS)).toEqual([])
    expect(cells({ a: { cell: 1 } }, SPANS, 'td')).toEqual([])
  })

  it('is refused as a source for a whole page and for JSON, which have no rows', () => {
    for (const extract of [
      { fields: { a: { cell: 1 } } },
      { items: '$[*]', fields: { a: { cell: 1 } } },
    ])
      expect(() => compileRecipe(parseRecipe({ start, extract }).recipe)).toThrow(/rows of a table/)
  })

  const size = fc.integer({ min: 1, max: 4 })
  it('is the cell that a browser shows at that place, however the cells span', () => {
    const tiles = fc.array(fc.tuple(size, size), { minLength: 30, maxLength: 30 })
    fc.assert(
      fc.property(size, fc.integer({ min: 2, max: 6 }), tiles, (width, height, sizes) => {
        const grid: string[][] = Array.from({ length: height }, () =>
          Array.from({ length: width }, () => ''),
        )
        const rows = Array.from({ length: height }, () => '')
        let next = 0
        for (let y = 0; y < height; y++)
          for (let x = 0; x < width; x++) {
            if (grid[y]?.[x] !== '') continue
            const [w, h] = sizes[next % sizes.length] ?? [1, 1]
            const name = `c${next++}`
            let wide = 0
            while (wide < w && grid[y]?.[x + wide] === '') wide++
            const high = Math.min(h, height - y)
            for (let down = 0; down < high; down++)
              for (let right = 0; right < wide; right++) {
                const line = grid[y + down]
                if (line !== undefined) line[x + right] = name
              }
            rows[y] += `<td colspan=${wide} rowspan=${high}>${name}</td>`
          }
        const fields = Object.fromEntries(
          Array.from({ length: width }, (_, index) => [`f${index}`, { cell: index + 1 }]),
        )
        const table = `<table>${rows.map((row) => `<tr>${row}</tr>`).join('')}</table>`
        expect(cells(fields, table, 'tr').map((row) => Object.values(row))).toEqual(grid)
      }),
    )
  })
})

describe('a detected table', () => {
  it('has joined headings, and a value in each spanned cell', () => {
    expect(auto(SPANS)).toEqual([
      { line: 'A', crossing_from: 'Hook', crossing_to: 'Port', ships: 1_200 },
      { line: 'A', crossing_from: 'Bay', crossing_to: 'Bay', ships: 3 },
      { line: 'B', crossing_from: 'Sound', crossing_to: 'Cape', ships: 7 },
      { line: 'C', crossing_from: 'Sound', crossing_to: 'Isle', ships: 0 },
    ])
  })

  it('has the texts of the page, if the recipe asks for that', () => {
    expect(asWritten(SPANS)[0]).toEqual({
      Line: 'A',
      'Crossing from': 'Hook',
      'Crossing to': 'Port',
      Ships: '1,200',
    })
  })

  it('has no rows for titles of sections, notes, repeated headings and hidden rows', () => {
    const table = `<table><tr><th colspan=2>Ferries</th></tr><tr><th>Line</th><th>Ships</th></tr>
      <tr><th colspan=2>North</th></tr><tr><td>A</td><td>1</td></tr><tr><td>B</td><td>2</td></tr>
      <tr><th>Line</th><th>Ships</th></tr><tr hidden><td>X</td><td>9</td></tr>
      <tr><td>C</td><td>3</td></tr><tr><th>All</th><th>6</th></tr>
      <tr><td colspan=2>Counted in May</td></tr></table>`
    expect(auto(table)).toEqual([
      { line: 'A', ships: 1 },
      { line: 'B', ships: 2 },
      { line: 'C', ships: 3 },
      { line: 'All', ships: 6 },
    ])
  })

  it('has no column for cells without text', () => {
    const table =
      '<table><tr><th>Line</th><th>Note</th><th>Ships</th></tr><tr><td>A</td><td></td><td>1' +
      '</td></tr><tr><td>B</td><td> </td><td>2</td></tr></table>'
    expect(auto(table)).toEqual([
      { line: 'A', ships: 1 },
      { line: 'B', ships: 2 },
    ])
  })

  it('keeps two numbers of one cell apart', () => {
    const table =
      '<table><tr><th>Line</th><th>Fare</th></tr><tr><td>A</td><td>124.5<br>127.0</td></tr>' +
      '<tr><td>B</td><td>3.5</td></tr></table>'
    expect(auto(table).map(({ fare }) => fare)).toEqual(['124.5 127.0', '3.5'])
  })

  it('is all tables with the same headings, where nothing tells one from another', () => {
    const league = (teams: readonly string[]): string =>
      '<div class="part"><table class="grid"><tr><th>Team</th><th>Won</th></tr>' +
      `${teams.map((team, won) => `<tr><td>${team}</td><td>${won}</td></tr>`).join('')}</table></div>`
    const rows = auto(league(['Bern', 'Basel', 'Biel']) + league(['Lugano', 'Genf', 'Zug']))
    expect(rows.map(({ team }) => team)).toEqual(['Bern', 'Basel', 'Biel', 'Lugano', 'Genf', 'Zug'])
    const other =
      '<table class="grid"><tr><th>Hall</th><th>Seats</th></tr>' +
      '<tr><td>Old</td><td>10</td></tr><tr><td>New</td><td>20</td></tr></table>'
    const one = '<table id="halls">' + other.slice('<table class="grid">'.length)
    expect(auto(league(['Bern', 'Basel']) + one)).toHaveLength(2)
  })

  it('is not made of a table for layout', () => {
    const row =
      '<tr><th>Menu</th><th>Words</th></tr><tr><td>x</td><td>y</td></tr><tr><td>x</td><td>y</td></tr>'
    expect(auto(`<table role=presentation>${row}</table>`)).toEqual([])
    expect(auto(`<table><tr><td><table role=none>${row}</table></td></tr></table>`)).toEqual([])
  })
})
