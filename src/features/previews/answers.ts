import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import * as v from 'valibot'
import { recipeSchema } from '../../engine/recipe/schema.ts'
import { countSchema, documented } from '../../kernel/schema.ts'
import { isObject, isJson } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import { FINAL_OUTCOMES } from '../executions/schema.ts'
import { rowSchema } from '../results/answers.ts'

const shareSchema = v.pipe(v.number(), v.minValue(0), v.maxValue(1))

const reasonSchema = v.strictObject({ code: v.string(), message: v.string() })

const pageSchema = v.strictObject({
  url: v.string(),
  finalUrl: v.pipe(
    v.nullable(v.string()),
    v.description('The final URL after redirects, if different.'),
  ),
  label: v.string(),
  depth: countSchema,
  outcome: v.picklist(FINAL_OUTCOMES),
  reason: v.pipe(
    v.nullable(reasonSchema),
    v.description('Why the page has no rows; for a fetched page, why a model could not read it.'),
  ),
  httpStatus: v.nullable(v.number()),
  durationMs: v.number(),
  bytes: countSchema,
  rows: countSchema,
  snapshot: v.exactOptional(
    v.pipe(
      v.string(),
      v.description('The kept page, if `keep` asked for it and it is not too large.'),
    ),
  ),
})

const sourceOnPageSchema = v.strictObject({
  url: v.string(),
  matches: countSchema,
  values: countSchema,
})

const sourceSchema = v.strictObject({
  path: v.pipe(
    v.string(),
    v.description('Its path in the recipe, such as `extract.fields.price.0`.'),
  ),
  source: v.pipe(v.string(), v.description('The source in short: `css .price`.')),
  matches: v.pipe(countSchema, v.description('Matches, such as the elements of a selector.')),
  values: v.pipe(countSchema, v.description('Rows in which it finds a value.')),
  used: v.pipe(
    countSchema,
    v.description('Rows whose value comes from it, because no earlier source found one.'),
  ),
  sample: v.pipe(
    v.custom<Json>(isJson),
    documented({ json: { description: 'The first value it found.' } }),
  ),
  failed: v.pipe(
    v.nullable(v.strictObject({ url: v.string(), text: v.string(), as: v.string() })),
    v.description('The first match that could not be converted to the type.'),
  ),
  unclear: v.pipe(
    v.nullable(v.strictObject({ url: v.string(), text: v.string(), as: v.string() })),
    v.description('The first match that can be read as two numbers or dates.'),
  ),
  examples: v.pipe(
    v.array(
      v.strictObject({
        url: v.string(),
        before: v.pipe(
          v.custom<Json>(isJson),
          documented({ json: { description: 'Its text or attribute, unchanged from the page.' } }),
        ),
        after: v.pipe(
          v.custom<Json>(isJson),
          documented({
            json: { description: 'The value that the source makes from it; null for no value.' },
          }),
        ),
      }),
    ),
    v.maxLength(3),
    v.description('The first matches before and after conversion.'),
  ),
  reason: v.pipe(
    v.nullable(v.string()),
    v.description('Why it found no value: null if it found one.'),
  ),
  pages: v.array(sourceOnPageSchema),
})

const fieldReportSchema = v.strictObject({
  field: v.string(),
  filled: v.pipe(countSchema, v.description('Rows with a value.')),
  rate: v.pipe(shareSchema, v.description('`filled` as a share of all rows.')),
  sources: v.array(sourceSchema),
})

const ruleReportSchema = v.strictObject({
  path: v.string(),
  selector: v.string(),
  label: v.pipe(v.string(), v.description('Label of the pages it links to.')),
  found: countSchema,
  samples: v.array(v.string()),
})

const warningSchema = v.strictObject({
  code: v.string(),
  path: v.pipe(v.nullable(v.string()), v.description('The path in the recipe, if it has one.')),
  message: v.string(),
})

const proposalSchema = v.strictObject({
  kind: v.picklist(['list', 'table', 'article', 'product', 'page']),
  confidence: v.pipe(shareSchema, v.description('How well the page matches this kind.')),
  reason: v.pipe(v.string(), v.description('Why the page is taken for this kind.')),
  recipe: v.pipe(
    v.custom<RecipeInput>(isObject),
    v.description('Ready to be saved as a task.'),
    documented({ as: recipeSchema }),
  ),
})

const proposalSampleSchema = v.strictObject({
  ...proposalSchema.entries,
  columns: v.array(
    v.strictObject({
      name: v.string(),
      type: v.pipe(
        v.nullable(v.picklist(['text', 'number', 'integer', 'boolean', 'date', 'url', 'json'])),
        v.description('`null`: the column has no values here.'),
      ),
    }),
  ),
  rows: v.pipe(v.array(rowSchema), v.maxLength(3), v.description('The first rows.')),
  count: v.pipe(countSchema, v.description('All rows that it gives on the page.')),
})

const refusedSchema = v.strictObject({
  items: v.pipe(v.string(), v.description('Short description of the items: `ul.menu > li`.')),
  count: countSchema,
  text: v.pipe(v.string(), v.description('The text of the first one, shortened.')),
  reason: v.pipe(v.string(), v.description('Why they are not a list.')),
})

/** A preview on the wire. */
export const previewSchema = v.pipe(
  v.strictObject({
    columns: v.array(v.string()),
    rows: v.pipe(
      v.array(rowSchema),
      v.maxLength(100),
      v.description('The first rows that were found.'),
    ),
    totals: v.strictObject({
      pages: countSchema,
      rows: v.pipe(countSchema, v.description('All rows of the visited pages.')),
      durationMs: v.number(),
      credits: v.pipe(
        v.literal(0),
        v.description(
          'The cost of the preview, always 0. Its pages count in analytics, not in the ledger.',
        ),
      ),
    }),
    fields: v.pipe(
      v.array(fieldReportSchema),
      v.description('The fill rate of each column, and the matches of its sources.'),
    ),
    pages: v.pipe(v.array(pageSchema), v.description('The outcome of each visited URL.')),
    links: v.pipe(v.array(ruleReportSchema), v.description('What the rules of `follow` matched.')),
    warnings: v.array(warningSchema),
    proposal: v.pipe(v.nullable(proposalSchema), v.description('What `extract: "auto"` detected.')),
    proposals: v.pipe(
      v.array(proposalSampleSchema),
      v.description(
        'All ways to read the first page that `extract: "auto"` found, best first; the first one ' +
          'is `proposal`. Empty for other recipes.',
      ),
    ),
    refused: v.pipe(
      v.array(refusedSchema),
      v.maxLength(8),
      v.description(
        'Groups that repeat on the first page and were not taken for a list, those with the most text ' +
          'first. Empty for recipes that leave nothing to detection.',
      ),
    ),
  }),
  documented({ component: 'Preview' }),
)
