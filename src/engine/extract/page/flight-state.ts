import { DEEPEST } from '../../../kernel/json-depth.ts'
import { isList, isObject, type Json, type JsonObject } from '../../../kernel/json.ts'
import type { PageBudget } from './page-budget.ts'
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

/** One row of the stream. */
class FlightRow {
  readonly #texts: ReadonlyMap<string, string>
  readonly #budget: PageBudget
  readonly #pass: QuickPass
  #hasElements = false
  /**
   * The number of texts and numbers that were read, without those that HTML shows. Also whether the
   * current value has a name, or is inside a named one.
   */
  #values = 0
  #hasMember = false

  constructor(texts: ReadonlyMap<string, string>, budget: PageBudget) {
    this.#texts = texts
    this.#budget = budget
    this.#pass = new QuickPass(budget, VALUE_STEPS)
  }

  /** The arguments of components, or data alone. `null`: the row has only texts to show. */
  *dataOf(row: Json): Parts<Json> {
    const data = yield* this.#part(row, 0)
    const isData = this.#hasElements ? this.#hasMember : this.#values > 0
    return isData && typeof data === 'object' ? data : null
  }

  /** The data of a value. `null`: it has no data, or is `$undefined`, or refers to another place. */
  *#part(value: Json, depth: number): Parts<Json> {
    const simple = this.#simple(value)
    return simple === undefined ? yield* this.#structure(value, depth) : simple
  }

  /** Most values are simple. `undefined`: it is a list or an object. */
  #simple(value: Json): Json | undefined {
    this.#budget.work(STEPS)
    this.#budget.make(VALUE_ROOM)
    if (value === null) return null
    if (typeof value === 'object') return undefined
    const read = typeof value === 'string' && value.startsWith('$') ? this.#special(value) : value
    if (read !== null) this.#values++
    return read
  }

  *#structure(value: Json, depth: number): Parts<Json> {
    if (isList(value)) {
      const [mark, type, , props] = value
      if (mark === '$' && isObject(props ?? null))
        return yield* this.#element(typeof type === 'string' ? type : '$', props ?? null, depth)
    }
    if (isList(value)) return yield* this.#list(value, depth)
    return isObject(value) ? yield* this.#members(value, depth) : null
  }

  *#list(value: readonly Json[], depth: number): Parts<Json> {
    if (depth >= DEEPEST) return this.#tooDeep()
    const list: Json[] = []
    for (const item of value) {
      if (this.#pass.ends()) yield
      const simple = this.#simple(item)
      list.push(simple === undefined ? yield* this.#structure(item, depth + 1) : simple)
    }
    return list
  }

  *#members(value: JsonObject, depth: number): Parts<Json> {
    if (depth >= DEEPEST) return this.#tooDeep()
    const members: [string, Json][] = []
    for (const [name, member] of Object.entries(value)) {
      if (this.#pass.ends()) yield
      const before = this.#values
      const simple = this.#simple(member)
      const part = simple === undefined ? yield* this.#structure(member, depth + 1) : simple
      // The content that an element shows is not data.
      this.#hasMember ||= this.#values > before && name !== 'children'
      members.push([name, part])
    }
    return Object.fromEntries(members)
  }

  /** The arguments of an element. For an HTML element: its content. */
  *#element(type: string, props: Json, depth: number): Parts<Json> {
    this.#hasElements = true
    if (!isObject(props)) return null
    const isHtml = !type.startsWith('$')
    const hasData = Object.keys(props).some((name) => !DISPLAY.test(name))
    if (!isHtml && hasData) return yield* this.#members(props, depth)
    const before = this.#values
    const part = yield* this.#part(props['children'] ?? null, depth)
    // HTML is shown, so its content is not data, even if it is passed to a component.
    if (isHtml) this.#values = before
    return part
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
