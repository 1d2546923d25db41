import type { GenericSchema, InferInput, InferOutput } from 'valibot'
import type { Recipe } from '../../engine/recipe/schema.ts'
import type { Row } from '../../kernel/json.ts'

/**
 * What a column of a template's rows holds: the types of `as` in a recipe, and `list` and `object`
 * for nested values.
 */
export type ColumnType =
  | 'text'
  | 'markdown'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'date'
  | 'url'
  | 'list'
  | 'object'
  | 'json'

/** A column of a template's rows. */
export interface TemplateColumn {
  readonly name: string
  readonly type: ColumnType
  readonly description: string
}

/** A recipe with blanks, as it is written; see {@link defineTemplate}. */
export interface TemplateDefinition<Parameters extends GenericSchema<unknown, object>> {
  /** Stable: lower-case words with `-` between them. Part of addresses. */
  readonly id: string
  /** Raised with every change of what the rows are. */
  readonly version: number
  /** Day of the last change: `2030-01-31`. */
  readonly updatedAt: string
  readonly name: string
  /** What it takes from which pages, in a sentence or two. */
  readonly description: string
  readonly categories: readonly string[]
  /**
   * A valibot `strictObject`. What it cannot say as JSON Schema is left out of the catalog's
   * description.
   */
  readonly parameters: Parameters
  /** Parameters that show its use; those of the sample. */
  readonly example: InferInput<Parameters>
  /** Columns of the rows, in order. `null`: the page decides. */
  readonly columns: readonly TemplateColumn[] | null
  /** Rows that it gave. */
  readonly sample: readonly Row[]
  /** Pages of a usual run, for the price hint. */
  readonly typicalPages: number
  /** The recipe for parameters that have passed the schema. */
  recipe(parameters: InferOutput<Parameters>): Recipe
}

/** A template of the catalog, whatever its parameters. */
export type Template = TemplateDefinition<GenericSchema<unknown, object>>

const ID = /^[a-z\d]+(?:-[a-z\d]+)*$/
/** Taken by paths below `/templates`. */
const RESERVED: readonly string[] = ['categories']

/**
 * Declares a template: a recipe whose blanks are filled by parameters. Give it to `createPlatform({
 * templates })`.
 *
 * @example
 *   import { strictObject, string } from 'valibot'
 *
 *   const prices = defineTemplate({
 *     id: 'tide-tables',
 *     version: 1,
 *     updatedAt: '2030-01-31',
 *     name: 'Tide tables',
 *     description: 'Times and heights of the tides of a harbour.',
 *     categories: ['weather'],
 *     parameters: strictObject({ harbour: string() }),
 *     example: { harbour: 'dover' },
 *     columns: [
 *       { name: 'time', type: 'date', description: 'When.' },
 *       { name: 'height', type: 'number', description: 'Metres.' },
 *     ],
 *     sample: [{ time: '2030-01-31T04:10:00.000Z', height: 6.2 }],
 *     typicalPages: 1,
 *     recipe: ({ harbour }) => ({
 *       start: { urls: [`https://tides.example.com/${encodeURIComponent(harbour)}`] },
 *       extract: {
 *         items: 'tr.tide',
 *         fields: { time: { css: 'time', as: 'date' }, height: { css: '.m', as: 'number' } },
 *       },
 *     }),
 *   })
 *   const platform = createPlatform({ templates: [prices] })
 *
 * @throws {TypeError} for an id that is no slug, for a date that is none, and without a category
 */
export function defineTemplate<Parameters extends GenericSchema<unknown, object>>(
  definition: TemplateDefinition<Parameters>,
): Template {
  const { id, updatedAt, categories } = definition
  if (!ID.test(id) || id.length > 64 || RESERVED.includes(id))
    throw new TypeError(
      `${JSON.stringify(id)} cannot be the id of a template: up to 64 lower-case letters and digits, words with - between them, and not ${RESERVED.join()}`,
    )
  if (Number.isNaN(Date.parse(updatedAt)) || !/^\d{4}-\d\d-\d\d$/.test(updatedAt))
    throw new TypeError(`Template ${id}: updatedAt must be a day such as 2030-01-31`)
  if (categories.length === 0) throw new TypeError(`Template ${id} has no category`)
  return definition
}
