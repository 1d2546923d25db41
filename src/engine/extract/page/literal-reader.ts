import { DEEPEST } from '../../../kernel/json-depth.ts'
import { defineMember } from '../../../kernel/json.ts'
import { StepParts, type Parts } from './in-turns.ts'
import { readJson, VALUE_ROOM } from './parse-json.ts'
import type { PageBudget } from './page-budget.ts'
import { scriptDate } from './script-date.ts'
import { escapeAt, isCondition, isPatternAfter, lastWord } from './script-signs.ts'
import {
  type Members,
  copyParts,
  NotPlainData,
  type Value,
  WORDS,
  assignTo,
  memberOf,
} from './script-values.ts'

const SPACE = /[\s\uFEFF]/
const SPACES = /[\s\uFEFF]*/y
const LETTERS = /[A-Za-z0-9$_]*/y
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy
const NUMBER =
  /(?:0[xX][\da-fA-F]{1,16}|(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?)/y
const LONGEST_NAME = 200
/** Words before a value that is made. */
const MAKING: ReadonlySet<string> = new Set(['void', 'new', 'JSON', 'Object'])
/** Characters that stand for themselves in a text, by its quote. */
const PLAIN = { '"': /[^"\\]*/y, "'": /[^'\\]*/y, '`': /[^`\\$]*/y }
/** Maximum number of brackets of code that are open at the same time. */
const MOST_OPEN = 1_000
/** Steps to read a character, and the number of characters that are charged at once. */
const STEPS = 4
const AHEAD = 64
/** Steps to make a value, besides those for its characters. */
const VALUE_STEPS = 8

/** Reads one value of a script. */
export class LiteralReader {
  readonly #text: string
  readonly #budget: PageBudget
  readonly #inParts: boolean
  readonly #pass: StepParts
  /** True if a part is to end. */
  #isDue = false
  #position: number
  /** The characters before this position are paid for. */
  #paid: number
  #depth = 0
  /** The position after a called function, whose result is read last. */
  #afterCall = -1
  #names: ReadonlyMap<string, Value> = WORDS
  /**
   * Number of values that were read, and the number of those that only a run of the script would
   * give.
   */
  #values = 0
  #unknown = 0

  constructor(text: string, start: number, budget: PageBudget, inParts: boolean) {
    this.#text = text
    this.#budget = budget
    this.#inParts = inParts
    this.#pass = new StepParts(budget)
    this.#position = start
    this.#paid = start
  }

  read(): Parts<Value> {
    return this.#next() === '(' && this.#isFunction() ? this.#call() : this.#value()
  }

  /** The position after the value. */
  get end(): number {
    return Math.max(this.#position, this.#afterCall)
  }

  /** The next character that is neither space nor comment. */
  #next(): string {
    for (;;) {
      if (this.#position >= this.#paid) this.#payAhead()
      const sign = this.#text.charAt(this.#position)
      if (sign > '/' && sign < '\u0080') return sign
      if (sign === '/') {
        const mark = this.#text.charAt(this.#position + 1)
        if (mark !== '/' && mark !== '*') return sign
        const end = this.#text.indexOf(mark === '/' ? '\n' : '*/', this.#position + 2)
        this.#position = end === -1 ? this.#text.length : end + (mark === '/' ? 1 : 2)
      } else if (sign !== '' && SPACE.test(sign)) {
        SPACES.lastIndex = this.#position + 1
        SPACES.test(this.#text)
        this.#position = SPACES.lastIndex
      } else return sign
    }
  }

  #take(sign: string): boolean {
    if (this.#next() !== sign) return false
    this.#position++
    return true
  }

  #demand(...signs: readonly string[]): void {
    for (const sign of signs) if (!this.#take(sign)) throw new NotPlainData()
  }

  /** True if names stand for values that may be objects. */
  get hasNames(): boolean {
    return this.#names !== WORDS
  }

  /** True for code: most of its values would have to be computed. */
  get isMostlyUnknown(): boolean {
    return 2 * this.#unknown >= this.#values && this.#unknown > 0
  }

  /** Pays for characters before they are read. Characters that are read again are paid for once. */
  #payAhead(): void {
    const paid = Math.min(this.#text.length, this.#position + AHEAD)
    this.#budget.work(STEPS * (paid - this.#paid))
    this.#paid = paid
    this.#isDue ||= this.#pass.ends()
  }

  #begin(): void {
    this.#isDue = false
  }

  #pay(): void {
    this.#values++
    this.#budget.work(VALUE_STEPS)
    this.#budget.make(VALUE_ROOM)
  }

  /** A value in a list or an object. `null` if it would have to be computed: `1/0`, `10n`. */
  *#part(): Parts<Value> {
    const simple = this.#simple()
    const value = simple === undefined ? yield* this.#value() : simple
    return this.#isAtEnd() ? value : yield* this.#notPlain()
  }

  #simpleText(quote: '"' | "'"): string {
    this.#paySimple()
    return this.#quoted(quote)
  }

  #paySimple(): void {
    this.#pay()
    if (this.#depth >= DEEPEST) throw new NotPlainData()
  }

  #isAtEnd(): boolean {
    const sign = this.#next()
    return sign === ',' || sign === '}' || sign === ']' || sign === ')'
  }

  *#notPlain(): Parts<Value> {
    yield* this.#skip()
    return this.#notKnown()
  }

  /** A text, a number or a name, as most values are. `undefined`: it is another value. */
  #simple(): Value | undefined {
    const sign = this.#next()
    if (sign === '"' || sign === "'") return this.#simpleText(sign)
    if (sign >= '0' && sign <= '9') {
      this.#paySimple()
      return this.#number()
    }
    if (sign < 'A' || sign > 'z' || sign === '[') return undefined
    const start = this.#position
    const name = this.#nameHere()
    if (name === null || MAKING.has(name)) {
      this.#position = start
      return undefined
    }
    this.#paySimple()
    return this.#valueOf(name)
  }

  #notKnown(): Value {
    this.#unknown++
    return null
  }

  /**
   * Goes to the comma or bracket that ends an expression, or behind the closing bracket of the
   * brackets that begin here. There may be no end.
   */
  *#skip(isBracket = false): Parts<void> {
    /** For each open bracket: whether it contains a condition. */
    const open: boolean[] = []
    let before = isBracket ? '' : lastWord(this.#text, this.#position)
    for (;;) {
      if (this.#isDue) yield this.#begin()
      const sign = this.#next()
      const word = this.#wordHere()
      if (word !== '') {
        // `a.in` is a name.
        before = before === '.' ? 'a' : word
        this.#position += word.length
        continue
      }
      if (sign === '' || (sign === ';' && open.length === 0) || open.length > MOST_OPEN)
        throw new NotPlainData()
      if (sign === '"' || sign === "'") this.#quoted(sign)
      else if (sign === '`') yield* this.#template()
      else if (sign === '/' && isPatternAfter(before)) this.#pattern()
      else if (sign === '}' || sign === ']' || sign === ')') {
        const isOfCondition = open.pop()
        if (isOfCondition === undefined) return
        this.#position++
        if (isBracket && open.length === 0) return
        before = isOfCondition ? '(' : sign
        continue
      } else if (sign === ',' && open.length === 0) return
      else {
        if (sign === '{' || sign === '[' || sign === '(') open.push(isCondition(before))
        before = sign
        this.#position++
        continue
      }
      // A sign after a value is a division.
      before = ')'
    }
  }

  #wordHere(): string {
    LETTERS.lastIndex = this.#position
    return LETTERS.exec(this.#text)?.[0] ?? ''
  }

  #value(): Parts<Value> {
    this.#pay()
    if (++this.#depth > DEEPEST) throw new NotPlainData()
    const sign = this.#next()
    if (sign === '{') return this.#object()
    return sign === '[' ? this.#list(']') : this.#otherValue(sign)
  }

  *#otherValue(sign: string): Parts<Value> {
    if (this.#isDue) yield this.#begin()
    const value = yield* this.#plainValue(sign)
    this.#depth--
    return value
  }

  *#plainValue(sign: string): Parts<Value> {
    if (sign === '"' || sign === "'") return this.#quoted(sign)
    if (sign === '`') return (yield* this.#template()) ?? this.#notKnown()
    if (sign === '/') {
      this.#pattern()
      return this.#notKnown()
    }
    if (sign === '(') {
      this.#position++
      const value = yield* this.#part()
      this.#demand(')')
      return value
    }
    if (sign === '!') {
      this.#position++
      const unknown = this.#unknown
      const value = yield* this.#value()
      if (this.#unknown > unknown) return null
      return value === 0 || value === '' || value === null || value === false
    }
    if (sign === '-' || sign === '+') {
      this.#position++
      const value = yield* this.#value()
      // `-Infinity`
      if (typeof value !== 'number') return null
      return sign === '-' && value !== 0 ? -value : value
    }
    return /[\d.]/.test(sign) ? this.#number() : yield* this.#named()
  }

  *#object(): Parts<Value> {
    const members: Members = {}
    for (this.#demand('{'); !this.#take('}');) {
      if (this.#isDue) yield this.#begin()
      const sign = this.#next()
      const name =
        sign === '"' || sign === "'"
          ? this.#quoted(sign)
          : /\d/.test(sign)
            ? String(this.#number())
            : this.#nameHere()
      const after = this.#next()
      if (name !== null && after === ':') {
        this.#position++
        const simple = this.#simple()
        const value = simple === undefined ? yield* this.#value() : simple
        defineMember(members, name, this.#isAtEnd() ? value : yield* this.#notPlain())
      } else if (name !== null && (after === ',' || after === '}'))
        defineMember(members, name, this.#valueOf(name))
      else {
        // `...b`, `b(){}` and `[b]:c` are left out.
        this.#pay()
        yield* this.#notPlain()
      }
      if (!this.#take(',') && this.#next() !== '}') throw new NotPlainData()
    }
    this.#depth--
    return members
  }

  /** Values up to a bracket. Between two commas is an empty one. */
  *#list(end: string): Parts<Value[]> {
    this.#position++
    const values: Value[] = []
    while (!this.#take(end)) {
      if (this.#next() === ',') {
        this.#pay()
        values.push(null)
      } else {
        const simple = this.#simple()
        const value = simple === undefined ? yield* this.#value() : simple
        values.push(this.#isAtEnd() ? value : yield* this.#notPlain())
      }
      if (this.#isDue) yield this.#begin()
      if (!this.#take(',') && this.#next() !== end) throw new NotPlainData()
    }
    if (end === ']') this.#depth--
    return values
  }

  /** A text in backquotes. `null`: it contains an expression, so it is not known. */
  *#template(): Parts<string | null> {
    if (++this.#depth > DEEPEST) throw new NotPlainData()
    let text = this.#quoted('`')
    let isKnown = true
    while (this.#text.charAt(this.#position - 1) === '{') {
      isKnown = false
      do yield* this.#skip()
      while (this.#take(','))
      if (this.#next() !== '}') throw new NotPlainData()
      text = this.#quoted('`')
    }
    this.#depth--
    return isKnown ? text : null
  }

  /** Skips a pattern such as `/[/"]/g`. */
  #pattern(): void {
    let isInClass = false
    for (this.#position++; ; this.#position++) {
      const sign = this.#text.charAt(this.#position)
      if (sign === '' || sign === '\n') throw new NotPlainData()
      if (sign === '\\') this.#position++
      else if (sign === '[') isInClass = true
      else if (sign === ']') isInClass = false
      else if (sign === '/' && !isInClass) break
    }
    this.#position++
    this.#position += this.#wordHere().length
  }

  /** Reads up to the quote, or to the `${` in backquotes. */
  #quoted(quote: keyof typeof PLAIN): string {
    const text = this.#text
    let read = ''
    let from = ++this.#position
    const plain = PLAIN[quote]
    for (; ; this.#position++) {
      if (this.#position >= this.#paid) {
        plain.lastIndex = this.#position
        plain.test(text)
        this.#position = plain.lastIndex
        if (this.#position >= this.#paid) this.#payAhead()
      }
      const sign = text.charAt(this.#position)
      if (sign === quote) break
      if (sign === '') throw new NotPlainData()
      if (sign === '$' && quote === '`' && text.charAt(this.#position + 1) === '{') {
        this.#position += 2
        return read
      }
      if (sign !== '\\') continue
      const { escaped, end } = escapeAt(text, this.#position + 1)
      read += text.slice(from, this.#position) + escaped
      from = end
      this.#position = end - 1
    }
    return read + text.slice(from, this.#position++)
  }

  #number(): Value {
    NUMBER.lastIndex = this.#position
    const [digits] = NUMBER.exec(this.#text) ?? []
    if (digits === undefined) throw new NotPlainData()
    this.#position += digits.length
    const value = Number(digits)
    return Number.isFinite(value) ? value : null
  }

  #name(): string {
    const name = this.#nameHere()
    if (name === null) throw new NotPlainData()
    return name
  }

  #nameHere(): string | null {
    this.#next()
    NAME.lastIndex = this.#position
    const letters = this.#wordHere()
    const after = this.#text.charAt(this.#position + letters.length)
    // Most names have only plain letters, which are quicker to read.
    const isPlain = letters !== '' && after < '\u0080' && after !== '\\'
    const name = isPlain ? letters : NAME.exec(this.#text)?.[0]
    if (name === undefined || name.length > LONGEST_NAME) return null
    this.#position += name.length
    return name
  }

  #valueOf(name: string): Value {
    const value = this.#names.get(name)
    return value === undefined ? this.#notKnown() : value
  }

  *#named(): Parts<Value> {
    const name = this.#name()
    if (name === 'void') {
      yield* this.#value()
      return null
    }
    if (name === 'new') return yield* this.#made(this.#name())
    if (name === 'JSON' || name === 'Object') {
      this.#demand('.')
      return yield* this.#made(`${name}.${this.#name()}`)
    }
    return this.#valueOf(name)
  }

  /** The values of a few functions of the language. */
  *#made(name: string): Parts<Value> {
    if (this.#next() !== '(') throw new NotPlainData()
    const values = yield* this.#list(')')
    const [value = null] = values
    if (name === 'Date') return typeof value === 'number' ? scriptDate(values) : value
    if (name === 'JSON.parse' && typeof value === 'string') return yield* this.#json(value)
    if (name === 'Object.freeze' || name === 'Set' || name === 'URL') return value
    if (name === 'Object.create' && value === null) return {}
    return this.#notKnown()
  }

  /** The value of a JSON text. It is never read as a script, because it must not contain names. */
  *#json(text: string): Parts<Value> {
    const value = yield* readJson(text, this.#budget, this.#inParts)
    return value === undefined
      ? this.#notKnown()
      : yield* copyParts(value, this.#depth, this.#budget)
  }

  #isFunction(): boolean {
    return /^\(\s?(?:function\s?\(|\()/.test(this.#text.slice(this.#position, this.#position + 20))
  }

  /** `(function(a,b){return {x:a}}(1,2))`, also with an arrow or with the brackets elsewhere. */
  *#call(): Parts<Value> {
    this.#demand('(')
    const isArrow = this.#next() === '('
    if (!isArrow && this.#name() !== 'function') throw new NotPlainData()
    const names: string[] = []
    for (this.#demand('('); !this.#take(')'); this.#take(',')) names.push(this.#name())
    if (isArrow) this.#demand('=', '>')
    const isBlock = this.#next() === '{' || !isArrow
    const body = this.#position
    yield* this.#skip(true)
    const isApart = this.#take(')')
    if (this.#next() !== '(') throw new NotPlainData()
    const values = yield* this.#list(')')
    if (!isApart) this.#demand(')')
    this.#afterCall = this.#position
    this.#names = new Map([
      ...WORDS,
      ...names.map((name, index): [string, Value] => [name, values[index] ?? null]),
    ])
    this.#position = body
    if (!isBlock) return yield* this.#value()
    this.#demand('{')
    for (;;) {
      const name = this.#name()
      if (name === 'return') return yield* this.#value()
      yield* this.#assign(name)
      this.#take(';')
    }
  }

  /** `a.b=1` and `a[0]=1`: assignments that put values of parameters into each other. */
  *#assign(name: string): Parts<void> {
    let holder: Value | undefined = this.#valueOf(name)
    let key: Value | undefined
    for (;;) {
      const sign = this.#next()
      if (sign !== '.' && sign !== '[') break
      if (key !== undefined) holder = memberOf(holder, key)
      this.#position++
      key = sign === '.' ? this.#name() : yield* this.#value()
      if (sign === '[') this.#demand(']')
    }
    this.#demand('=')
    assignTo(holder, key, yield* this.#value())
  }
}
