import * as v from 'valibot'
import { paramValuesSchema } from '../../engine/recipe/params-schema.ts'
import { recipeInputSchema } from '../tasks/schema.ts'

/** Body of an estimate of a recipe that is not saved. */
export const estimateInputSchema = v.strictObject({
  recipe: recipeInputSchema,
  params: v.exactOptional(paramValuesSchema),
})
