import { isStructure } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'
import { cellText } from './cells.ts'
import type { Column } from '../../ports/row-work.ts'
import { createReader } from './rows.ts'
import type { PartSource, RowWriter } from './format.ts'
import { assembleText, textParts } from './write-text.ts'
import { xmlAttribute, xmlText } from './xml-text.ts'

/**
 * Letters that every edition of XML 1.0 allows in names, because readers differ: Latin, Greek,
 * Cyrillic, Hebrew, Arabic, kana, Han, Hangul.
 */
const LETTER =
  String.raw`A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0131\u0141-\u0148\u014a-\u017e` +
  String.raw`\u0391-\u03a1\u03a3-\u03ce\u0401\u0410-\u044f\u0451\u05d0-\u05ea\u0621-\u063a\u0641-\u064a` +
  String.raw`\u3041-\u3094\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3`
const NAME = new RegExp(`^(?![xX][mM][lL])[${LETTER}][${LETTER}\\d.-]*$`)
/** Maximum nesting. Readers refuse much deeper documents; deeper values are written as JSON text. */
const MOST_LEVELS = 60

interface Tag {
  readonly start: string
  readonly end: string
  readonly nil: string
}

const HEAD =
  '<?xml version="1.0" encoding="UTF-8"?>\n<rows xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n'

/** Opens a writer of the document's rows; see the format `xml`. */
export function openXml(columns: readonly Column[]): RowWriter {
  const cells = columns.map(({ name }) => ({ read: createReader(name), tag: tagOf(name) }))
  const rowText = (row: Row): string => {
    let text = '<row>'
    for (const { read, tag } of cells) text += element(tag, read(row), 0)
    return `${text}</row>\n`
  }
  return { part: textParts(rowText) }
}

/** Assembles the document. */
export function assembleXml(
  _: readonly Column[],
  parts: PartSource,
): AsyncIterable<Uint8Array<ArrayBuffer>> {
  return assembleText(HEAD, parts, () => '</rows>\n')
}

function element(tag: Tag, value: Json | undefined, level: number): string {
  if (value === null || value === undefined) return tag.nil
  return tag.start + content(value, level) + tag.end
}

function content(value: Json, level: number): string {
  if (!isStructure(value) || level === MOST_LEVELS) return xmlText(cellText(value))
  let text = ''
  if (Array.isArray(value)) for (const item of value) text += element(ITEM, item, level + 1)
  else
    for (const [name, member] of Object.entries(value))
      text += element(tagOf(name), member, level + 1)
  return text
}

function tagOf(name: string): Tag {
  const isName = NAME.test(name)
  const start = isName ? name : `field name="${xmlAttribute(name)}"`
  return {
    start: `<${start}>`,
    end: `</${isName ? name : 'field'}>`,
    nil: `<${start} xsi:nil="true"/>`,
  }
}

const ITEM = tagOf('item')
