import type { Json } from '../../kernel/json.ts'

/** Returns a value as the text of a cell: an absent value is empty, lists and objects are JSON. */
export function cellText(value: Json | undefined): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberText(value)
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const THOUSAND = Array.from({ length: 1_000 }, (_, number) => JSON.stringify(number))
const PADDED = THOUSAND.map((text) => text.padStart(3, '0'))

/**
 * Returns a finite number as text, as `String` does. Runtimes cache the last texts that `String`
 * made. The cached texts of a million rows are never used again, but thousands of them survive each
 * collection of young garbage and pile up until a full collection.
 */
export function numberText(number: number): string {
  if (!Number.isInteger(number) || number < 0 || number >= 1_000_000) return JSON.stringify(number)
  return number < 1_000
    ? `${THOUSAND[number]}`
    : `${THOUSAND[Math.floor(number / 1_000)]}${PADDED[number % 1_000]}`
}

const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
/**
 * The start of a formula, full-width forms included, after only characters that a reader may trim
 * or ignore.
 */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u
/**
 * First characters that neither begin a formula nor may be ignored before one. They make the slower
 * search unnecessary.
 */
const PLAIN_START = /^[\w"'(),.:;<>[\]{}/\\|!?#$%&*^`~]/

/**
 * True if a spreadsheet may run a text as a formula (OWASP, CSV injection). Such a text begins with
 * `=`, `+`, `-` or `@`, also in full width, and also after white space or invisible characters,
 * which some readers drop. Text after a tab or a line end counts as a beginning too. Signed numbers
 * are not formulas.
 */
export function looksLikeFormula(text: string): boolean {
  if (text === '' || PLAIN_START.test(text)) return false
  const first = text.charCodeAt(0)
  if (first === 0x09 || first === 0x0a || first === 0x0d) return true
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text.trim())
}
