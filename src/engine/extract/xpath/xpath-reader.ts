import {
  AXES,
  FUNCTIONS,
  type Axis,
  type Expression,
  type FunctionName,
  type LocationPath,
  type NodeTest,
  type XPathOperator,
  type PathStep,
} from './xpath-parts.ts'

const SPACE = /[ \t\n\r]*/y
const NAME = /[\p{L}_][\p{L}\p{M}\p{N}_.\-·]*(?::(?!:)(?:\*|[\p{L}_][\p{L}\p{M}\p{N}_.\-·]*))?/uy
const NUMBER = /\d+(?:\.\d*)?|\.\d+/y
const STRING = /"([^"]*)"|'([^']*)'/y
const AXIS = /([a-z-]+)[ \t\n\r]*::/y
const CALL = /([\p{L}_][\p{L}\p{N}_.-]*(?::[\p{L}_][\p{L}\p{N}_.-]*)?)[ \t\n\r]*\(/uy
const NODE_TYPE = /(text|node|comment|processing-instruction)[ \t\n\r]*\(/y
const NODE_TYPES = ['text', 'node', 'comment', 'processing-instruction']
const LEVELS: readonly (readonly [pattern: RegExp, operators: readonly XPathOperator[]])[] = [
  [/or(?![\p{L}\p{N}_.-])/uy, ['or']],
  [/and(?![\p{L}\p{N}_.-])/uy, ['and']],
  [/!=|=/y, ['=', '!=']],
  [/<=|>=|<|>/y, ['<', '<=', '>', '>=']],
  [/[+-]/y, ['+', '-']],
  [/\*|(?:div|mod)(?![\p{L}\p{N}_.-])/uy, ['*', 'div', 'mod']],
]
const ANY_NODE: NodeTest = { kind: 'node' }
/** `//` is short for this step. */
const DESCEND: PathStep = { axis: 'descendant-or-self', test: ANY_NODE, predicates: [] }
/** Limits for recursive reading. The page's budget limits the work of evaluation. */
const MAX_PARTS = 2_000
const MAX_NESTING = 60

/** Reads XPath character by character. */
export class XPathReader {
  readonly #source: string
  #position = 0
  #parts = 0
  #nesting = 0

  constructor(source: string) {
    this.#source = source
  }

  /** Reads the whole source as one expression. */
  whole(): Expression {
    const expression = this.#expression()
    this.#space()
    return this.#position < this.#source.length ? this.#fail() : expression
  }

  #expression(): Expression {
    if (++this.#nesting > MAX_NESTING)
      throw new SyntaxError(`it is nested more than ${MAX_NESTING} deep`)
    const expression = this.#operation(0)
    this.#nesting--
    return expression
  }

  #operation(level: number): Expression {
    const operatorLevel = LEVELS[level]
    if (operatorLevel === undefined) return this.#signed()
    const [pattern, operators] = operatorLevel
    let left = this.#operation(level + 1)
    for (;;) {
      const token = this.#match(pattern)?.[0]
      const operator = operators.find((candidate) => candidate === token)
      if (operator === undefined) return left
      this.#count()
      left = { kind: 'operation', operator, left, right: this.#operation(level + 1) }
    }
  }

  #signed(): Expression {
    let isMinus = false
    let signs = 0
    while (this.#eat('-')) {
      isMinus = !isMinus
      signs++
      this.#count()
    }
    const expression = this.#union()
    if (signs === 0) return expression
    const minus: Expression = { kind: 'minus', of: expression }
    // Two minus signs convert the value after them to a number.
    return isMinus ? minus : { kind: 'minus', of: minus }
  }

  #union(): Expression {
    const first = this.#path()
    if (!this.#peek('|')) return first
    const parts = [this.#nodes(first)]
    while (this.#eat('|')) parts.push(this.#nodes(this.#path()))
    return { kind: 'union', parts }
  }

  /** A union accepts only nodes. */
  #nodes(expression: Expression): Expression {
    return expression.kind === 'text' || expression.kind === 'number' ? this.#fail() : expression
  }

  /** Reads a path, or an expression with predicates and further steps: `(//a)[1]/b`. */
  #path(): Expression {
    const primary = this.#primary()
    if (primary === null) return { kind: 'path', path: this.#location() }
    const predicates = this.#predicates()
    const start: Expression =
      predicates.length === 0 ? primary : { kind: 'filter', of: this.#nodes(primary), predicates }
    const steps = this.#furtherSteps()
    return steps.length === 0 ? start : { kind: 'path', path: { start: this.#nodes(start), steps } }
  }

  #primary(): Expression | null {
    const text = this.#match(STRING)
    if (text !== null) return { kind: 'text', value: text[1] ?? text[2] ?? '' }
    const number = this.#match(NUMBER)
    if (number !== null) return { kind: 'number', value: Number(number[0]) }
    if (this.#eat('(')) {
      const inner = this.#expression()
      this.#expect(')')
      return inner
    }
    if (this.#peek('$')) throw new SyntaxError('variables are not supported')
    return this.#call()
  }

  #location(): LocationPath {
    if (this.#eat('//'))
      return { start: 'root', steps: [DESCEND, this.#step(), ...this.#furtherSteps()] }
    if (!this.#eat('/')) return { start: 'here', steps: [this.#step(), ...this.#furtherSteps()] }
    if (!this.#startsStep()) return { start: 'root', steps: [] }
    return { start: 'root', steps: [this.#step(), ...this.#furtherSteps()] }
  }

  #furtherSteps(): PathStep[] {
    const steps: PathStep[] = []
    for (;;) {
      if (this.#eat('//')) steps.push(DESCEND)
      else if (!this.#eat('/')) return steps
      steps.push(this.#step())
    }
  }

  #startsStep(): boolean {
    this.#space()
    return /^[\p{L}_@*.]/u.test(this.#source.slice(this.#position, this.#position + 2))
  }

  #step(): PathStep {
    this.#count()
    if (this.#eat('..')) return { axis: 'parent', test: ANY_NODE, predicates: [] }
    if (this.#eat('.')) return { axis: 'self', test: ANY_NODE, predicates: this.#predicates() }
    const axis: Axis = this.#eat('@') ? 'attribute' : (this.#axis() ?? 'child')
    return { axis, test: this.#test(), predicates: this.#predicates() }
  }

  #axis(): Axis | null {
    const name = this.#match(AXIS)?.[1]
    if (name === undefined) return null
    const axis = AXES.find((candidate) => candidate === name)
    if (axis !== undefined) return axis
    throw new SyntaxError(`there is no axis ${name}; there are ${AXES.join(', ')}`)
  }

  #test(): NodeTest {
    if (this.#eat('*')) return { kind: 'name', name: null }
    const kind = this.#match(NODE_TYPE)?.[1]
    if (kind !== undefined) {
      if (kind === 'processing-instruction') this.#match(STRING)
      this.#expect(')')
      return { kind: kind === 'text' || kind === 'node' ? kind : 'none' }
    }
    return { kind: 'name', name: this.#match(NAME)?.[0] ?? this.#fail() }
  }

  #predicates(): Expression[] {
    const predicates: Expression[] = []
    while (this.#eat('[')) {
      predicates.push(this.#expression())
      this.#expect(']')
    }
    return predicates
  }

  #call(): Expression | null {
    const start = this.#position
    const name = this.#match(CALL)?.[1]
    if (name === undefined) return null
    if (NODE_TYPES.includes(name)) {
      this.#position = start
      return null
    }
    this.#count()
    if (!isFunction(name))
      throw new SyntaxError(
        `there is no function ${name}(); there are ${Object.keys(FUNCTIONS).join(', ')}`,
      )
    const args: Expression[] = []
    if (!this.#peek(')'))
      do args.push(this.#expression())
      while (this.#eat(','))
    this.#expect(')')
    const [least, most] = FUNCTIONS[name]
    if (args.length < least || args.length > most)
      throw new SyntaxError(
        `${name}() takes ${least === most ? least : `${least} or more`} arguments, not ${args.length}`,
      )
    return { kind: 'call', name, args }
  }

  #count(): void {
    if (++this.#parts > MAX_PARTS) throw new SyntaxError(`it has more than ${MAX_PARTS} parts`)
  }

  #space(): void {
    SPACE.lastIndex = this.#position
    this.#position += SPACE.exec(this.#source)?.[0].length ?? 0
  }

  #peek(text: string): boolean {
    this.#space()
    return this.#source.startsWith(text, this.#position)
  }

  #eat(text: string): boolean {
    if (!this.#peek(text)) return false
    this.#position += text.length
    return true
  }

  #expect(text: string): void {
    if (!this.#eat(text)) this.#fail()
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    this.#space()
    pattern.lastIndex = this.#position
    const match = pattern.exec(this.#source)
    if (match !== null) this.#position += match[0].length
    return match
  }

  #fail(): never {
    const rest = this.#source.slice(this.#position, this.#position + 10)
    const next = rest === '' ? 'end' : JSON.stringify(rest)
    throw new SyntaxError(`unexpected ${next} at character ${this.#position + 1}`)
  }
}

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name)
}
