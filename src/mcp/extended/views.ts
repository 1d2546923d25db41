import { UNTRUSTED } from '../../features/agentic/tool-schema.ts'
import { isObject } from '../../kernel/json.ts'

type Data = { readonly [name: string]: unknown }

/** The advice on how far to trust texts of pages. */
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
 * The warnings of a preview, with their path in the recipe. A warning shows one selector of a
 * column that matched nothing; the recipe beside it has all of them.
 */
export function warningsOf({ warnings }: Data): string[] {
  return objectsIn(warnings).map(({ path, message }) => {
    const words = String(message).replace(/( matched nothing): [^]*$/, '$1')
    return typeof path === 'string' ? `${path}: ${words}` : words
  })
}

/**
 * Items of a dataset for an agent: only their values. Ids, runs and times of each item are longer
 * than the values, and are for programs. `withState`: also whether an item is gone, and since when.
 */
export function itemsOf(items: unknown, withState: boolean): { [name: string]: unknown }[] {
  return objectsIn(items).map(({ values, state, changedAt }) => ({
    ...(isObject(values) ? values : {}),
    ...(withState && { _state: state, _changedAt: changedAt }),
  }))
}

/**
 * A change for an agent. A new item has its values, a changed item has its changed fields, and a
 * removed item has only its key.
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
