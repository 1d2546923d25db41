import { withLatinDigits } from './number-format.ts'
import { plainWord } from './date-words.ts'

/** A number, a word or a sign of a text in which a date is looked for. */
export interface DateToken {
  readonly kind: 'number' | 'word' | 'sign'
  /** Digits, a word as `plainWord` writes it, or one character. */
  readonly text: string
  /** Position of its first character. */
  readonly at: number
  /** True if it is the first token, or has white space before it. */
  readonly isSpaced: boolean
}

/** Digits; letters, with dots between single letters (`a.m`); or any other character. */
const TOKEN =
  /\p{Nd}+|\p{L}[\p{M}\u200c\u200d]*(?:\.\p{L}\p{M}*)+(?!\p{L})|\p{L}[\p{L}\p{M}\u200c\u200d]*|[^\s]/gu

/** Reads the tokens of a text. */
export function dateTokens(text: string): DateToken[] {
  const tokens: DateToken[] = []
  let end = -1
  // A prime is a letter in Unicode, but people type it as an apostrophe.
  for (const match of withLatinDigits(text).replaceAll('ʹ', '’').matchAll(TOKEN)) {
    const [part] = match
    const kind = /^\p{Nd}/u.test(part) ? 'number' : /^\p{L}/u.test(part) ? 'word' : 'sign'
    tokens.push({
      kind,
      text: kind === 'word' ? plainWord(part) : part,
      at: match.index,
      isSpaced: match.index !== end,
    })
    end = match.index + part.length
  }
  return tokens
}

/** The number of a token with at most `digits` digits; else `null`. */
export function numberAt(tokens: readonly DateToken[], index: number, digits = 2): number | null {
  const token = tokens[index]
  return token?.kind === 'number' && token.text.length <= digits ? Number(token.text) : null
}

/** True if a sign or a word is at a position. */
export function isAt(tokens: readonly DateToken[], index: number, ...texts: string[]): boolean {
  const token = tokens[index]
  return token !== undefined && token.kind !== 'number' && texts.includes(token.text)
}
