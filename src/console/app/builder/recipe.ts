import type { RecipeInput } from '../../../client.ts'
import { isList, isObject } from '../../../kernel/json.ts'

// A recipe that is being typed may be any JSON, and is kept over a reload. So each function here
// reads the parts with the right form, and ignores the rest.

type Extraction = Exclude<RecipeInput['extract'], 'auto' | undefined>
type Fields = NonNullable<Extraction['fields']>
/** A column's sources, as a recipe has them. */
export type RecipeField = Fields[string]

/** The `extract` of a recipe. Empty if it is left to detection. */
export function extractOf({ extract }: RecipeInput): Extraction {
  return isObject(extract) ? extract : {}
}

/** The columns of a recipe. */
export function columnsOf(recipe: RecipeInput): readonly (readonly [string, RecipeField])[] {
  const { fields } = extractOf(recipe)
  return isObject(fields) ? Object.entries(fields) : []
}

/** A recipe with other columns. */
export function withColumns(
  recipe: RecipeInput,
  columns: readonly (readonly [string, RecipeField])[],
): RecipeInput {
  const { fields: _, ...rest } = extractOf(recipe)
  if (columns.length > 0)
    return { ...recipe, extract: { ...rest, fields: Object.fromEntries(columns) } }
  const { extract: _extract, ...bare } = recipe
  return bare
}

/** A recipe with one more column. If the name exists, it gets a number. */
export function withColumn(recipe: RecipeInput, name: string, field: RecipeField): RecipeInput {
  return withColumns(recipe, [...columnsOf(recipe), [freeName(recipe, name), field]])
}

function freeName(recipe: RecipeInput, name: string): string {
  const names = new Set(columnsOf(recipe).map(([present]) => present))
  let free = name
  for (let number = 2; names.has(free); number++) free = `${name}_${number}`
  return free
}

/**
 * A recipe with rows of other items, and one column, because its other columns would find nothing
 * in these items.
 */
export function withItems(
  recipe: RecipeInput,
  items: string,
  [name, field]: readonly [string, RecipeField],
): RecipeInput {
  return { ...recipe, extract: { items, fields: { [name]: field } } }
}

type Rule = NonNullable<RecipeInput['follow']>[number]
type LinkRule = Extract<Rule, { readonly links: unknown }>

function rulesOf({ follow }: RecipeInput): readonly Rule[] {
  return isList(follow) ? follow.filter((rule) => isObject(rule)) : []
}

/** A recipe that follows the link to the next page. `null`: it follows no link. */
export function withNext(recipe: RecipeInput, next: string | null): RecipeInput {
  const others = rulesOf(recipe).filter((rule) => !('next' in rule))
  const follow = next === null ? others : [...others, { next }]
  const { follow: _, ...rest } = recipe
  return follow.length > 0 ? { ...rest, follow } : rest
}

/** The selector of the next page. `null`: no link is followed. */
export function nextOf(recipe: RecipeInput): string | null {
  for (const rule of rulesOf(recipe))
    if ('next' in rule && typeof rule.next === 'string') return rule.next
  return null
}

/** Label of the pages with the details of a list's items. */
export const DETAIL = 'detail'
const START = 'start'

/** The rule that leads to the pages of the rows. `null`: rows come from the list itself. */
export function detailsOf(recipe: RecipeInput): LinkRule | null {
  const { on } = extractOf(recipe)
  if (on === undefined) return null
  for (const rule of rulesOf(recipe)) if ('links' in rule && rule.as === on) return rule
  return null
}

/** The items of the pages with a label. Users point at values in them. */
export function itemsOn(recipe: RecipeInput, label: string): string | undefined {
  const details = detailsOf(recipe)
  const of = details === null || label === details.as ? extractOf(recipe) : details
  return typeof of.items === 'string' ? of.items : undefined
}

/**
 * A recipe that continues on a detail page for each row. Its rows come from these pages, and the
 * columns so far are carried along with each link.
 */
export function withDetails(recipe: RecipeInput, links: string): RecipeInput {
  const { items, fields: _, ...rest } = extractOf(recipe)
  const columns = columnsOf(recipe)
  const carried = columns.map(([name]) => [name, { carried: name }] as const)
  const rule = {
    links,
    ...(columns.length > 0 && {
      ...(typeof items === 'string' && { items }),
      carry: Object.fromEntries(columns),
    }),
    as: DETAIL,
    on: START,
  }
  // A row needs a column.
  const fields = carried.length > 0 ? Object.fromEntries(carried) : { url: { url: true as const } }
  return {
    ...recipe,
    follow: [...rulesOf(recipe), rule],
    extract: { ...rest, on: DETAIL, fields },
  }
}

/**
 * A recipe with one more column, for the pages with a label. A column of a list is carried along to
 * the detail pages.
 */
export function withColumnOn(
  recipe: RecipeInput,
  label: string,
  name: string,
  field: RecipeField,
): RecipeInput {
  const details = detailsOf(recipe)
  if (details === null || label === details.as) return withColumn(recipe, name, field)
  const column = freeName(recipe, name)
  const carry = { ...(isObject(details.carry) && details.carry), [column]: field }
  const follow = rulesOf(recipe).map((rule) => (rule === details ? { ...details, carry } : rule))
  return withColumn({ ...recipe, follow }, column, { carried: column })
}

type PageOptions = NonNullable<RecipeInput['page']>
type Actions = NonNullable<PageOptions['actions']>

function pageOf({ page }: RecipeInput): PageOptions {
  return isObject(page) ? page : {}
}

/** The steps of the browser before a page is read. */
export function actionsOf(recipe: RecipeInput): Actions {
  const { actions } = pageOf(recipe)
  return isList(actions) ? actions.filter((action) => isObject(action)) : []
}

/** A recipe whose pages are read after their scripts, and after one more action if there is one. */
export function rendered(recipe: RecipeInput, action?: Actions[number]): RecipeInput {
  const actions = [...actionsOf(recipe), ...(action ? [action] : [])]
  return withActions({ ...recipe, page: { ...pageOf(recipe), render: 'browser' } }, actions)
}

/** A recipe with other actions before its pages are read. */
export function withActions(recipe: RecipeInput, actions: Actions): RecipeInput {
  const { actions: _, ...page } = pageOf(recipe)
  return { ...recipe, page: { ...page, ...(actions.length > 0 && { actions }) } }
}

/** The columns that identify a row. */
export function uniqueOf({ output }: RecipeInput): readonly string[] {
  const unique = isObject(output) ? output.unique : []
  return isList(unique) ? unique.filter((name) => typeof name === 'string') : []
}

/** A recipe with these columns to identify its rows. Empty: all rows are kept. */
export function withUnique(recipe: RecipeInput, columns: readonly string[]): RecipeInput {
  const { output: before, ...bare } = recipe
  const { unique: _, ...rest } = isObject(before) ? before : {}
  const output = columns.length > 0 ? { ...rest, unique: columns } : rest
  return Object.keys(output).length > 0 ? { ...bare, output } : bare
}
