import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import { isObject } from '../../kernel/json.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { budgetSchema } from '../executions/schema.ts'
import { listEntries } from '../common/list-schema.ts'
import { taskLabelsSchema, taskNameSchema } from '../tasks/schema.ts'

const anyObject = (description: string) =>
  v.pipe(
    v.custom<JsonObject>(isObject, 'must be an object'),
    documented({ json: { type: 'object', description } }),
  )
const say = v.description
const count = v.pipe(v.number(), v.integer(), v.minValue(0))

const paramsSchema = v.pipe(
  v.custom<{ readonly [name: string]: Json }>(isObject, 'must be an object'),
  documented({
    json: {
      type: 'object',
      description: "The template's parameters; `GET /api/v1/templates/:id` has their schema.",
    },
  }),
)

/** Body of a run. */
export const templateRunSchema = v.pipe(
  v.strictObject({ params: paramsSchema, budget: v.exactOptional(budgetSchema) }),
  documented({ component: 'TemplateRun' }),
)

/** Body of a preview. */
export const templatePreviewSchema = v.pipe(
  v.strictObject({ params: paramsSchema }),
  documented({ component: 'TemplatePreview' }),
)

/** Body of a task that is made from a template. */
export const templateTaskSchema = v.pipe(
  v.strictObject({
    params: paramsSchema,
    name: v.exactOptional(taskNameSchema),
    labels: v.exactOptional(taskLabelsSchema),
  }),
  documented({ component: 'TemplateTask' }),
)

/** Query of the catalog. */
export const templateQuerySchema = v.strictObject({
  q: v.exactOptional(
    v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1),
      v.maxLength(200),
      say(
        'Search terms in the name, the description, a category or a column; the best match comes first.',
      ),
    ),
  ),
  category: v.exactOptional(
    v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1),
      v.maxLength(64),
      say('Templates of this category.'),
    ),
  ),
  ...listEntries,
})

const columnSchema = v.pipe(
  v.strictObject({
    name: v.string(),
    type: v.picklist([
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
    ]),
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
    v.strictObject({ creditsPerPage: count, typicalPages: count, typicalCredits: count }),
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
    templates: v.pipe(count, say('Number of templates in it.')),
  }),
  documented({ component: 'TemplateCategory' }),
)
