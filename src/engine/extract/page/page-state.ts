import type { Json } from '../../../kernel/json.ts'
import { rawText } from '../tree/text-content.ts'
import type { Tree } from '../tree/parse-tree.ts'
import type { PageBudget } from './page-budget.ts'
import { parsePageJson } from './parse-json.ts'

const MAX_BLOCKS = 100
/** Shorter scripts hold settings. */
const SHORTEST = 2
/** `window.__NUXT__ = {`, `self.__APOLLO_STATE__={`, `var initialState = JSON.parse("`. */
const ASSIGNED =
  /^\s*(?:(?:var|let|const)\s+|(?:window|self|globalThis)\s*(?:\.\s*|\[\s*["']))[\w$]{1,60}(?:["']\s*\])?\s*=\s*/

/**
 * Returns the JSON that scripts left in a page for themselves: blocks of `application/json`, such
 * as `__NEXT_DATA__`, and scripts that are one assignment of JSON, such as `window.__NUXT__ = {…}`.
 * In document order; what is not JSON is skipped.
 */
export function readPageState(tree: Tree, budget: PageBudget): readonly Json[] {
  const blocks: Json[] = []
  for (const element of tree.elements) {
    if (element.name !== 'script') continue
    const type = element.attribs['type']?.trim().toLowerCase() ?? ''
    const isData = type.startsWith('application/json')
    if (!isData && type !== '' && !type.endsWith('javascript') && type !== 'module') continue
    if (Object.hasOwn(element.attribs, 'src')) continue
    const text = rawText(element, budget)
    const json = isData ? text : assignedJson(text)
    if (json === null || json.trim().length <= SHORTEST) continue
    if (blocks.length === MAX_BLOCKS) {
      budget.cut('blocks of state', MAX_BLOCKS, 'page')
      break
    }
    const value = parsePageJson(json, budget)
    if (value !== undefined && typeof value === 'object' && value !== null) blocks.push(value)
  }
  return blocks
}

/** Returns what a script assigns first, if that is an object or a list. */
function assignedJson(text: string): string | null {
  const start = ASSIGNED.exec(text.slice(0, 200))?.[0].length
  if (start === undefined || !'{['.includes(text.charAt(start))) return null
  const end = endOfValue(text, start)
  return end === -1 ? null : text.slice(start, end)
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
