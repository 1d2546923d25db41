import { isTag } from 'domhandler'
import type { Element } from 'domhandler'
import { isReservedName } from '../../../kernel/names.ts'
import type { Field, Fields } from '../../recipe/recipe-input.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { textStart } from '../tree/text-content.ts'
import { parseNumber } from '../value/parse-number.ts'
import { select, selectorForAll } from './stable-selector.ts'
import { loadedReaders } from '../document/prepare-page.ts'

/** A table of records: its rows, and a field per column. */
interface DataTable {
  readonly items: string
  readonly fields: Record<string, Field>
  readonly rows: number
}

const MIN_ROWS = 2
const MIN_COLUMNS = 2
const MOST_COLUMNS = 200
/** Maximum number of tables for which a selector is searched, the largest first. */
const MOST_TRIED = 5
/** Maximum characters of a heading that names a column. */
const LONGEST_HEADING = 200

/** Returns the page's largest table with a row of headings and no tables inside, or `null`. */
export function dataTable(page: PageContent): DataTable | null {
  const tables = page.tree.elements.filter(({ name }) => name === 'table')
  const grids = tables.flatMap((table, at) => {
    const next = tables[at + 1]?.startIndex ?? Infinity
    return table.attribs['role'] === 'presentation' || next <= (table.endIndex ?? -1)
      ? []
      : (gridOf(page, table) ?? [])
  })
  const largest = grids.toSorted(
    (a, b) => b.records.length * b.headings.length - a.records.length * a.headings.length,
  )
  // Each selector is searched in the whole page, so only a few tables are tried.
  for (const grid of largest.slice(0, MOST_TRIED)) {
    const items = rowSelector(page, grid.table, grid.records)
    if (items !== null)
      return { items, fields: fieldsOf(grid, page.budget), rows: grid.records.length }
  }
  return null
}

/** The rows of a table and its heading cells. */
interface Grid {
  readonly table: Element
  readonly records: readonly Element[]
  readonly headings: readonly Element[]
}

function gridOf(page: PageContent, table: Element): Grid | null {
  const rows = page.tree.elements
    .slice((table.startIndex ?? 0) + 1, (table.endIndex ?? -1) + 1)
    .filter(({ name }) => name === 'tr')
  // A row above the headings may hold the table's title.
  const first = rows.findIndex((row) => cellsOf(row).length >= MIN_COLUMNS)
  const head = rows[first]
  const body = rows.slice(first + 1)
  if (head === undefined || !isHead(head, body, page.budget)) return null
  const records = body.filter((row) => cellsOf(row).some((cell) => cell.name === 'td'))
  const headings = cellsOf(head).slice(0, MOST_COLUMNS)
  if (
    records.length < MIN_ROWS ||
    headings.length < MIN_COLUMNS ||
    headings.some((cell) => Number(cell.attribs['colspan'] ?? 1) > 1)
  )
    return null
  return { table, records, headings }
}

function fieldsOf({ records, headings }: Grid, budget: PageBudget): Record<string, Field> {
  const fields: Record<string, Field> = {}
  const cells = records.map(cellsOf)
  for (const [at, heading] of headings.entries()) {
    const values = cells.map((row) => row[at]).filter((cell) => cell !== undefined)
    if (values.length === 0) continue
    const css = `> :nth-child(${at + 1})`
    fields[freeName(columnName(textStart(heading, LONGEST_HEADING, budget), at), fields)] =
      isNumeric(values, budget) ? { css, as: 'number' } : css
  }
  const linked = records.map((row) =>
    row.children
      .filter(isTag)
      .findIndex((cell) =>
        cell.children.some(
          (child) =>
            isTag(child) && child.name === 'a' && /^(?!#)./.test(child.attribs['href'] ?? ''),
        ),
      ),
  )
  const column = linked.find((at) => at !== -1)
  if (column !== undefined && linked.filter((at) => at === column).length >= records.length * 0.6)
    fields[freeName('url', fields)] = {
      css: `> :nth-child(${column + 1}) a`,
      attr: 'href',
      as: 'url',
    }
  return fields
}

function isHead(head: Element, body: readonly Element[], budget: PageBudget): boolean {
  const cells = cellsOf(head)
  if (
    cells.length === 0 ||
    cells.filter((cell) => textStart(cell, 1, budget) !== '').length < cells.length * 0.5
  )
    return false
  if (head.parent !== null && isTag(head.parent) && head.parent.name === 'thead') return true
  if (cells.every((cell) => cell.name === 'td' && isBold(cell))) return true
  return (
    cells.every((cell) => cell.name === 'th' || textStart(cell, 1, budget) === '') &&
    !body.every((row) => cellsOf(row).every((cell) => cell.name === 'th'))
  )
}

// Without `thead`, heading rows stand among the records. `:has(td)` skips them.
function rowSelector(
  page: PageContent,
  table: Element,
  records: readonly Element[],
): string | null {
  const exact = selectorForAll(page, records, 0)
  if (exact !== null) return exact
  const name = selectorForAll(page, [table], 0)
  const tables = name === null ? ['table'] : [name, 'table']
  const targets = new Set(records)
  const firstRow =
    (records[0]?.parent?.children.filter(isTag).findIndex((row) => row === records[0]) ?? 0) + 1
  for (const one of tables) {
    for (const css of [
      `${one} > tbody > tr:has(> td)`,
      `${one} > tbody > tr:has(> td):not(:first-child)`,
      `${one} > tbody > tr:nth-child(n+${firstRow})`,
    ]) {
      const matches = select(page, css, null)
      if (matches.length === targets.size && matches.every((row) => targets.has(row))) return css
    }
  }
  return selectorForAll(page, records, 0.1)
}

function isBold(cell: Element): boolean {
  const parts = cell.children.filter(
    (child) => isTag(child) || ('data' in child && child.data.trim() !== ''),
  )
  return (
    parts.length === 1 &&
    parts.every((part) => isTag(part) && (part.name === 'b' || part.name === 'strong'))
  )
}

function cellsOf(row: Element | undefined): Element[] {
  return (row?.children ?? [])
    .filter(isTag)
    .filter((cell) => cell.name === 'td' || cell.name === 'th')
}

function isNumeric(cells: readonly Element[], budget: PageBudget): boolean {
  const texts = cells.map((cell) => textStart(cell, 100, budget)).filter((text) => text !== '')
  return (
    texts.length > 0 &&
    texts.every(
      (text) =>
        /^[^\w\s]{0,2}\s?[-+−]?\d[\d.,\s]*\s?[^\w\s]{0,2}$/.test(text) &&
        parseNumber(text) !== null,
    )
  )
}

/** `Unit price (EUR)` → `unit_price_eur`. */
function columnName(heading: string, at: number): string {
  const name = heading
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\[[^[\]]*\]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
    .slice(0, 60)
  return name === '' || isReservedName(name) ? `column_${at + 1}` : name
}

function freeName(name: string, fields: Readonly<Record<string, Field>>): string {
  let free = name
  for (let count = 2; Object.hasOwn(fields, free); count++) free = `${name}_${count}`
  return free
}

/**
 * Returns the fields of CSV and JSON Lines records, or `null` for any other page and without
 * records.
 */
export function tableFields(
  page: PageContent,
): { readonly items: string; readonly fields: Fields } | null {
  if (!page.isTable) return null
  const fields = loadedReaders()?.recordFields(page.data) ?? {}
  return Object.keys(fields).length === 0 ? null : { items: '$[*]', fields }
}
