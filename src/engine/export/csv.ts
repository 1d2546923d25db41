import type { Json, Row } from '../../kernel/json.ts'
import { cellText } from './cell-text.ts'
import type { ExportFormat } from './format.ts'
import { looksLikeFormula } from './formula.ts'
import { createReader } from './create-reader.ts'
import { TEXT_PART, textAssembly, textParts } from './text-format.ts'

const EOL = '\r\n'
/** What ends a cell, for readers in whose locale a semicolon or a tab does so too. */
const QUOTED = /[",;\t\r\n]/

/**
 * CSV by RFC 4180, with a header row. Nothing is an empty cell, lists and objects are JSON text, and a cell that a
 * spreadsheet would run as a formula is led by an apostrophe, plain numbers apart (decisions/016-exports.md).
 */
export const csvFormat: ExportFormat = {
  name: 'csv',
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8; header=present',
  compressible: true,
  needsTypes: false,
  keepsObjects: false,
  partSize: TEXT_PART,
  async open(columns) {
    const readers = columns.map(({ name }) => createReader(name))
    const rowText = (row: Row): string => {
      let text = ''
      for (let at = 0; at < readers.length; at++) {
        if (at > 0) text += ','
        text += cell(readers[at]?.(row))
      }
      return line(text)
    }
    return { part: textParts(rowText) }
  },
  ...textAssembly((columns) => line(columns.map(({ name }) => heading(name)).join(',')), () => ''),
}

function line(cells: string): string {
  // A lone empty cell would be an empty line, which readers take for no row at all.
  return (cells === '' ? '""' : cells) + EOL
}

// At the start of a file, readers take it for a byte order mark, unless it is within quotes.
function heading(name: string): string {
  const text = textCell(name)
  return text.startsWith('\ufeff') ? `"${text.replaceAll('"', '""')}"` : text
}

function cell(value: Json | undefined): string {
  if (typeof value === 'string') return textCell(value)
  return typeof value === 'object' && value !== null ? quoted(JSON.stringify(value)) : cellText(value)
}

function textCell(text: string): string {
  return quoted(looksLikeFormula(text) ? `'${text}` : text)
}

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
