import { isStructure } from '../../kernel/json.ts'
import { replaceEach } from '../../kernel/text/long-text.ts'
import type { Json, Row } from '../../kernel/json.ts'
import type { Column } from '../../ports/row-work.ts'
import { cellText, looksLikeFormula } from './cells.ts'
import { createReader } from './rows.ts'
import type { PartSource, RowWriter } from './format.ts'
import { assembleText, textParts } from './write-text.ts'

const EOL = '\r\n'
/** Characters that require quotes. The semicolon and the tab are separators in some locales. */
const QUOTED = /[",;\t\r\n]/

/** Opens a writer of CSV lines; see the format `csv`. */
export function openCsv(columns: readonly Column[]): RowWriter {
  const readers = columns.map(({ name }) => createReader(name))
  const rowText = (row: Row): string => {
    let text = ''
    for (let index = 0; index < readers.length; index++) {
      if (index > 0) text += ','
      text += cell(readers[index]?.(row))
    }
    return line(text)
  }
  return { part: textParts(rowText) }
}

/** Assembles the file. */
export function assembleCsv(
  columns: readonly Column[],
  parts: PartSource,
): AsyncIterable<Uint8Array<ArrayBuffer>> {
  return assembleText(line(columns.map(({ name }) => heading(name)).join(',')), parts, () => '')
}

function line(cells: string): string {
  // A lone empty cell would be an empty line, which readers do not count as a row.
  return (cells === '' ? '""' : cells) + EOL
}

// Readers take this character at the start of a file for a byte order mark, unless it is in quotes.
function heading(name: string): string {
  const text = textCell(name)
  return text.startsWith('\ufeff') ? `"${text.replaceAll('"', '""')}"` : text
}

function cell(value: Json | undefined): string {
  if (typeof value === 'string') return textCell(value)
  return isStructure(value) ? quoted(JSON.stringify(value)) : cellText(value)
}

function textCell(text: string): string {
  return quoted(looksLikeFormula(text) ? `'${text}` : text)
}

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${replaceEach(text, /"/g, '""')}"` : text
}
