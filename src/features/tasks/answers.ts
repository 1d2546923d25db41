import * as v from 'valibot'
import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import { recipeSchema } from '../../engine/recipe/schema.ts'
import { documented } from '../../kernel/schema.ts'
import { isObject } from '../../kernel/json.ts'
import { timeSchema } from '../common/list-schema.ts'
import { scheduleSchema } from '../schedules/answers.ts'
import { driftPolicySchema, statusSchema, datasetIdSchema } from './schema.ts'

const taskEntries = {
  id: v.string(),
  name: v.string(),
  description: v.string(),
  labels: v.array(v.string()),
  status: statusSchema,
  schedule: v.nullable(scheduleSchema),
  datasetId: datasetIdSchema,
  drift: driftPolicySchema,
  recipe: v.pipe(v.custom<RecipeInput>(isObject), documented({ as: recipeSchema })),
  createdAt: timeSchema,
  updatedAt: timeSchema,
}

/** A task on the wire. */
export const taskSchema = v.pipe(v.strictObject(taskEntries), documented({ component: 'Task' }))

/** A task in a list. */
export const listedTaskSchema = v.pipe(
  v.strictObject({
    ...taskEntries,
    nextRunAt: v.pipe(
      v.nullable(timeSchema),
      v.description('The next scheduled run; `null`: there is no schedule, or it is not active.'),
    ),
  }),
  documented({ component: 'ListedTask' }),
)

/** `data` of a deletion. */
export const taskDeletedSchema = v.strictObject({ id: v.string(), deleted: v.literal(true) })
