import { GrowingText } from '../../../kernel/text/long-text.ts'
import { StepParts, type Parts } from './in-turns.ts'
import type { PageBudget } from './page-budget.ts'
import { escapeAt } from './script-signs.ts'
import { NotPlainData, type Value } from './script-values.ts'

const SPACE = /[\s\uFEFF]/
const SPACES = /[\s\uFEFF]*/y
const LETTERS = /[A-Za-z0-9$_]*/y
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy
const NUMBER =
  /(?:0[xX][\da-fA-F]{1,16}|(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?)/y
const LONGEST_NAME = 200
/** Characters that stand for themselves in a text, by its quote. */
const PLAIN = { '"': /[^"\\]*/y, "'": /[^'\\]*/y, '`': /[^`\\$]*/y }
/** Steps to read a character, and the number of characters that are charged at once. */
const STEPS = 4
const AHEAD = 64
/** Steps that a turn counts for a value whose characters are read again. */
const AGAIN_STEPS = 16
/** Escapes of a text that are read in one part. */
const MOST_ESCAPES = 2_000

type Quote = keyof typeof PLAIN

/** Reads the signs, texts, numbers and names of a script. */
export class ScriptScan {
  protected readonly text: string
  protected readonly budget: PageBudget
  readonly #pass: StepParts
  /** True if a part is to end. */
  protected isDue = false
  protected position: number
  /** The characters before this position are paid for. */
  #paid: number
  /** False if a text was read up to an escape in it. */
  #isWhole = true

  constructor(text: string, start: number, budget: PageBudget) {
    this.text = text
    this.budget = budget
    this.#pass = new StepParts(budget)
    this.position = start
    this.#paid = start
  }

  /** The next character that is neither space nor comment. */
  protected next(): string {
    for (;;) {
      if (this.position >= this.#paid) this.#payAhead()
      const sign = this.text.charAt(this.position)
      if (sign > '/' && sign < '\u0080') return sign
      if (sign === '/') {
        const mark = this.text.charAt(this.position + 1)
        if (mark !== '/' && mark !== '*') return sign
        const end = this.text.indexOf(mark === '/' ? '\n' : '*/', this.position + 2)
        this.position = end === -1 ? this.text.length : end + (mark === '/' ? 1 : 2)
      } else if (sign !== '' && SPACE.test(sign)) {
        SPACES.lastIndex = this.position + 1
        SPACES.test(this.text)
        this.position = SPACES.lastIndex
      } else return sign
    }
  }

  protected take(sign: string): boolean {
    if (this.next() !== sign) return false
    this.position++
    return true
  }

  protected demand(...signs: readonly string[]): void {
    for (const sign of signs) if (!this.take(sign)) throw new NotPlainData()
  }

  /** Pays for characters before they are read. Characters that are read again are paid for once. */
  #payAhead(): void {
    const paid = Math.min(this.text.length, this.position + AHEAD)
    this.budget.work(STEPS * (paid - this.#paid))
    this.#paid = paid
    this.isDue ||= this.#pass.ends()
  }

  /** Counts values whose characters were paid for before: those in the body of a function. */
  protected readAgain(values: number): void {
    if (this.position + AHEAD >= this.#paid) return
    this.budget.unpaid(AGAIN_STEPS * values)
    this.isDue ||= this.#pass.ends()
  }

  protected begin(): void {
    this.isDue = false
  }

  protected isSpacedDigit(): boolean {
    return this.text.charAt(this.position) === ' ' && this.isDigitAt(this.position + 1)
  }

  protected isDigitAt(position: number): boolean {
    const sign = this.text.charAt(position)
    return sign >= '0' && sign <= '9'
  }

  /** True for a text in backquotes that has neither escapes nor expressions. */
  protected isPlainTemplate(): boolean {
    const plain = PLAIN['`']
    plain.lastIndex = this.position + 1
    plain.test(this.text)
    return this.text.charAt(plain.lastIndex) === '`'
  }

  protected wordHere(): string {
    LETTERS.lastIndex = this.position
    return LETTERS.exec(this.text)?.[0] ?? ''
  }

  /** Skips a pattern such as `/[/"]/g`. */
  protected pattern(): void {
    let isInClass = false
    for (this.position++; ; this.position++) {
      const sign = this.text.charAt(this.position)
      if (sign === '' || sign === '\n') throw new NotPlainData()
      if (sign === '\\') this.position++
      else if (sign === '[') isInClass = true
      else if (sign === ']') isInClass = false
      else if (sign === '/' && !isInClass) break
    }
    this.position++
    this.position += this.wordHere().length
  }

  /**
   * Reads up to the quote, or to the `${` in backquotes. `null`: the text has so many escapes that
   * {@link longText} reads it. The position is the same then.
   */
  protected shortText(quote: Quote): string | null {
    const start = this.position++
    const text = this.#someText(quote)
    if (this.#isWhole) return text
    this.position = start
    return null
  }

  /** Like {@link shortText} in parts, for any number of escapes. */
  protected *longText(quote: Quote): Parts<string> {
    const text = new GrowingText()
    this.position++
    for (;;) {
      text.add(this.#someText(quote))
      if (this.#isWhole) return text.toString()
      if (this.isDue) yield this.begin()
    }
  }

  /** Reads up to the end of a text, or some escapes of it. */
  #someText(quote: Quote): string {
    const text = this.text
    let left = MOST_ESCAPES
    let read = ''
    let from = this.position
    this.#isWhole = true
    const plain = PLAIN[quote]
    for (; ; this.position++) {
      if (this.position >= this.#paid) {
        plain.lastIndex = this.position
        plain.test(text)
        this.position = plain.lastIndex
        if (this.position >= this.#paid) this.#payAhead()
      }
      const sign = text.charAt(this.position)
      if (sign === quote) break
      if (sign === '') throw new NotPlainData()
      if (sign === '$' && quote === '`' && text.charAt(this.position + 1) === '{') {
        this.position += 2
        return read
      }
      if (sign !== '\\') continue
      const { escaped, end } = escapeAt(text, this.position + 1)
      read += text.slice(from, this.position) + escaped
      from = end
      this.position = end - 1
      if (--left > 0) continue
      this.position = end
      this.#isWhole = false
      return read
    }
    return read + text.slice(from, this.position++)
  }

  protected number(): Value {
    NUMBER.lastIndex = this.position
    const [digits] = NUMBER.exec(this.text) ?? []
    if (digits === undefined) throw new NotPlainData()
    this.position += digits.length
    const value = Number(digits)
    return Number.isFinite(value) ? value : null
  }

  protected name(): string {
    const name = this.nameHere()
    if (name === null) throw new NotPlainData()
    return name
  }

  protected nameHere(): string | null {
    this.next()
    NAME.lastIndex = this.position
    const letters = this.wordHere()
    const after = this.text.charAt(this.position + letters.length)
    // Most names have only plain letters, which are quicker to read.
    const isPlain = letters !== '' && after < '\u0080' && after !== '\\'
    const name = isPlain ? letters : NAME.exec(this.text)?.[0]
    if (name === undefined || name.length > LONGEST_NAME) return null
    this.position += name.length
    return name
  }
}
