import { DEEPEST } from '../../../kernel/json-depth.ts'
import { isList, isObject, type Json } from '../../../kernel/json.ts'
import type { PageBudget } from './page-budget.ts'
import { parsePageJson, VALUE_ROOM } from './parse-json.ts'

/** How a script adds to the stream: `self.__next_f.push(`. */
export const FLIGHT =
  /^\s*\(?(?:self|window)\.__next_f(?:\s*=\s*(?:self|window)\.__next_f\s*\|\|\s*\[\]\))?\.push\(\s*/

/** The id of a row, and the sign of its kind. Rows of JSON have none. */
const ROW = /([\da-f]{0,16}):(?:T([\da-f]{1,8}),)?/y
/** Steps to read a character, and to look at a value. */
const STEPS = 2
/** Steps to read a row, or to find that it cannot be read. */
const ROW_STEPS = 200
/** Parts of an element are put in place of it where they are all that it has. */
const DISPLAY =
  /^(?:children|class|className|style|id|key|ref|aria-.*|role|dangerouslySetInnerHTML)$/

/**
 * Reads the stream in which Next.js sends a page to its script: rows of JSON, which stand for
 * elements and their data. Elements of HTML are left out, and what is in them stays: the data that
 * components were given. `most`: blocks of data that are read.
 *
 * @throws {PageTooCostly}
 */
export function readFlight(stream: string, most: number, budget: PageBudget): readonly Json[] {
  budget.work(STEPS * stream.length)
  const texts = new Map<string, string>()
  const rows: string[] = []
  for (let position = 0; position < stream.length;) {
    ROW.lastIndex = position
    const [head, id = '', length] = ROW.exec(stream) ?? []
    const start = position + (head?.length ?? 0)
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
    if (blocks.length === most) {
      budget.cut('blocks of state', most, 'page')
      break
    }
    const value = parsePageJson(row, budget)
    const data = value === undefined ? null : dataIn(value, texts, budget, 0)
    if (typeof data === 'object' && data !== null) blocks.push(data)
  }
  return blocks
}

/** Where a text of so many bytes of UTF-8 ends. */
function endOfBytes(text: string, start: number, bytes: number): number {
  let position = start
  for (let left = bytes; left > 0 && position < text.length; position++) {
    const code = text.charCodeAt(position)
    // The halves of a character of four bytes have two each.
    left -= code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3
  }
  return position
}

/** The data of a value. `null`: it has none, or is `$undefined` or a place elsewhere. */
function dataIn(
  value: Json,
  texts: ReadonlyMap<string, string>,
  budget: PageBudget,
  depth: number,
): Json {
  budget.work(STEPS)
  budget.make(VALUE_ROOM)
  if (depth > DEEPEST) return null
  if (typeof value === 'string')
    return value.startsWith('$') ? special(value, texts, budget) : value
  if (isList(value)) {
    const [mark, type, , props] = value
    if (mark === '$' && isObject(props ?? null))
      return elementData(typeof type === 'string' ? type : '$', props ?? null, texts, budget, depth)
    const parts = value.map((item) => dataIn(item, texts, budget, depth + 1))
    return parts
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]): [string, Json] => [
      name,
      dataIn(member, texts, budget, depth + 1),
    ]),
  )
}

/** What an element was given. Of one of HTML, what is in it. */
function elementData(
  type: string,
  props: Json,
  texts: ReadonlyMap<string, string>,
  budget: PageBudget,
  depth: number,
): Json {
  const data = dataIn(props, texts, budget, depth + 1)
  if (!isObject(data)) return null
  const isHtml = !type.startsWith('$')
  const hasData = Object.keys(data).some((name) => !DISPLAY.test(name))
  return isHtml || !hasData ? (data['children'] ?? null) : data
}

/** What a text with a `$` before it stands for. */
function special(
  text: string,
  texts: ReadonlyMap<string, string>,
  budget: PageBudget,
): string | null {
  if (text.startsWith('$$')) return text.slice(1)
  if (text.startsWith('$D') || text.startsWith('$n')) return text.slice(2)
  const whole = texts.get(text.slice(1)) ?? null
  if (whole !== null) budget.make(whole.length)
  return whole
}
