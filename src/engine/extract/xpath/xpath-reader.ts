import {
  FUNCTIONS,
  type Axis,
  type Expression,
  type FunctionName,
  type LocationPath,
  type NodeTest,
  type Operator,
  type PathStep,
} from './xpath-parts.ts'

const SPACE = /\s*/y
const NAME = /[\p{L}_][\p{L}\p{N}_.\-·]*(?::(?!:)[\p{L}_][\p{L}\p{N}_.\-·]*)?/uy
const NUMBER = /-?\d{1,9}(?:\.\d{1,9})?/y
const STRING = /"([^"]*)"|'([^']*)'/y
const AXIS = /([a-z-]+)\s*::\s*/y
const CALL = /([a-z-]+)\s*\(/y
const NODE_TEST = /(text|node)\s*\(\s*\)/y
const LEVELS: readonly (readonly [pattern: RegExp, operators: readonly Operator[]])[] = [
  [/or\b/y, ['or']],
  [/and\b/y, ['and']],
  [/!=|=/y, ['=', '!=']],
  [/<=|>=|<|>/y, ['<', '<=', '>', '>=']],
  [/\+|-(?=\s|\d)|mod\b/y, ['+', '-', 'mod']],
]
const AXES: ReadonlySet<string> = new Set<Axis>([
  'child',
  'descendant',
  'descendant-or-self',
  'self',
  'parent',
  'ancestor',
  'ancestor-or-self',
  'following-sibling',
  'preceding-sibling',
  'attribute',
])
const ANY_NODE: NodeTest = { kind: 'node' }
const MAX_STEPS = 60
const MAX_NESTING = 5

/** Reads XPath character by character. */
export class XPathReader {
  readonly #source: string
  #at = 0
  #steps = 0
  #nesting = 0

  constructor(source: string) {
    this.#source = source
  }

  end(): void {
    this.#space()
    if (this.#at < this.#source.length) this.#fail()
  }

  union(): LocationPath[] {
    const paths = [this.#path()]
    while (this.#eat('|')) paths.push(this.#path())
    return paths
  }

  /** Reads a path, or a path in parentheses with its own predicates. */
  #path(): LocationPath {
    if (!this.#eat('(')) return this.#location()
    const path = this.#location()
    this.#expect(')')
    return { ...path, predicates: this.#predicates() }
  }

  #location(): LocationPath {
    const steps: PathStep[] = []
    const absolute = this.#peek('/')
    if (this.#eat('//')) steps.push(this.#descend())
    else if (this.#eat('/') && !this.#startsStep()) return { absolute, steps, predicates: [] }
    steps.push(this.#step())
    for (;;) {
      if (this.#eat('//')) steps.push(this.#descend())
      else if (!this.#eat('/')) return { absolute, steps, predicates: [] }
      steps.push(this.#step())
    }
  }

  #descend(): PathStep {
    return { axis: 'descendant-or-self', test: ANY_NODE, predicates: [] }
  }

  #startsStep(): boolean {
    this.#space()
    return /^[\p{L}_@*.]/u.test(this.#source.slice(this.#at, this.#at + 2))
  }

  #step(): PathStep {
    if (++this.#steps > MAX_STEPS) throw new SyntaxError(`it has more than ${MAX_STEPS} steps`)
    if (this.#eat('..')) return { axis: 'parent', test: ANY_NODE, predicates: this.#predicates() }
    if (this.#eat('.')) return { axis: 'self', test: ANY_NODE, predicates: this.#predicates() }
    const axis: Axis = this.#eat('@') ? 'attribute' : (this.#axis() ?? 'child')
    return { axis, test: this.#test(), predicates: this.#predicates() }
  }

  #axis(): Axis | null {
    const name = this.#match(AXIS)?.[1]
    if (name === undefined) return null
    if (isAxis(name)) return name
    throw new SyntaxError(`the axis ${name} is not supported; there are ${[...AXES].join(', ')}`)
  }

  #test(): NodeTest {
    if (this.#eat('*')) return { kind: 'name', name: null }
    const kind = this.#match(NODE_TEST)?.[1]
    if (kind === 'text' || kind === 'node') return { kind }
    return { kind: 'name', name: this.#match(NAME)?.[0] ?? this.#fail() }
  }

  #predicates(): Expression[] {
    const found: Expression[] = []
    while (this.#eat('[')) {
      found.push(this.#expression())
      this.#expect(']')
    }
    return found
  }

  #expression(): Expression {
    if (++this.#nesting > MAX_NESTING)
      throw new SyntaxError(`it is nested more than ${MAX_NESTING} deep`)
    const expression = this.#operation(0)
    this.#nesting--
    return expression
  }

  #operation(level: number): Expression {
    const known = LEVELS[level]
    if (known === undefined) return this.#operand()
    const [pattern, operators] = known
    let left = this.#operation(level + 1)
    for (;;) {
      const written = this.#match(pattern)?.[0]
      const operator = operators.find((one) => one === written)
      if (operator === undefined) return left
      if (++this.#steps > MAX_STEPS) throw new SyntaxError(`it has more than ${MAX_STEPS} steps`)
      left = { kind: 'operation', operator, left, right: this.#operation(level + 1) }
    }
  }

  #operand(): Expression {
    const text = this.#match(STRING)
    if (text !== null) return { kind: 'text', value: text[1] ?? text[2] ?? '' }
    const number = this.#match(NUMBER)
    if (number !== null) return { kind: 'number', value: Number(number[0]) }
    if (this.#eat('(')) {
      const inner = this.#expression()
      this.#expect(')')
      return inner
    }
    return this.#call() ?? { kind: 'path', path: this.#location() }
  }

  #call(): Expression | null {
    const start = this.#at
    const name = this.#match(CALL)?.[1]
    if (name === undefined) return null
    if (name === 'text' || name === 'node') {
      this.#at = start
      return null
    }
    if (!isFunction(name))
      throw new SyntaxError(
        `the function ${name}() is not supported; there are ${Object.keys(FUNCTIONS).join(', ')}`,
      )
    const given: Expression[] = []
    if (!this.#peek(')'))
      do given.push(this.#expression())
      while (this.#eat(','))
    this.#expect(')')
    const [least, most] = FUNCTIONS[name]
    if (given.length < least || given.length > most)
      throw new SyntaxError(
        `${name}() takes ${least === most ? least : `${least} to ${most}`} arguments, not ${given.length}`,
      )
    return { kind: 'call', name, given }
  }

  #space(): void {
    SPACE.lastIndex = this.#at
    this.#at += SPACE.exec(this.#source)?.[0].length ?? 0
  }

  #peek(text: string): boolean {
    this.#space()
    return this.#source.startsWith(text, this.#at)
  }

  #eat(text: string): boolean {
    if (!this.#peek(text)) return false
    this.#at += text.length
    return true
  }

  #expect(text: string): void {
    if (!this.#eat(text)) this.#fail()
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    this.#space()
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)
    if (found !== null) this.#at += found[0].length
    return found
  }

  #fail(): never {
    const rest = this.#source.slice(this.#at, this.#at + 10)
    const next = rest === '' ? 'end' : JSON.stringify(rest)
    throw new SyntaxError(`unexpected ${next} at character ${this.#at + 1}`)
  }
}

function isAxis(name: string): name is Axis {
  return AXES.has(name)
}

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name)
}
