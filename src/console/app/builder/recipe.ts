import type { RecipeInput } from '../../../client.ts'

type Extract = Exclude<RecipeInput['extract'], 'auto' | undefined>
type Fields = NonNullable<Extract['fields']>
/** A column's sources, as a recipe has them. */
export type Field = Fields[string]

/** Types that a value can be read as, for the form. */
export const TYPES = ['text', 'number', 'integer', 'date', 'url', 'boolean'] as const

/** A source that the form shows: a selector, perhaps of an attribute, and what it is read as. */
export interface Source {
  readonly css: string
  readonly attr: string
  readonly as: string
}

/** The `extract` of a recipe. Empty if it is to be detected. */
export function extractOf({ extract }: RecipeInput): Extract {
  return extract === undefined || extract === 'auto' ? {} : extract
}

/** The columns of a recipe. */
export function columnsOf(recipe: RecipeInput): readonly (readonly [string, Field])[] {
  return Object.entries(extractOf(recipe).fields ?? {})
}

/** A recipe with other columns. */
export function withColumns(
  recipe: RecipeInput,
  columns: readonly (readonly [string, Field])[],
): RecipeInput {
  const { fields: _, ...rest } = extractOf(recipe)
  if (columns.length > 0)
    return { ...recipe, extract: { ...rest, fields: Object.fromEntries(columns) } }
  const { extract: _extract, ...bare } = recipe
  return bare
}

/** A recipe with one more column. A name that is taken gets a number. */
export function withColumn(recipe: RecipeInput, name: string, field: Field): RecipeInput {
  const columns = columnsOf(recipe)
  const names = new Set(columns.map(([present]) => present))
  let free = name
  for (let number = 2; names.has(free); number++) free = `${name}_${number}`
  return withColumns(recipe, [...columns, [free, field]])
}

/** A recipe with rows of other items, and one column: others would find nothing in them. */
export function withItems(
  recipe: RecipeInput,
  items: string,
  [name, field]: readonly [string, Field],
): RecipeInput {
  return { ...recipe, extract: { items, fields: { [name]: field } } }
}

/** A recipe that follows the link to the next page. */
export function withNext(recipe: RecipeInput, next: string): RecipeInput {
  const others = (recipe.follow ?? []).filter((rule) => !('next' in rule))
  return { ...recipe, follow: [...others, { next }] }
}

/** The selector of the next page. `null`: none is followed. */
export function nextOf({ follow = [] }: RecipeInput): string | null {
  for (const rule of follow) if ('next' in rule) return rule.next
  return null
}

/** The sources of a column for the form; `null`: it has one that only JSON can show. */
export function sourcesOf(field: Field): readonly Source[] | null {
  const sources = (Array.isArray(field) ? field : [field]).map(sourceOf)
  return sources.every((source) => source !== null) ? sources : null
}

function sourceOf(source: unknown): Source | null {
  if (typeof source === 'string')
    return /^[/$(]/.test(source) ? null : { css: source, attr: '', as: 'text' }
  if (typeof source !== 'object' || source === null) return null
  const { css, attr = '', as = 'text', ...rest } = Object.fromEntries(Object.entries(source))
  const isPlain = [css, attr, as].every((value) => typeof value === 'string')
  return isPlain && Object.keys(rest).length === 0
    ? { css: String(css), attr: String(attr), as: String(as) }
    : null
}

/** A column's sources from the form. */
export function fieldOf(sources: readonly Source[]): Field {
  const written = sources.map(({ css, attr, as }) =>
    attr === '' && as === 'text'
      ? css
      : { css, ...(attr !== '' && { attr }), ...(isType(as) && as !== 'text' && { as }) },
  )
  const [only] = written
  return written.length === 1 && only !== undefined ? only : written
}

function isType(as: string): as is (typeof TYPES)[number] {
  return TYPES.some((type) => type === as)
}
