import { eastAsianWidth } from 'get-east-asian-width'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const PLAIN = /^[\x20-\x7e]*$/

/**
 * Text of a page as one line that is safe to print. Control characters, including terminal escapes,
 * and bidirectional overrides become U+FFFD. Runs of white space become one space.
 */
export function displayText(text: string): string {
  if (PLAIN.test(text) && !text.includes('  ')) return text.trim()
  return text
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu, '\ufffd')
}

/** An amount of things: `1 page`, `2 pages`. */
export function amountOf(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? '' : 's'}`
}

/** Columns that a line of {@link displayText} takes in a terminal. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment)
  return width
}

/** Cuts text to at most `width` columns. A text that was cut ends with `…`. */
export function fitText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let out = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += graphemeWidth(segment)
    if (used > width - 1) break
    out += segment
  }
  return `${out.trimEnd()}…`
}

function graphemeWidth(grapheme: string): number {
  if (/\p{Emoji_Presentation}|\ufe0f/u.test(grapheme)) return 2
  const first = grapheme.codePointAt(0) ?? 0
  return /^[\p{Mark}\p{Cf}]/u.test(grapheme) ? 0 : eastAsianWidth(first)
}
