import { DEEPEST } from '../../../kernel/json-depth.ts'
import { defineMember } from '../../../kernel/json.ts'
import { QuickPass, type Parts } from './in-turns.ts'
import { readJson, VALUE_ROOM } from './parse-json.ts'
import type { PageBudget } from './page-budget.ts'
import { scriptDate } from './script-date.ts'
import { ScriptScan } from './script-scan.ts'
import { NamesOfNew } from '../value/wide-names.ts'
import { isCondition, isPatternAfter, lastWord } from './script-signs.ts'
import {
  type Members,
  copyParts,
  NotPlainData,
  type Value,
  WORDS,
  assignTo,
  memberOf,
} from './script-values.ts'

/** Words before a value that is made. */
const MAKING: ReadonlySet<string> = new Set(['void', 'new', 'JSON', 'Object'])
/** Maximum number of brackets of code that are open at the same time. */
const MOST_OPEN = 1_000
/** Steps to make a value, besides those for its characters. */
const VALUE_STEPS = 8
/**
 * The one empty list, and the one empty object, of data that no code changes, and that has many: V8
 * reserves four places for each.
 */
const NO_MEMBERS: Members = {}
Object.freeze(NO_MEMBERS)
const NO_VALUES: Value[] = []
Object.freeze(NO_VALUES)
/** Empty values of which each is kept, and characters a value up to which further ones are many. */
const LEAST_EMPTY = 500
const EMPTY_ROOM = 64
/** Values that are counted at once. */
const COUNTED = 64
/** Steps that a turn counts for the name of a parameter. */
const NAME_STEPS = 12

/** An expression that is skipped. */
interface Skip {
  /** For each open bracket: whether it contains a condition. */
  readonly open: boolean[]
  /** The last word or sign. */
  before: string
  /** True if it ends with its first bracket. */
  readonly isBracket: boolean
}

/** Reads one value of a script. */
export class LiteralReader extends ScriptScan {
  readonly #inParts: boolean
  readonly #unpaid = (steps: number): void => this.budget.unpaid(steps)
  #depth = 0
  /** True if objects may get further members. */
  #isCall = false
  /** The position after a called function, whose result is read last. */
  #afterCall = -1
  #names: ReadonlyMap<string, Value> = WORDS
  /**
   * Number of values that were read, and the number of those that only a run of the script would
   * give.
   */
  #values = 0
  #unknown = 0
  /** Number of empty lists and objects. */
  #empty = 0
  readonly #start: number

  constructor(text: string, start: number, budget: PageBudget, inParts: boolean) {
    super(text, start, budget)
    this.#inParts = inParts
    this.#start = start
  }

  read(): Parts<Value> {
    return this.next() === '(' && this.#isFunction() ? this.#call() : this.#value()
  }

  /** The position after the value. */
  get end(): number {
    return Math.max(this.position, this.#afterCall)
  }

  /** True if names stand for values that may be objects. */
  get hasNames(): boolean {
    return this.#names !== WORDS
  }

  /** True for code: most of its values would have to be computed. */
  get isMostlyUnknown(): boolean {
    return 2 * this.#unknown >= this.#values && this.#unknown > 0
  }

  /** Counts an empty value. True if it is to be the one that others are. */
  #sharesEmpty(): boolean {
    if (++this.#empty <= LEAST_EMPTY || this.#isCall) return false
    return EMPTY_ROOM * this.#empty >= this.position - this.#start
  }

  #pay(): void {
    if (++this.#values % COUNTED === 0) this.readAgain(COUNTED)
    this.budget.work(VALUE_STEPS)
    this.budget.make(VALUE_ROOM)
  }

  /** A value in a list or an object. `null` if it would have to be computed: `1/0`, `10n`. */
  *#part(): Parts<Value> {
    const simple = this.#simple()
    const value = simple === undefined ? yield* this.#value() : simple
    if (this.#isAtEnd()) return value
    const skip = this.#notPlain()
    if (skip !== null) yield* this.#skipParts(skip)
    return null
  }

  /** `undefined`: it is read in parts. */
  #simpleText(quote: '"' | "'"): string | undefined {
    const text = this.shortText(quote)
    if (text === null) return undefined
    this.#paySimple()
    return text
  }

  #paySimple(): void {
    this.#pay()
    if (this.#depth >= DEEPEST) throw new NotPlainData()
  }

  #isAtEnd(): boolean {
    const sign = this.next()
    return sign === ',' || sign === '}' || sign === ']' || sign === ')'
  }

  /** Skips an expression. What is returned is skipped in parts, if it is not `null`. */
  #notPlain(): Skip | null {
    this.#unknown++
    const skip = { open: [], before: lastWord(this.text, this.position), isBracket: false }
    return this.#skips(skip) ? null : skip
  }

  /** A text, a number or a name, as most values are. `undefined`: it is another value. */
  #simple(): Value | undefined {
    const sign = this.next()
    if (sign === '"' || sign === "'") return this.#simpleText(sign)
    if (sign >= '0' && sign <= '9') {
      this.#paySimple()
      return this.number()
    }
    if ((sign === '!' || sign === '-') && this.isDigitAt(this.position + 1))
      return this.#signed(sign)
    if (sign === '`' && this.isPlainTemplate()) {
      this.#paySimple()
      this.#depth++
      const text = this.#plainTemplate()
      this.#depth--
      return text
    }
    if (sign < 'A' || sign > 'z' || sign === '[') return undefined
    const start = this.position
    const name = this.nameHere()
    if (name === 'void' && this.isSpacedDigit()) return this.#void()
    if (name === null || MAKING.has(name)) {
      this.position = start
      return undefined
    }
    this.#paySimple()
    return this.#valueOf(name)
  }

  /** `!0`, `-1` */
  #signed(sign: '!' | '-'): Value {
    this.#paySimple()
    this.position++
    const value = this.#operand()
    if (sign === '!') return value === 0 || value === null
    return typeof value === 'number' && value !== 0 ? -value : value
  }

  /** `void 0` */
  #void(): null {
    this.#paySimple()
    this.#operand()
    return null
  }

  /** The number after a sign. */
  #operand(): Value {
    this.#depth++
    this.#paySimple()
    this.#depth--
    this.next()
    return this.number()
  }

  #plainTemplate(): string {
    if (this.#depth + 1 > DEEPEST) throw new NotPlainData()
    return this.shortText('`') ?? ''
  }

  #notKnown(): Value {
    this.#unknown++
    return null
  }

  /**
   * Goes to the comma or bracket that ends an expression, or behind the closing bracket of the
   * brackets that begin here. There may be no end.
   */
  *#skipParts(skip: Skip): Parts<void> {
    while (!this.#skips(skip)) {
      if (this.isDue) yield this.begin()
      else {
        const sign = this.next()
        yield* sign === '"' || sign === "'" ? this.longText(sign) : this.#template()
        skip.before = ')'
      }
    }
  }

  /** The same up to the end of a part, or to a text that is read in parts. True: it is at the end. */
  #skips(skip: Skip): boolean {
    const { open, isBracket } = skip
    let { before } = skip
    for (;;) {
      if (this.isDue) break
      const sign = this.next()
      const word = this.wordHere()
      if (word !== '') {
        // `a.in` is a name.
        before = before === '.' ? 'a' : word
        this.position += word.length
        continue
      }
      if (sign === '' || (sign === ';' && open.length === 0) || open.length > MOST_OPEN)
        throw new NotPlainData()
      if (sign === '"' || sign === "'") {
        if (this.shortText(sign) === null) break
      } else if (sign === '`') {
        if (!this.isPlainTemplate()) break
        this.#plainTemplate()
      } else if (sign === '/' && isPatternAfter(before)) this.pattern()
      else if (sign === '}' || sign === ']' || sign === ')') {
        const isOfCondition = open.pop()
        if (isOfCondition === undefined) return true
        this.position++
        if (isBracket && open.length === 0) return true
        before = isOfCondition ? '(' : sign
        continue
      } else if (sign === ',' && open.length === 0) return true
      else {
        if (sign === '{' || sign === '[' || sign === '(') open.push(isCondition(before))
        before = sign
        this.position++
        continue
      }
      // A sign after a value is a division.
      before = ')'
    }
    skip.before = before
    return false
  }

  #value(): Parts<Value> {
    this.#pay()
    if (++this.#depth > DEEPEST) throw new NotPlainData()
    const sign = this.next()
    if (sign === '{') return this.#object()
    return sign === '[' ? this.#list(']') : this.#otherValue(sign)
  }

  *#otherValue(sign: string): Parts<Value> {
    if (this.isDue) yield this.begin()
    const value = yield* this.#plainValue(sign)
    this.#depth--
    return value
  }

  *#plainValue(sign: string): Parts<Value> {
    if (sign === '"' || sign === "'") return yield* this.longText(sign)
    if (sign === '`') return (yield* this.#template()) ?? this.#notKnown()
    if (sign === '/') {
      this.pattern()
      return this.#notKnown()
    }
    if (sign === '(') {
      this.position++
      const value = yield* this.#part()
      this.demand(')')
      return value
    }
    if (sign === '!') {
      this.position++
      const unknown = this.#unknown
      const value = yield* this.#value()
      if (this.#unknown > unknown) return null
      return value === 0 || value === '' || value === null || value === false
    }
    if (sign === '-' || sign === '+') {
      this.position++
      const value = yield* this.#value()
      // `-Infinity`
      if (typeof value !== 'number') return null
      return sign === '-' && value !== 0 ? -value : value
    }
    return /[\d.]/.test(sign) ? this.number() : yield* this.#named()
  }

  *#object(): Parts<Value> {
    const members: Members = {}
    const names = new NamesOfNew(members)
    for (this.demand('{'); !this.take('}');) {
      if (this.isDue) yield this.begin()
      const sign = this.next()
      const name =
        sign === '"' || sign === "'"
          ? (this.shortText(sign) ?? (yield* this.longText(sign)))
          : /\d/.test(sign)
            ? String(this.number())
            : this.nameHere()
      const after = this.next()
      if (name !== null && after === ':') {
        this.position++
        const simple = this.#simple()
        const value = simple === undefined ? yield* this.#value() : simple
        const isAtEnd = this.#isAtEnd()
        const skip = isAtEnd ? null : this.#notPlain()
        if (skip !== null) yield* this.#skipParts(skip)
        names.add(name)
        defineMember(members, name, isAtEnd ? value : null)
      } else if (name !== null && (after === ',' || after === '}')) {
        names.add(name)
        defineMember(members, name, this.#valueOf(name))
      } else {
        // `...b`, `b(){}` and `[b]:c` are left out.
        this.#pay()
        const skip = this.#notPlain()
        if (skip !== null) yield* this.#skipParts(skip)
      }
      if (!this.take(',') && this.next() !== '}') throw new NotPlainData()
    }
    this.#depth--
    const keeping = names.keep(this.#unpaid)
    if (keeping !== null) yield* keeping
    return names.isEmpty && this.#sharesEmpty() ? NO_MEMBERS : members
  }

  /** Values up to a bracket. Between two commas is an empty one. */
  *#list(end: string): Parts<Value[]> {
    this.position++
    const values: Value[] = []
    while (!this.take(end)) {
      if (this.next() === ',') {
        this.#pay()
        values.push(null)
      } else {
        const simple = this.#simple()
        const value = simple === undefined ? yield* this.#value() : simple
        const isAtEnd = this.#isAtEnd()
        const skip = isAtEnd ? null : this.#notPlain()
        if (skip !== null) yield* this.#skipParts(skip)
        values.push(isAtEnd ? value : null)
      }
      if (this.isDue) yield this.begin()
      if (!this.take(',') && this.next() !== end) throw new NotPlainData()
    }
    if (end === ']') this.#depth--
    return values.length === 0 && this.#sharesEmpty() ? NO_VALUES : values
  }

  /** A text in backquotes. `null`: it contains an expression, so it is not known. */
  *#template(): Parts<string | null> {
    if (++this.#depth > DEEPEST) throw new NotPlainData()
    let text = yield* this.longText('`')
    let isKnown = true
    while (this.text.charAt(this.position - 1) === '{') {
      isKnown = false
      do {
        const before = lastWord(this.text, this.position)
        yield* this.#skipParts({ open: [], before, isBracket: false })
      } while (this.take(','))
      if (this.next() !== '}') throw new NotPlainData()
      text = yield* this.longText('`')
    }
    this.#depth--
    return isKnown ? text : null
  }

  #valueOf(name: string): Value {
    const value = this.#names.get(name)
    return value === undefined ? this.#notKnown() : value
  }

  *#named(): Parts<Value> {
    const name = this.name()
    if (name === 'void') {
      yield* this.#value()
      return null
    }
    if (name === 'new') return yield* this.#made(this.name())
    if (name === 'JSON' || name === 'Object') {
      this.demand('.')
      return yield* this.#made(`${name}.${this.name()}`)
    }
    return this.#valueOf(name)
  }

  /** The values of a few functions of the language. */
  *#made(name: string): Parts<Value> {
    if (this.next() !== '(') throw new NotPlainData()
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
    const value = yield* readJson(text, this.budget, this.#inParts)
    return value === undefined
      ? this.#notKnown()
      : yield* copyParts(value, this.#depth, this.budget)
  }

  #isFunction(): boolean {
    return /^\(\s?(?:function\s?\(|\()/.test(this.text.slice(this.position, this.position + 20))
  }

  /** `(function(a,b){return {x:a}}(1,2))`, also with an arrow or with the brackets elsewhere. */
  *#call(): Parts<Value> {
    this.#isCall = true
    this.demand('(')
    const isArrow = this.next() === '('
    if (!isArrow && this.name() !== 'function') throw new NotPlainData()
    const names: string[] = []
    for (this.demand('('); !this.take(')'); this.take(',')) {
      if (this.isDue) yield this.begin()
      names.push(this.name())
    }
    if (isArrow) this.demand('=', '>')
    const isBlock = this.next() === '{' || !isArrow
    const body = this.position
    yield* this.#skipParts({ open: [], before: '', isBracket: true })
    const isApart = this.take(')')
    if (this.next() !== '(') throw new NotPlainData()
    const values = yield* this.#list(')')
    if (!isApart) this.demand(')')
    this.#afterCall = this.position
    const byName = new Map(WORDS)
    const pass = new QuickPass(this.budget, NAME_STEPS)
    for (const [index, name] of names.entries()) {
      if (pass.ends()) yield
      byName.set(name, values[index] ?? null)
    }
    this.#names = byName
    this.position = body
    if (!isBlock) return yield* this.#value()
    this.demand('{')
    for (;;) {
      const name = this.name()
      if (name === 'return') return yield* this.#value()
      yield* this.#assign(name)
      this.take(';')
    }
  }

  /** `a.b=1` and `a[0]=1`: assignments that put values of parameters into each other. */
  *#assign(name: string): Parts<void> {
    let holder: Value | undefined = this.#valueOf(name)
    let key: Value | undefined
    for (;;) {
      const sign = this.next()
      if (sign !== '.' && sign !== '[') break
      if (key !== undefined) holder = memberOf(holder, key)
      this.position++
      key = sign === '.' ? this.name() : yield* this.#value()
      if (sign === '[') this.demand(']')
    }
    this.demand('=')
    assignTo(holder, key, yield* this.#value())
  }
}
