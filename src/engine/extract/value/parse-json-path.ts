import { readJsonNumber, readJsonString } from './json-path-literals.ts'

/** One segment of a path: its selection among the children or among all descendants. */
export interface JsonPathStep {
  readonly descend: boolean
  readonly selections: readonly Selection[]
}

/** The selection of a segment (RFC 9535 section 2.3). */
export type Selection =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'index'; readonly index: number }
  | {
      readonly kind: 'slice'
      readonly from: number | null
      readonly to: number | null
      readonly step: number
    }
  | { readonly kind: 'filter'; readonly filter: Test }

/** A path in a filter, from the tested value (`@`) or from the document (`$`). */
export interface JsonPathQuery {
  readonly kind: 'query'
  readonly absolute: boolean
  readonly steps: readonly JsonPathStep[]
}

/** The test of a filter. */
export type Test =
  | { readonly kind: 'or' | 'and'; readonly tests: readonly Test[] }
  | { readonly kind: 'not'; readonly test: Test }
  | { readonly kind: 'exists'; readonly query: JsonPathQuery }
  | {
      readonly kind: 'matches'
      readonly whole: boolean
      readonly args: readonly [Operand, Operand]
    }
  | {
      readonly kind: 'compare'
      readonly operator: Comparison
      readonly left: Operand
      readonly right: Operand
    }

/** An operand of a comparison. It may have no value. */
export type Operand =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | JsonPathQuery
  | { readonly kind: 'length'; readonly of: Operand }
  | { readonly kind: 'count' | 'value'; readonly of: JsonPathQuery }

/** The operators of comparisons. */
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>='

const FUNCTIONS = ['length', 'count', 'match', 'search', 'value'] as const
type FunctionName = (typeof FUNCTIONS)[number]

const NAME = /[A-Za-z_\u0080-\ud7ff\ue000-\u{10ffff}][\w\u0080-\ud7ff\ue000-\u{10ffff}]*/uy
const INTEGER = /0|-?[1-9]\d{0,15}/y
const OPERATOR = /==|!=|<=|>=|<|>/y
const CALL = /[a-z][a-z_0-9]*(?=\()/y
const WORD = /(?:true|false|null)(?!\w)/y
const SPACE = /[ \t\n\r]*/y
const COMPARISONS: readonly Comparison[] = ['==', '!=', '<=', '>=', '<', '>']
/** Maximum depth of parentheses, filters and calls inside each other. */
const MAX_NESTING = 12

/**
 * Parses a path into its segments (RFC 9535).
 *
 * @throws {SyntaxError}
 */
export function parseJsonPath(path: string): readonly JsonPathStep[] {
  const reader = new Reader(path)
  reader.expect('$')
  const steps = reader.steps()
  if (!reader.done) reader.fail()
  return steps
}

class Reader {
  readonly #source: string
  #position = 0
  #nesting = 0

  constructor(source: string) {
    this.#source = source
  }

  get done(): boolean {
    return this.#position >= this.#source.length
  }

  fail(): never {
    const rest = this.#source.slice(this.#position, this.#position + 10)
    const next = rest === '' ? 'end' : JSON.stringify(rest)
    throw new SyntaxError(`unexpected ${next} at character ${this.#position + 1}`)
  }

  expect(text: string): void {
    if (!this.#eat(text)) this.fail()
  }

  steps(): JsonPathStep[] {
    const steps: JsonPathStep[] = []
    for (;;) {
      const end = this.#position
      this.#space()
      if (this.#eat('..'))
        steps.push({
          descend: true,
          selections: this.#eat('[') ? this.#bracket() : [this.#nameOrWildcard()],
        })
      else if (this.#eat('.')) steps.push({ descend: false, selections: [this.#nameOrWildcard()] })
      else if (this.#eat('[')) steps.push({ descend: false, selections: this.#bracket() })
      else {
        // White space after the last segment does not belong to a path.
        this.#position = end
        return steps
      }
    }
  }

  #nameOrWildcard(): Selection {
    if (this.#eat('*')) return { kind: 'wildcard' }
    // Beyond the RFC: `$..@type`, because JSON-LD has many such names.
    const prefix = this.#eat('@') ? '@' : ''
    return { kind: 'name', name: prefix + (this.#match(NAME) ?? this.fail()) }
  }

  #bracket(): Selection[] {
    const selections: Selection[] = []
    do {
      this.#space()
      selections.push(this.#selection())
      this.#space()
    } while (this.#eat(','))
    this.expect(']')
    return selections
  }

  #selection(): Selection {
    if (this.#eat('*')) return { kind: 'wildcard' }
    if (this.#eat('?')) {
      this.#space()
      return { kind: 'filter', filter: this.#nested(() => this.#either()) }
    }
    const name = this.#string()
    if (name !== null) return { kind: 'name', name }
    const from = this.#integer()
    const end = this.#position
    this.#space()
    if (!this.#eat(':')) {
      this.#position = end
      return { kind: 'index', index: from ?? this.fail() }
    }
    const to = this.#afterSpace(() => this.#integer())
    const step = this.#afterSpace(() => this.#eat(':'))
      ? this.#afterSpace(() => this.#integer())
      : null
    return { kind: 'slice', from, to, step: step ?? 1 }
  }

  /** Reads a part after optional white space. If the part is missing, the white space stays unread. */
  #afterSpace<T>(read: () => T): T {
    const end = this.#position
    this.#space()
    const start = this.#position
    const value = read()
    if (this.#position === start) this.#position = end
    return value
  }

  /** Reads the nested part of a filter, parentheses or a call. */
  #nested<T>(read: () => T): T {
    if (++this.#nesting > MAX_NESTING)
      throw new SyntaxError(`it is nested more than ${MAX_NESTING} deep`)
    const value = read()
    this.#nesting--
    return value
  }

  #either(): Test {
    return this.#joined('||', 'or', () => this.#joined('&&', 'and', () => this.#basic()))
  }

  #joined(sign: string, kind: 'or' | 'and', read: () => Test): Test {
    const first = read()
    const tests = [first]
    while (this.#afterSpace(() => this.#eat(sign))) {
      this.#space()
      tests.push(read())
    }
    return tests.length === 1 ? first : { kind, tests }
  }

  #basic(): Test {
    const isNot = this.#eat('!')
    if (isNot) this.#space()
    if (this.#eat('(')) {
      this.#space()
      const test = this.#nested(() => this.#either())
      this.#space()
      this.expect(')')
      return isNot ? { kind: 'not', test } : test
    }
    const start = this.#position
    const left = this.#testOrOperand()
    if (isTest(left)) return isNot ? { kind: 'not', test: left } : left
    const operator = isNot ? null : this.#afterSpace(() => this.#operator())
    if (operator === null) {
      if (left.kind !== 'query') this.#failAt(start)
      const test: Test = { kind: 'exists', query: left }
      return isNot ? { kind: 'not', test } : test
    }
    this.#space()
    this.#needValue(left, start)
    const rightStart = this.#position
    const right = this.#testOrOperand()
    if (isTest(right)) return this.#failAt(rightStart)
    this.#needValue(right, rightStart)
    return { kind: 'compare', operator, left, right }
  }

  /** A comparison takes at most one value, so a query that may find several is refused. */
  #needValue(operand: Operand, start: number): void {
    if (operand.kind === 'query' && !isSingular(operand)) this.#failAt(start)
  }

  #testOrOperand(): Test | Operand {
    const name = this.#match(CALL)
    if (name !== null) return this.#call(name)
    return this.#query() ?? this.#literal()
  }

  #query(): JsonPathQuery | null {
    const absolute = this.#eat('$')
    if (!absolute && !this.#eat('@')) return null
    return { kind: 'query', absolute, steps: this.steps() }
  }

  #literal(): Operand {
    const text = this.#string()
    if (text !== null) return { kind: 'literal', value: text }
    const word = this.#match(WORD)
    if (word !== null) return { kind: 'literal', value: word === 'null' ? null : word === 'true' }
    const number = readJsonNumber(this.#source, this.#position) ?? this.fail()
    this.#position = number.end
    return { kind: 'literal', value: number.value }
  }

  #call(name: string): Test | Operand {
    const fn = FUNCTIONS.find((candidate) => candidate === name)
    if (fn === undefined)
      throw new SyntaxError(`there is no function ${name}(); there are ${FUNCTIONS.join(', ')}`)
    this.expect('(')
    this.#space()
    const call = this.#nested(() => this.#called(fn))
    this.#space()
    this.expect(')')
    return call
  }

  #called(name: FunctionName): Test | Operand {
    switch (name) {
      case 'length':
        return { kind: name, of: this.#argument() }
      case 'count':
      case 'value':
        return { kind: name, of: this.#query() ?? this.fail() }
      case 'match':
      case 'search': {
        const text = this.#argument()
        this.#space()
        this.expect(',')
        this.#space()
        return { kind: 'matches', whole: name === 'match', args: [text, this.#argument()] }
      }
    }
  }

  #argument(): Operand {
    const start = this.#position
    const argument = this.#testOrOperand()
    if (isTest(argument)) return this.#failAt(start)
    this.#needValue(argument, start)
    return argument
  }

  #operator(): Comparison | null {
    const operator = this.#match(OPERATOR)
    return COMPARISONS.find((candidate) => candidate === operator) ?? null
  }

  #integer(): number | null {
    const text = this.#match(INTEGER)
    if (text === null) return null
    const value = Number(text)
    // `01` and `-0` are not integers, nor are numbers that JSON cannot hold exactly.
    if (!Number.isSafeInteger(value) || /\d/.test(this.#source[this.#position] ?? '')) this.fail()
    return value
  }

  #string(): string | null {
    const quote = this.#source[this.#position]
    if (quote !== '"' && quote !== "'") return null
    const text = readJsonString(this.#source, this.#position) ?? this.fail()
    this.#position = text.end
    return text.value
  }

  #failAt(start: number): never {
    this.#position = start
    this.fail()
  }

  #space(): void {
    this.#match(SPACE)
  }

  #eat(text: string): boolean {
    if (!this.#source.startsWith(text, this.#position)) return false
    this.#position += text.length
    return true
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#position
    const text = pattern.exec(this.#source)?.[0] ?? null
    this.#position += text?.length ?? 0
    return text
  }
}

function isTest(expression: Test | Operand): expression is Test {
  return expression.kind === 'matches'
}

/** True for a query that finds at most one value: it has only names and indexes. */
function isSingular({ steps }: JsonPathQuery): boolean {
  return steps.every(
    ({ descend, selections: [only, ...more] }) =>
      !descend && more.length === 0 && (only?.kind === 'name' || only?.kind === 'index'),
  )
}
