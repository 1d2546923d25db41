import { isTag, type Element } from 'domhandler'
import { isReservedName } from '../../../kernel/reserved-name.ts'
import type { Field } from '../../recipe/field-schema.ts'
import type { PageContent } from '../page/page-content.ts'
import { textOf } from '../tree/text-content.ts'
import { parseNumber } from '../value/parse-number.ts'
import { select, selectorForAll } from './stable-selector.ts'

/** A table of records: its rows, and a field for each column. */
export interface DataTable {
  readonly items: string
  readonly fields: Record<string, Field>
  readonly rows: number
}

const MIN_ROWS = 2
const MIN_COLUMNS = 2

/** The page's largest table that has a row of headings and no tables inside; `null` if there is none. */
export function dataTable(page: PageContent): DataTable | null {
  let best: DataTable | null = null
  for (const table of page.tree.elements) {
    if (table.name !== 'table' || table.attribs['role'] === 'presentation') continue
    const found = readTable(page, table)
    if (found !== null && (best === null || found.rows * Object.keys(found.fields).length > best.rows * Object.keys(best.fields).length)) best = found
  }
  return best
}

function readTable(page: PageContent, table: Element): DataTable | null {
  const rows: Element[] = []
  for (let at = (table.startIndex ?? 0) + 1; at <= (table.endIndex ?? -1); at++) {
    const element = page.tree.elements[at]
    if (element?.name === 'table') return null
    if (element?.name === 'tr') rows.push(element)
  }
  // Above the headings there may be a row that holds the table's title.
  while (rows.length > 0 && cellsOf(rows[0]).length < MIN_COLUMNS) rows.shift()
  const [head, ...body] = rows
  if (head === undefined || !isHead(head, body)) return null
  const records = body.filter((row) => cellsOf(row).some((cell) => cell.name === 'td'))
  const headings = cellsOf(head)
  if (records.length < MIN_ROWS || headings.length < MIN_COLUMNS || headings.some((cell) => Number(cell.attribs['colspan'] ?? 1) > 1)) return null
  const items = rowSelector(page, table, records)
  if (items === null) return null
  const fields: Record<string, Field> = {}
  for (const [at, heading] of headings.entries()) {
    const values = records.map((row) => cellsOf(row)[at]).filter((cell) => cell !== undefined)
    if (values.length === 0) continue
    const css = `> :nth-child(${at + 1})`
    fields[freeName(columnName(textOf(heading), at), fields)] = isNumeric(values) ? { css, as: 'number' } : css
  }
  const linked = records.map((row) => row.children.filter(isTag).findIndex((cell) => cell.children.some((child) => isTag(child) && child.name === 'a' && /^(?!#)./.test(child.attribs['href'] ?? ''))))
  const column = linked.find((at) => at !== -1)
  if (column !== undefined && linked.filter((at) => at === column).length >= records.length * 0.6) fields[freeName('url', fields)] = { css: `> :nth-child(${column + 1}) a`, attr: 'href', as: 'url' }
  return { items, fields, rows: records.length }
}

function isHead(head: Element, body: readonly Element[]): boolean {
  const cells = cellsOf(head)
  if (cells.length === 0 || cells.filter((cell) => textOf(cell) !== '').length < cells.length * 0.5) return false
  if (head.parent !== null && isTag(head.parent) && head.parent.name === 'thead') return true
  if (cells.every((cell) => cell.name === 'td' && isBold(cell))) return true
  return cells.every((cell) => cell.name === 'th' || textOf(cell) === '') && !body.every((row) => cellsOf(row).every((cell) => cell.name === 'th'))
}

// Rows of headings stand among the records where a page leaves `thead` out: `:has(td)` passes over them.
function rowSelector(page: PageContent, table: Element, records: readonly Element[]): string | null {
  const exact = selectorForAll(page.tree, records, 0)
  if (exact !== null) return exact
  const name = selectorForAll(page.tree, [table], 0)
  const tables = name === null ? ['table'] : [name, 'table']
  const wanted = new Set(records)
  const place = (records[0]?.parent?.children.filter(isTag).findIndex((row) => row === records[0]) ?? 0) + 1
  for (const one of tables) {
    for (const css of [`${one} > tbody > tr:has(> td)`, `${one} > tbody > tr:has(> td):not(:first-child)`, `${one} > tbody > tr:nth-child(n+${place})`]) {
      const found = select(page.tree, css, null)
      if (found.length === wanted.size && found.every((row) => wanted.has(row))) return css
    }
  }
  return selectorForAll(page.tree, records, 0.1)
}

function isBold(cell: Element): boolean {
  const parts = cell.children.filter((child) => isTag(child) || ('data' in child && child.data.trim() !== ''))
  return parts.length === 1 && parts.every((part) => isTag(part) && (part.name === 'b' || part.name === 'strong'))
}

function cellsOf(row: Element | undefined): Element[] {
  return (row?.children ?? []).filter(isTag).filter((cell) => cell.name === 'td' || cell.name === 'th')
}

function isNumeric(cells: readonly Element[]): boolean {
  const texts = cells.map(textOf).filter((text) => text !== '')
  return texts.length > 0 && texts.every((text) => /^[^\w\s]{0,2}\s?[-+−]?\d[\d.,\s]*\s?[^\w\s]{0,2}$/.test(text) && parseNumber(text) !== null)
}

/** `Unit price (EUR)` → `unit_price_eur`. */
function columnName(heading: string, at: number): string {
  const name = heading.normalize('NFKC').toLowerCase().replace(/\[[^\]]*\]/g, '').replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_+|_+$/g, '').slice(0, 60)
  return name === '' || isReservedName(name) ? `column_${at + 1}` : name
}

function freeName(name: string, taken: Readonly<Record<string, Field>>): string {
  let free = name
  for (let count = 2; Object.hasOwn(taken, free); count++) free = `${name}_${count}`
  return free
}
