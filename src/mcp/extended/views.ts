import { UNTRUSTED } from '../../features/agentic/tool-schema.ts'
import { isObject } from '../../kernel/json.ts'

type Data = { readonly [name: string]: unknown }

/** How far to trust what pages say. */
export const NOTICE = UNTRUSTED

/** Limit on the characters of all rows in a result. */
const MOST_CHARACTERS = 24_000
/** Limit on the characters of a text, if one row exceeds the result. */
const MOST_OF_TEXT = 6_000

/** The objects of a list. */
export function objectsIn(value: unknown): readonly Data[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** As many rows as fit into a result. */
export function fittingRows(value: unknown): { [name: string]: unknown }[] {
  const rows: { [name: string]: unknown }[] = []
  let characters = 0
  for (const row of objectsIn(value)) {
    const short = Object.fromEntries(
      Object.entries(row).map(([column, cell]) => [
        column,
        typeof cell === 'string' && cell.length > MOST_OF_TEXT
          ? `${cell.slice(0, MOST_OF_TEXT)} [${cell.length - MOST_OF_TEXT} more characters]`
          : cell,
      ]),
    )
    characters += JSON.stringify(short).length
    if (characters > MOST_CHARACTERS && rows.length > 0) break
    rows.push(short)
  }
  return rows
}

/** The pages of a preview with their outcomes. */
export function pagesOf({
  pages,
}: Data): { url: string; outcome: string; reason: string | null }[] {
  return objectsIn(pages).map(({ url, outcome, reason }) => ({
    url: String(url),
    outcome: String(outcome),
    reason: isObject(reason) ? `${String(reason['message'])} (${String(reason['code'])})` : null,
  }))
}

/**
 * The warnings of a preview, with their path in the recipe. All selectors of a column that matched
 * nothing are in the recipe, which is beside the warning.
 */
export function warningsOf({ warnings }: Data): string[] {
  return objectsIn(warnings).map(({ path, message }) => {
    const words = String(message).replace(/( matched nothing): [^]*$/, '$1')
    return typeof path === 'string' ? `${path}: ${words}` : words
  })
}

/**
 * Items of a dataset as an agent needs them: their values. Ids, runs and times of each item cost
 * more than the values, and are for programs. `withState`: also which are gone, and since when.
 */
export function itemsOf(items: unknown, withState: boolean): { [name: string]: unknown }[] {
  return objectsIn(items).map(({ values, state, changedAt }) => ({
    ...(isObject(values) ? values : {}),
    ...(withState && { _state: state, _changedAt: changedAt }),
  }))
}

/**
 * A change as an agent needs it: what is new has its values, what has changed has the fields that
 * did, and what went has its key alone.
 */
export function changeOf({ kind, at, key, fields }: Data): { [name: string]: unknown } {
  const moved = isObject(fields) ? fields : {}
  if (kind === 'changed') return { kind, at, key, fields: moved }
  const values = Object.entries(moved).flatMap(([name, field]) => {
    const after = isObject(field) ? (field['after'] ?? null) : null
    return after === null ? [] : [[name, after] as const]
  })
  return values.length === 0
    ? { kind, at, key }
    : { kind, at, key, values: Object.fromEntries(values) }
}
