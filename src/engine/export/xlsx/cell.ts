import type { Json } from '../../../kernel/json.ts'
import { cellText } from '../cell-text.ts'
import type { Column } from '../../../ports/row-work.ts'
import { looksLikeFormula } from '../formula.ts'
import { numberText } from '../number-text.ts'
import { readDate } from '../read-date.ts'
import { STYLE } from './parts.ts'

/** Most characters of a cell. */
export const MOST_CHARACTERS = 32_767
/**
 * Day 0 of serial numbers. Before the first of March 1900, readers disagree on them, as Excel
 * thinks that 1900 was a leap year.
 */
const DAY_ZERO = Date.UTC(1899, 11, 30)
const FIRST_DATE = Date.UTC(1900, 2, 1)
const DAY_MS = 86_400_000
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/**
 * Markup, what XML cannot carry, and an underscore that would begin an escape (ECMA-376 part 1,
 * 22.9.2.19).
 */
const UNFIT = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[\da-fA-F]{4}_)|\p{Surrogate}/u
const EACH = new RegExp(UNFIT.source, 'gu')

/** The cell of a value; none for nothing. `place`: such as `B7`. */
export function cell(place: string, value: Json | undefined, type: Column['type']): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return `<c r="${place}"><v>${numberText(value)}</v></c>`
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`
  if (type === 'date' && typeof value === 'string') {
    const date = readDate(value)
    if (date !== null && date.at >= FIRST_DATE)
      return `<c r="${place}" s="${date.isDay ? STYLE.day : STYLE.time}"><v>${numberText((date.at - DAY_ZERO) / DAY_MS)}</v></c>`
  }
  const text = cellText(value)
  return textCell(place, text, looksLikeFormula(text) ? STYLE.literal : 0)
}

/** A cell of text, which no reader takes for a formula. */
export function textCell(place: string, text: string, style: number): string {
  return `<c r="${place}"${style === 0 ? '' : ` s="${style}"`} t="inlineStr"><is><t xml:space="preserve">${escaped(text.length > MOST_CHARACTERS ? cut(text) : text)}</t></is></c>`
}

function cut(text: string): string {
  const mark = `… [cut: ${text.length} characters]`
  return text.slice(0, MOST_CHARACTERS - mark.length).replace(/[\ud800-\udbff]$/, '') + mark
}

function escaped(text: string): string {
  return UNFIT.test(text) ? text.replace(EACH, escapeOf) : text
}

function escapeOf(character: string): string {
  const code = character.charCodeAt(0)
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd'
  return ESCAPES[character] ?? `_x${code.toString(16).toUpperCase().padStart(4, '0')}_`
}
