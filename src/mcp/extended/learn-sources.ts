import { isObject } from '../../kernel/json.ts'
import { objectsIn } from './views.ts'
import { sourceFor } from './source-of.ts'
import type { Wanted } from './wanted.ts'

type Data = { readonly [name: string]: unknown }

/** Maximum number of detected columns that are read together with the answers of a model. */
const MOST_BESIDE = 20
const PREFIX = 'detected_column_'

/** Minimum number of rows, and of different values. With fewer, a column may match by chance. */
const LEAST_ROWS = 3
const LEAST_VALUES = 2

/** A recipe with questions to a model, and detected columns that may contain the same values. */
export interface Asked {
  readonly recipe: Data
  /** Name in the recipe → the source of a detected column. */
  readonly beside: ReadonlyMap<string, unknown>
}

/** The recipe, with more detected columns beside its questions to a model. */
export function withColumns(recipe: Data, columns: Data): Asked {
  const extract = isObject(recipe['extract']) ? recipe['extract'] : {}
  const beside = new Map(
    Object.values(columns)
      .slice(0, MOST_BESIDE)
      .map((source, index) => [`${PREFIX}${index}`, source] as const),
  )
  const fields = isObject(extract['fields']) ? extract['fields'] : {}
  const all = { ...fields, ...Object.fromEntries(beside) }
  return { recipe: { ...recipe, extract: { ...extract, fields: all } }, beside }
}

/**
 * The recipe without the questions whose answers equal one detected column in every row. Next time
 * that column is read, and the model is not asked. `preview` is the result of the recipe of
 * `asked`.
 */
export function learned(
  recipe: Data,
  { beside }: Asked,
  { questions, preview }: { readonly questions: readonly Wanted[]; readonly preview: Data },
): { readonly recipe: Data; readonly preview: Data; readonly unlearned: readonly string[] } {
  const rows = objectsIn(preview['rows'])
  const extract = isObject(recipe['extract']) ? recipe['extract'] : {}
  const readable = questions.flatMap((question) => {
    const [only, ...others] = [...beside].filter(([name]) => areSame(rows, question.name, name))
    // If several columns match, it is unknown which of them is meant.
    return !only || others.length > 0
      ? []
      : [[question.name, sourceFor(only[1], question)] as const]
  })
  const names = readable.map(([name]) => name)
  const fields = {
    ...(isObject(extract['fields']) ? extract['fields'] : {}),
    ...Object.fromEntries(readable),
  }
  const columns = Array.isArray(preview['columns']) ? preview['columns'].map(String) : []
  return {
    recipe: { ...recipe, extract: { ...extract, fields } },
    preview: {
      ...preview,
      columns: columns.filter((name) => !beside.has(name)),
      rows: rows.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !beside.has(name))),
      ),
      warnings: objectsIn(preview['warnings']).filter(({ path }) => !String(path).includes(PREFIX)),
    },
    unlearned: questions.flatMap(({ name }) => (names.includes(name) ? [] : [name])),
  }
}

/** True if both columns are equal in each row, in enough rows to exclude chance. */
function areSame(rows: readonly Data[], left: string, right: string): boolean {
  const plain = (value: unknown): string =>
    value === null || value === undefined ? '' : String(value).trim().toLowerCase()
  const values = new Set(rows.map((row) => plain(row[left])))
  return (
    rows.length >= LEAST_ROWS &&
    values.size >= LEAST_VALUES &&
    !values.has('') &&
    rows.every((row) => plain(row[left]) === plain(row[right]))
  )
}
