import type { Json } from '../../../kernel/json.ts'
import { rawText } from '../tree/text-content.ts'
import type { Tree } from '../tree/parse-tree.ts'
import type { PageBudget } from './page-budget.ts'
import { parsePageJson } from './parse-json.ts'

const MAX_BLOCKS = 100

/** The page's JSON-LD documents, in order. A block that cannot be read is left out. */
export function readJsonLd(tree: Tree, budget: PageBudget): readonly Json[] {
  const found: Json[] = []
  for (const element of tree.elements) {
    if (element.name !== 'script' || !isJsonLd(element.attribs['type'])) continue
    if (found.length === MAX_BLOCKS) {
      budget.cut('blocks of JSON-LD', MAX_BLOCKS, 'page')
      break
    }
    const value = parsePageJson(withoutWrapping(rawText(element, budget)), budget)
    if (value !== undefined) found.push(value)
  }
  return found
}

function isJsonLd(type: string | undefined): boolean {
  return type !== undefined && type.trim().toLowerCase().startsWith('application/ld+json')
}

// Blocks are found wrapped in comments or CDATA, and with raw line breaks inside strings.
function withoutWrapping(text: string): string {
  const body = text
    .trim()
    .replace(/^(?:<!--|\/\*\s*<!\[CDATA\[\s*\*\/|\/\/\s*<!\[CDATA\[|<!\[CDATA\[)/, '')
    .replace(/(?:-->|\/\*\s*\]\]>\s*\*\/|\/\/\s*\]\]>|\]\]>)$/, '')
    .trim()
  return body.endsWith(';') ? body.slice(0, -1) : body
}
