import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import * as v from 'valibot'
import { recipeSchema } from '../../engine/recipe/schema.ts'
import { documented } from '../../kernel/schema.ts'
import { isObject } from '../../kernel/json.ts'
import { paramValuesSchema } from '../../engine/recipe/params-schema.ts'
import { recipeInputSchema } from '../tasks/schema.ts'

const partsShape = v.pipe(
  v.partial(v.strictObject(recipeSchema.entries)),
  v.description('Parts of a recipe.'),
  documented({ component: 'RecipeParts' }),
)

const partsToTrySchema = v.pipe(
  v.custom<Partial<RecipeInput>>(isObject, 'must be an object'),
  v.description("Parts that replace those of the task's recipe for this preview only."),
  documented({ as: partsShape }),
)

const urlsSchema = v.pipe(
  v.array(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(2_048))),
  v.minLength(1),
  v.maxLength(1_000),
  v.description(
    "Start URLs that replace the recipe's: at most as many as a preview visits, 5 by default.",
  ),
)

/** Body of a preview of a recipe that is not saved. */
export const previewInputSchema = v.pipe(
  v.strictObject({
    recipe: recipeInputSchema,
    params: v.exactOptional(paramValuesSchema),
    urls: v.exactOptional(urlsSchema),
    keep: v.exactOptional(v.pipe(v.boolean(), v.description('Keeps the pages for an hour.'))),
    snapshots: v.exactOptional(
      v.pipe(
        v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
        v.minLength(1),
        v.maxLength(20),
        v.description(
          'Kept pages to visit instead. The first is the start page. Nothing is fetched or counted.',
        ),
      ),
    ),
  }),
  documented({ component: 'PreviewInput' }),
)

/** Body of a preview of a task. */
export const taskPreviewInputSchema = v.optional(
  v.pipe(
    v.strictObject({
      recipe: v.exactOptional(partsToTrySchema),
      params: v.exactOptional(paramValuesSchema),
      urls: v.exactOptional(urlsSchema),
    }),
    documented({ component: 'TaskPreviewInput' }),
  ),
)

/** Query of the explanation of a page. */
export const explainQuerySchema = v.strictObject({
  url: v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(2_048),
    v.description('URL of the page, as the list of pages of the execution has it.'),
  ),
})
