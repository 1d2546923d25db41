import * as v from 'valibot'
import { countSchema, documented } from '../../kernel/schema.ts'
import { isObject } from '../../kernel/json.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { say } from './schema.ts'
import { COLUMN_TYPES } from './template.ts'

const anyObject = (description: string) =>
  v.pipe(
    v.custom<JsonObject>(isObject, 'must be an object'),
    documented({ json: { type: 'object', description } }),
  )

const columnSchema = v.pipe(
  v.strictObject({
    name: v.string(),
    type: v.picklist(COLUMN_TYPES),
    description: v.string(),
  }),
  documented({ component: 'TemplateColumn' }),
)

const summaryEntries = {
  id: v.pipe(v.string(), say('Stable; part of URLs.')),
  version: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    say('Increases when the rows change in any way.'),
  ),
  updatedAt: v.pipe(v.string(), v.isoDate(), say('Day of the last change.')),
  name: v.string(),
  description: v.string(),
  categories: v.array(v.string()),
  parameters: anyObject('JSON Schema (draft 2020-12) of `params`.'),
  columns: v.pipe(
    v.nullable(v.array(columnSchema)),
    say('Columns of the rows, in order; `null`: the page decides.'),
  ),
  price: v.pipe(
    v.strictObject({
      creditsPerPage: countSchema,
      typicalPages: countSchema,
      typicalCredits: countSchema,
    }),
    say(
      'An estimate: credits of a fetched page, and of a typical run. Failed, blocked and ' +
        'duplicate pages cost nothing.',
    ),
  ),
}

/** A template as the catalog lists it. */
export const templateSummarySchema = v.pipe(
  v.strictObject(summaryEntries),
  documented({ component: 'TemplateSummary' }),
)

/** A template as a whole. */
export const templateSchema = v.pipe(
  v.strictObject({
    ...summaryEntries,
    example: anyObject('Example parameters.'),
    recipe: anyObject('The recipe of the example.'),
    sample: v.pipe(v.array(anyObject('A row.')), say('First rows of the example.')),
  }),
  documented({ component: 'Template' }),
)

/** A category of the catalog. */
export const categorySchema = v.pipe(
  v.strictObject({
    name: v.string(),
    templates: v.pipe(countSchema, say('Number of templates in it.')),
  }),
  documented({ component: 'TemplateCategory' }),
)
