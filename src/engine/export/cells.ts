import type { Json } from '../../kernel/json.ts'

/** A value as the text of a cell: nothing is empty, lists and objects are JSON. */
export function cellText(value: Json | undefined): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberText(value)
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const THOUSAND = Array.from({ length: 1_000 }, (_, number) => JSON.stringify(number))
const PADDED = THOUSAND.map((text) => text.padStart(3, '0'))

/**
 * A finite number as text, as `String` has it. Runtimes keep the texts of the last numbers that
 * `String` was given: those of a million rows are never asked for again, but in their thousands
 * outlive each collection of young garbage, and pile up until all garbage is collected.
 */
export function numberText(number: number): string {
  if (!Number.isInteger(number) || number < 0 || number >= 1_000_000) return JSON.stringify(number)
  return number < 1_000
    ? `${THOUSAND[number]}`
    : `${THOUSAND[Math.floor(number / 1_000)]}${PADDED[number % 1_000]}`
}

const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
/**
 * What makes a formula, its full-width forms included, behind nothing but what a reader may trim or
 * ignore.
 */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u
/**
 * What may stand before it: a first character that is neither this nor a formula's own spares the
 * search.
 */
const PLAIN_START = /^[\w"'(),.:;<>[\]{}/\\|!?#$%&*^`~]/

/**
 * Whether a spreadsheet may run a text as a formula (OWASP, CSV injection): it begins with `=`,
 * `+`, `-` or `@`, in full width too, also behind white space and characters without a shape, which
 * some readers leave out. So may whatever follows a tab or a line's end. Numbers with a sign are
 * none.
 */
export function looksLikeFormula(text: string): boolean {
  if (text === '' || PLAIN_START.test(text)) return false
  const first = text.charCodeAt(0)
  if (first === 0x09 || first === 0x0a || first === 0x0d) return true
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text.trim())
}
