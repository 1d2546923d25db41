import { isList, type Json } from '../../../kernel/json.ts'
import { rawText } from '../tree/text-content.ts'
import type { Tree } from '../tree/parse-tree.ts'
import type { PageBudget } from './page-budget.ts'
import { flatStateParts } from './flat-state.ts'
import { FLIGHT, flightParts } from './flight-state.ts'
import { readJson } from './parse-json.ts'
import { QuickPass, type Parts } from './in-turns.ts'
import { scriptLiteralParts } from './script-literal.ts'

const MAX_BLOCKS = 100
/** Shorter scripts hold settings. */
const SHORTEST = 2
/** `window.__NUXT__ = {`, `self.__APOLLO_STATE__={`, `var initialState = JSON.parse("`. */
const ASSIGNED =
  /^\s*(?:(?:var|let|const)\s+|(?:window|self|globalThis)\s*(?:\.\s*|\[\s*["']))[\w$]{1,60}(?:["']\s*\])?\s*=\s*/

/**
 * Matches the start of a value that may be data: `{`, `[`, a function that is called at once,
 * `JSON.parse(`.
 */
const DATA = /^(?:[{[]|\(\s?(?:function\b|\()|JSON\s?\.)/
/** Most state is JSON, which is quick to read. */
const JSON_START = /^(?:\{\s{0,9}["}]|\[)/
/** Signs between two assignments. */
const AFTER = /[\s;,]*/y
const FLAT_ID = /^__NUXT_DATA__/

/**
 * Returns the JSON that scripts left in a page for themselves: blocks of `application/json`, such
 * as `__NEXT_DATA__`, scripts that begin with assignments of data, such as `window.__NUXT__ = {…}`,
 * and the stream that Next.js sends to its own script (`self.__next_f.push([1, "…"])`). The values
 * are in document order, and everything that is not data is skipped. `inParts`: as for `readJson`.
 */
export function* pageStateParts(
  tree: Tree,
  budget: PageBudget,
  inParts: boolean,
): Parts<readonly Json[]> {
  const blocks: Json[] = []
  const stream: string[] = []
  // After an unreadable chunk the stream is not read further, because its text would be read as
  // part of another row.
  let isCut = false
  const pass = new QuickPass(budget, 2)
  for (const element of tree.elements) {
    if (pass.ends()) yield
    if (element.name !== 'script') continue
    const type = element.attribs['type']?.trim().toLowerCase() ?? ''
    const isData = type.startsWith('application/json')
    if (!isData && type !== '' && !type.endsWith('javascript') && type !== 'module') continue
    if (Object.hasOwn(element.attribs, 'src')) continue
    yield
    const text = rawText(element, budget)
    const flight = isData ? undefined : FLIGHT.exec(text.slice(0, 200))?.[0].length
    if (flight !== undefined) {
      const chunk = isCut ? null : yield* flightChunk(text, flight, budget, inParts)
      if (chunk === null) isCut = true
      else stream.push(chunk)
      continue
    }
    const isFlat = isData && FLAT_ID.test(element.attribs['id'] ?? '')
    if (text.length <= SHORTEST) continue
    const values = isData
      ? [yield* dataOf(text, isFlat, budget, inParts)]
      : yield* assignedData(text, budget, inParts)
    for (const value of values)
      if (value !== undefined && typeof value === 'object' && value !== null) blocks.push(value)
    if (blocks.length > MAX_BLOCKS) {
      budget.cut('blocks of state', MAX_BLOCKS, 'page')
      blocks.length = MAX_BLOCKS
      break
    }
  }
  if (stream.length === 0) return blocks
  const most = MAX_BLOCKS - blocks.length
  return [...blocks, ...(yield* flightParts(stream.join(''), most, budget, inParts))]
}

/**
 * The text that a script adds to the stream of a page. It is empty if the script only prepares the
 * stream. `null`: it cannot be read.
 */
function* flightChunk(
  text: string,
  start: number,
  budget: PageBudget,
  inParts: boolean,
): Parts<string | null> {
  const added = yield* scriptData(text, start, budget, inParts)
  if (added === undefined || !isList(added) || text.includes('__next_f.push', start)) return null
  const [kind, chunk] = added
  if (kind === 1) return typeof chunk === 'string' ? chunk : null
  return kind === 0 || kind === 2 ? '' : null
}

/** The data at a position in a script. */
function* scriptData(
  text: string,
  start: number,
  budget: PageBudget,
  inParts: boolean,
): Parts<Json | undefined> {
  const end = JSON_START.test(text.slice(start, start + 20)) ? endOfValue(text, start) : -1
  const value = end === -1 ? undefined : yield* readJson(text.slice(start, end), budget, inParts)
  return value ?? (yield* scriptLiteralParts(text, start, budget, inParts))?.value
}

function* dataOf(
  text: string,
  isFlat: boolean,
  budget: PageBudget,
  inParts: boolean,
): Parts<Json | undefined> {
  const value = yield* readJson(text, budget, inParts)
  return isFlat && value !== undefined ? ((yield* flatStateParts(value, budget)) ?? value) : value
}

/** The data that a script assigns from its start on, one value after the other. */
function* assignedData(
  text: string,
  budget: PageBudget,
  inParts: boolean,
): Parts<readonly (Json | undefined)[]> {
  const values: (Json | undefined)[] = []
  let mayBeJson = true
  for (let position = 0; values.length <= MAX_BLOCKS;) {
    const start = startOfAssigned(text, position)
    if (start === -1 || text.length - start <= SHORTEST) break
    const isJson = mayBeJson && JSON_START.test(text.slice(start, start + 20))
    const end = isJson ? endOfValue(text, start) : -1
    if (isJson && end === -1) {
      // It was looked for up to the end of the script, which is not done for each value.
      budget.work((text.length - start) >> 2)
      mayBeJson = false
    }
    const value = end === -1 ? undefined : yield* readJson(text.slice(start, end), budget, inParts)
    const assigned =
      value === undefined ? yield* scriptLiteralParts(text, start, budget, inParts) : { value, end }
    if (assigned === null) break
    values.push(assigned.value)
    AFTER.lastIndex = assigned.end
    AFTER.test(text)
    position = AFTER.lastIndex
  }
  return values
}

/** The start of the value that a script assigns at a position. -1: the value cannot be data. */
function startOfAssigned(text: string, position: number): number {
  const length = ASSIGNED.exec(text.slice(position, position + 200))?.[0].length
  const start = position + (length ?? 0)
  return length !== undefined && DATA.test(text.slice(start, start + 20)) ? start : -1
}

/** Returns where a value in brackets ends, or -1. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let position = start; position < text.length; position++) {
    const sign = text.charAt(position)
    if (sign === '"') {
      for (position++; position < text.length && text.charAt(position) !== '"'; position++)
        if (text.charAt(position) === '\\') position++
    } else if (sign === '{' || sign === '[') depth++
    else if ((sign === '}' || sign === ']') && --depth === 0) return position + 1
  }
  return -1
}
