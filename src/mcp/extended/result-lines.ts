import { rowsText } from '../../features/agentic/result-text.ts'
import { isObject } from '../../kernel/json.ts'

type Data = { readonly [name: string]: unknown }

/** Members with texts of pages. The recipe is one: its names are headings and classes of a page. */
const OF_PAGES = new Set([
  'recipe',
  'warnings',
  'rows',
  'items',
  'links',
  'changes',
  'filled',
  'pages',
])

/**
 * A result as Markdown: a line for each member, and lists of objects as a table or as rows. Empty
 * members are left out, because a model reads everything. Texts of pages come last, after the
 * notice, because a page could imitate a line that follows them. The recipe is the first of these
 * texts, so that no row can imitate it.
 */
export function resultLines(result: Data): string {
  const { notice, next, columns, recipe = null, ...others } = result
  const members: Data = { recipe, ...others }
  const shapeOf = ([name, value]: readonly [string, unknown]): readonly string[] => {
    if (value === null || (Array.isArray(value) && value.length === 0)) return []
    if (name === 'missed' && value === 0) return []
    if (!Array.isArray(value) || !value.every(isObject)) return [`${name}: ${shown(value)}`]
    if (name === 'changes') return [`${name}:\n${value.map(changeLine).join('\n')}`]
    if (name === 'pages' && value.every(({ reason }) => reason === null))
      return [`pages: ${value.length}, all read`]
    return [`${name}:\n\n${rowsText(namesIn(value), value)}`]
  }
  const { own = [], ofPages = [] } = Object.groupBy(Object.entries(members), ([name]) =>
    OF_PAGES.has(name) ? 'ofPages' : 'own',
  )
  // A table shows its columns itself. Without rows, the columns show what was looked for.
  const hasRows = ['rows', 'items'].some((name) => isFilled(members[name]))
  const heads = hasRows || !isFilled(columns) ? [] : [`columns: ${shown(columns)}`]
  return [...own.flatMap(shapeOf), next, notice, ...heads, ...ofPages.flatMap(shapeOf)]
    .filter((part) => typeof part === 'string')
    .join('\n\n')
}

/** A change of an item in one line: `changed name="Pen": price 4.5 → 3.9`. */
function changeLine({ kind, at, key, values, fields }: Data): string {
  const pairs = (data: unknown, sign: string): string =>
    Object.entries(isObject(data) ? data : {})
      .map(([name, value]) => `${name}${sign}${JSON.stringify(value)}`)
      .join(', ')
  const moves = Object.entries(isObject(fields) ? fields : {}).map(([name, value]) => {
    const { before, after } = isObject(value) ? value : {}
    return `${name} ${JSON.stringify(before)} → ${JSON.stringify(after)}`
  })
  const facts = [pairs(values, '='), ...moves].filter((fact) => fact !== '')
  const what = facts.length > 0 ? `: ${facts.join(', ')}` : ''
  const named = values === undefined ? pairs(key, '=') : ''
  return ['-', shown(at), shown(kind), ...(named === '' ? [] : [named])].join(' ') + what
}

function namesIn(rows: readonly Data[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))]
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join(', ')
    : JSON.stringify(value)
}
