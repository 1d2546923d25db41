import type { Json } from '../../kernel/json.ts'
import { cellText } from './cell-text.ts'
import type { ExportFormat } from './format.ts'
import { looksLikeFormula } from './formula.ts'
import { writeText } from './write-text.ts'

const EOL = '\r\n'
const QUOTED = /[",\r\n]/

/**
 * CSV by RFC 4180, with a header row. Nothing is an empty cell, lists and objects are JSON text, and a cell that a
 * spreadsheet would run as a formula is led by an apostrophe, plain numbers apart.
 */
export const csvFormat: ExportFormat = {
  name: 'csv',
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8; header=present',
  compressible: true,
  needsTypes: false,
  write(rows, columns) {
    const names = columns.map(({ name }) => name)
    return writeText(rows, {
      head: line(names.map(heading)),
      row: (row) => line(names.map((name) => cell(Object.hasOwn(row, name) ? row[name] : null))),
      tail: () => '',
    })
  },
}

function line(cells: readonly string[]): string {
  // A lone empty cell would be an empty line, which readers take for no row at all.
  return (cells.length === 1 && cells[0] === '' ? '""' : cells.join(',')) + EOL
}

// At the start of a file, readers take it for a byte order mark, unless it is within quotes.
function heading(name: string): string {
  return name.startsWith('\ufeff') ? `"${name.replaceAll('"', '""')}"` : textCell(name)
}

function cell(value: Json | undefined): string {
  if (typeof value === 'string') return textCell(value)
  return typeof value === 'object' ? quoted(cellText(value)) : cellText(value)
}

function textCell(text: string): string {
  return quoted(looksLikeFormula(text) ? `'${text}` : text)
}

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
