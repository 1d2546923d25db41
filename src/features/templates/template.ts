import type { GenericSchema, InferInput, InferOutput } from 'valibot'
import {
  callback,
  checkOptions,
  either,
  group,
  listOf,
  nonEmpty,
  numberFrom,
  objectLike,
  oneOf,
  plainText,
  required,
  textLike,
  withMethods,
} from '../../kernel/options.ts'
import type { OptionTypes } from '../../kernel/options.ts'
import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import type { Row } from '../../kernel/json.ts'

/**
 * Type of a column of a template's rows: the types of `as` in a recipe, and `list` and `object` for
 * nested values.
 */
export type ColumnType = (typeof COLUMN_TYPES)[number]

/** The types of columns. */
export const COLUMN_TYPES = [
  'text',
  'markdown',
  'number',
  'integer',
  'boolean',
  'date',
  'url',
  'list',
  'object',
  'json',
] as const

/** A column of a template's rows. */
export interface TemplateColumn {
  readonly name: string
  readonly type: ColumnType
  readonly description: string
}

/** A recipe with parameters, as an author writes it; see {@link defineTemplate}. */
export interface TemplateDefinition<Parameters extends GenericSchema<unknown, object>> {
  /** Stable id: lower-case words with `-` between them. Part of URLs. */
  readonly id: string
  /** Increased with every change of the rows. */
  readonly version: number
  /** Day of the last change: `2030-01-31`. */
  readonly updatedAt: string
  readonly name: string
  /** Describes in one or two sentences what it extracts, and from which pages. */
  readonly description: string
  readonly categories: readonly string[]
  /**
   * A valibot `strictObject`. Checks that JSON Schema cannot express are missing in the catalog's
   * description.
   */
  readonly parameters: Parameters
  /** Sample parameters. The sample rows come from these. */
  readonly example: InferInput<Parameters>
  /** Columns of the rows, in order. `null`: the page decides. */
  readonly columns: readonly TemplateColumn[] | null
  /** Rows that the sample parameters give. */
  readonly sample: readonly Row[]
  /** Number of pages of a usual run, for the price hint. */
  readonly typicalPages: number
  /** Makes the recipe from parameters that the schema has accepted. */
  recipe(parameters: InferOutput<Parameters>): RecipeInput
}

/** A template of the catalog, with any parameters. */
export type Template = TemplateDefinition<GenericSchema<unknown, object>>

/** Words that are paths below `/templates`, and so cannot be ids. */
const RESERVED: readonly string[] = ['categories']

// This is a function, so that bundles without `defineTemplate` leave it out.
const typesOf = (): OptionTypes<Template> => ({
  id: required(
    textLike(
      'a text of up to 64 lower-case letters and digits, with - between words, and not ' +
        RESERVED.join(),
      (text) =>
        /^[a-z\d]+(?:-[a-z\d]+)*$/.test(text) && text.length <= 64 && !RESERVED.includes(text),
    ),
  ),
  version: required(numberFrom(0)),
  updatedAt: required(
    textLike(
      'a day, such as the text 2030-01-31',
      (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
    ),
  ),
  name: required(nonEmpty),
  description: required(nonEmpty),
  categories: required(listOf(nonEmpty, 1)),
  parameters: required(withMethods('a schema of valibot', '~run')),
  example: required(objectLike('parameters')),
  columns: required(
    either(
      oneOf(null),
      listOf(
        group<TemplateColumn>({
          name: required(nonEmpty),
          type: required(oneOf(...COLUMN_TYPES)),
          description: required(plainText),
        }),
      ),
    ),
  ),
  sample: required(listOf(objectLike('a row'))),
  typicalPages: required(numberFrom(0)),
  recipe: required(callback),
})

/**
 * Declares a template: a recipe whose blanks are filled by parameters. Pass it to
 * `createPlatform({ templates })`.
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
 * @throws {TypeError} that names every unknown and every wrong member
 */
export function defineTemplate<Parameters extends GenericSchema<unknown, object>>(
  definition: TemplateDefinition<Parameters>,
): Template {
  checkOptions<Template>('defineTemplate', definition, typesOf())
  return definition
}
