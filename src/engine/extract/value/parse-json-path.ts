/** One segment of a path: its selection among the children or among all descendants. */
export interface Step {
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
  | { readonly kind: 'filter'; readonly filter: Filter }

/** An `@`-path, tested for existence or compared with a literal. */
export interface Filter {
  readonly steps: readonly Step[]
  readonly operator: '==' | '!=' | '<' | '<=' | '>' | '>=' | null
  readonly literal: string | number | boolean | null
}

const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy
const STRING = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/y
const SLICE = /(?:(-?\d{1,9})\s*)?:(?:\s*(-?\d{1,9}))?(?:\s*:(?:\s*(-?\d{1,9}))?)?/y
const INDEX = /-?\d{1,9}/y
const OPERATOR = /==|!=|<=|>=|<|>/y
const LITERAL = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null/iy
const SPACE = /\s*/y

/**
 * Parses a path into its segments.
 *
 * @throws {SyntaxError}
 */
export function parseJsonPath(path: string): readonly Step[] {
  const reader = new Reader(path)
  reader.expect('$')
  const steps = reader.steps()
  reader.space()
  if (!reader.done) reader.fail()
  return steps
}

class Reader {
  readonly #source: string
  #at = 0
  #filters = 0

  constructor(source: string) {
    this.#source = source
  }

  get done(): boolean {
    return this.#at >= this.#source.length
  }

  fail(): never {
    const rest = this.#source.slice(this.#at, this.#at + 10)
    const next = rest === '' ? 'end' : JSON.stringify(rest)
    throw new SyntaxError(`unexpected ${next} at character ${this.#at + 1}`)
  }

  space(): void {
    this.#match(SPACE)
  }

  expect(text: string): void {
    if (!this.#eat(text)) this.fail()
  }

  steps(): Step[] {
    const steps: Step[] = []
    for (;;) {
      if (this.#eat('..'))
        steps.push({
          descend: true,
          selections: this.#eat('[') ? this.#bracket() : [this.#nameOrWildcard()],
        })
      else if (this.#eat('.')) steps.push({ descend: false, selections: [this.#nameOrWildcard()] })
      else if (this.#eat('[')) steps.push({ descend: false, selections: this.#bracket() })
      else return steps
    }
  }

  #nameOrWildcard(): Selection {
    if (this.#eat('*')) return { kind: 'wildcard' }
    // Beyond the RFC: `$..@type`, because JSON-LD has many such names.
    const at = this.#eat('@') ? '@' : ''
    return { kind: 'name', name: at + (this.#match(NAME)?.[0] ?? this.fail()) }
  }

  #bracket(): Selection[] {
    const selections: Selection[] = []
    do {
      this.space()
      selections.push(this.#selection())
      this.space()
    } while (this.#eat(','))
    this.expect(']')
    return selections
  }

  #selection(): Selection {
    if (this.#eat('*')) return { kind: 'wildcard' }
    if (this.#eat('?')) return { kind: 'filter', filter: this.#filter() }
    const string = this.#string()
    if (string !== null) return { kind: 'name', name: string }
    const slice = this.#match(SLICE)
    if (slice !== null)
      return {
        kind: 'slice',
        from: whole(slice[1]),
        to: whole(slice[2]),
        step: whole(slice[3]) ?? 1,
      }
    return { kind: 'index', index: Number(this.#match(INDEX)?.[0] ?? this.fail()) }
  }

  #filter(): Filter {
    if (++this.#filters > 5) throw new SyntaxError('has more than 5 filters')
    this.space()
    const bracketed = this.#eat('(')
    this.space()
    this.expect('@')
    const steps = this.steps()
    this.space()
    const operator = this.#operator()
    this.space()
    const literal = operator === null ? null : this.#literal()
    this.space()
    if (bracketed) this.expect(')')
    return { steps, operator, literal }
  }

  #operator(): Filter['operator'] {
    const found = this.#match(OPERATOR)?.[0]
    return found === '==' ||
      found === '!=' ||
      found === '<' ||
      found === '<=' ||
      found === '>' ||
      found === '>='
      ? found
      : null
  }

  #literal(): Filter['literal'] {
    const string = this.#string()
    if (string !== null) return string
    const word = this.#match(LITERAL)?.[0] ?? this.fail()
    return word === 'true' ? true : word === 'false' ? false : word === 'null' ? null : Number(word)
  }

  #string(): string | null {
    const found = this.#match(STRING)
    return found === null
      ? null
      : (found[1] ?? found[2] ?? '').replace(/\\(u[\da-f]{4}|.)/gi, (_, code: string) =>
          unescape(code),
        )
  }

  #eat(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)
    if (found !== null) this.#at += found[0].length
    return found
  }
}

function unescape(code: string): string {
  if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
  return { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }[code] ?? code
}

function whole(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}
