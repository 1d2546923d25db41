import { DEEPEST } from '../../../kernel/json-depth.ts'
import { isList, isObject, type Json, type JsonObject } from '../../../kernel/json.ts'
import type { PageBudget } from './page-budget.ts'
import { copyLevels, Level } from './copy-levels.ts'
import { QuickPass, type Parts } from './in-turns.ts'
import { readJson, VALUE_ROOM } from './parse-json.ts'

/** Matches the call by which a script adds to the stream: `self.__next_f.push(`. */
export const FLIGHT =
  /^\s*\(?(?:self|window)\.__next_f(?:\s*=\s*(?:self|window)\.__next_f\s*\|\|\s*\[\]\))?\.push\(\s*/

/** The id of a row, and the sign of its kind. Rows of JSON have none. */
const ROW = /([\da-f]{0,16}):(?:T([\da-f]{1,8}),)?/y
/** Steps to read a character, and to visit a value. */
const STEPS = 2
/** Steps that a turn counts for a value. */
const VALUE_STEPS = 12
/** Steps to read a row, or to find out that it cannot be read. */
const ROW_STEPS = 200
/** Maximum depth of a written row. Each element takes three levels, of which at most one remains. */
const DEEPEST_ROW = 8 * DEEPEST
/** An element that has only these members is replaced by them. */
const DISPLAY =
  /^(?:children|class|className|style|id|key|ref|aria-.*|role|dangerouslySetInnerHTML)$/

/**
 * Reads the stream in which Next.js sends a page to its script: rows of JSON, which stand for
 * elements and their data. HTML elements are left out, but the data that was passed to components
 * in them stays. `most`: the maximum number of blocks of data. `inParts`: as for `readJson`.
 *
 * @throws {PageTooCostly}
 */
export function* flightParts(
  stream: string,
  most: number,
  budget: PageBudget,
  inParts: boolean,
): Parts<readonly Json[]> {
  budget.work(STEPS * stream.length)
  const texts = new Map<string, string>()
  const rows: string[] = []
  for (let position = 0; position < stream.length;) {
    ROW.lastIndex = position
    const [head, id = '', length] = ROW.exec(stream) ?? []
    const start = position + (head?.length ?? 0)
    yield
    budget.work(ROW_STEPS)
    budget.make(VALUE_ROOM)
    if (length === undefined) {
      const line = stream.indexOf('\n', start)
      const end = line === -1 ? stream.length : line
      if (head !== undefined && /[[{]/.test(stream.charAt(start)))
        rows.push(stream.slice(start, end))
      position = end + 1
    } else {
      position = endOfBytes(stream, start, Number.parseInt(length, 16))
      texts.set(id, stream.slice(start, position))
    }
  }
  const blocks: Json[] = []
  for (const row of rows) {
    yield
    const value = yield* readJson(row, budget, inParts, DEEPEST_ROW)
    if (value === undefined) continue
    const data = yield* new FlightRow(texts, budget).dataOf(value)
    if (data === null) continue
    if (blocks.length === most) {
      budget.cut('blocks of state', most, 'page')
      break
    }
    blocks.push(data)
  }
  return blocks
}

/** The index in a text after a number of bytes of UTF-8. */
function endOfBytes(text: string, start: number, bytes: number): number {
  let position = start
  for (let left = bytes; left > 0 && position < text.length; position++) {
    const code = text.charCodeAt(position)
    // Each half of a character of four bytes counts two bytes.
    left -= code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3
  }
  return position
}

/** A list or an object of a row. */
class FlightLevel extends Level<Json, Json> {
  /** True if its texts are in a named value, and not shown by HTML in it. */
  declare readonly isNamed: boolean

  constructor(value: readonly Json[] | JsonObject, depth: number, isNamed: boolean) {
    super(value, depth)
    this.isNamed = isNamed
  }
}

/** One row of the stream. */
class FlightRow {
  readonly #texts: ReadonlyMap<string, string>
  readonly #budget: PageBudget
  #hasElements = false
  /** Whether there are texts and numbers, and whether such are in a named value. */
  #hasValue = false
  #hasNamed = false

  constructor(texts: ReadonlyMap<string, string>, budget: PageBudget) {
    this.#texts = texts
    this.#budget = budget
  }

  /** The arguments of components, or data alone. `null`: the row has only texts to show. */
  *dataOf(row: Json): Parts<Json> {
    const root = this.#part(row, 0, false)
    if (!(root instanceof FlightLevel)) return null
    const data = yield* copyLevels(
      root,
      (value, level, name) =>
        // The content that an element shows is not data.
        this.#part(value, level.depth, level.isNamed || (name ?? 'children') !== 'children'),
      new QuickPass(this.#budget, VALUE_STEPS),
    )
    return (this.#hasElements ? this.#hasNamed : this.#hasValue) ? data : null
  }

  /** The data of a value. `null`: it has no data, or is `$undefined`, or refers to another place. */
  #part(value: Json, depth: number, isNamed: boolean): Json | FlightLevel {
    this.#budget.work(STEPS)
    this.#budget.make(VALUE_ROOM)
    if (value === null) return null
    if (typeof value !== 'object') {
      const read = typeof value === 'string' && value.startsWith('$') ? this.#special(value) : value
      if (read !== null) {
        this.#hasValue = true
        this.#hasNamed ||= isNamed
      }
      return read
    }
    if (isList(value)) {
      const [mark, type, , props = null] = value
      if (mark === '$' && isObject(props))
        return this.#element(typeof type === 'string' ? type : '$', props, depth, isNamed)
    }
    return this.#level(value, depth, isNamed)
  }

  #level(value: readonly Json[] | JsonObject, depth: number, isNamed: boolean): FlightLevel | null {
    return depth < DEEPEST ? new FlightLevel(value, depth + 1, isNamed) : this.#tooDeep()
  }

  /** The arguments of an element. For an HTML element: its content. */
  #element(type: string, props: JsonObject, depth: number, isNamed: boolean): Json | FlightLevel {
    this.#hasElements = true
    const isHtml = !type.startsWith('$')
    const hasData = Object.keys(props).some((name) => !DISPLAY.test(name))
    if (!isHtml && hasData) return this.#level(props, depth, isNamed)
    // HTML is shown, so its content is not data, even if it is passed to a component.
    return this.#part(props['children'] ?? null, depth, isNamed && !isHtml)
  }

  #tooDeep(): null {
    this.#budget.cut('levels of JSON', DEEPEST)
    return null
  }

  /** The value that a text with a leading `$` refers to. */
  #special(text: string): string | null {
    if (text.startsWith('$$')) return text.slice(1)
    if (text.startsWith('$D') || text.startsWith('$n')) return text.slice(2)
    const whole = this.#texts.get(text.slice(1)) ?? null
    if (whole !== null) this.#budget.make(whole.length)
    return whole
  }
}
