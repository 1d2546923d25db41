import type { Json } from '../../kernel/json.ts'
import type { ExportFormat } from './format.ts'
import { writeText } from './write-text.ts'

const EOL = '\r\n'
const QUOTED = /[",\r\n]/
/** First characters that make a spreadsheet take a cell for a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/
const PLAIN_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/**
 * CSV by RFC 4180, with a header row. Nothing is an empty cell, lists and objects are JSON text, and a cell that a
 * spreadsheet would run as a formula is led by an apostrophe, plain numbers apart.
 */
export const csvFormat: ExportFormat = {
  name: 'csv',
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8; header=present',
  write: (rows, columns) =>
    writeText(rows, {
      head: line(columns.map(textCell)),
      row: (row) => line(columns.map((column) => cell(Object.hasOwn(row, column) ? row[column] : null))),
      tail: () => '',
    }),
}

function line(cells: readonly string[]): string {
  // A lone empty cell would be an empty line, which readers take for no row at all.
  return (cells.length === 1 && cells[0] === '' ? '""' : cells.join(',')) + EOL
}

function cell(value: Json | undefined): string {
  if (typeof value === 'string') return textCell(value)
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? quoted(JSON.stringify(value)) : String(value)
}

function textCell(text: string): string {
  return quoted(FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text)
}

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
