import * as v from 'valibot'
import { recipeSchema } from '../../engine/recipe/schema.ts'
import { documented } from '../../kernel/schema.ts'
import { isObject } from '../../kernel/json.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { taskInputSchema, taskNameSchema } from '../tasks/schema.ts'

/** Maximum number of tasks in a file that is imported. */
const MOST_TASKS = 500

const say = v.description
const idSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(200))

/** A task in a file. The recipe is checked when its secret headers are known. */
export const taskInFileSchema = v.pipe(
  v.strictObject({
    ...taskInputSchema.entries,
    id: v.exactOptional(v.pipe(idSchema, say('The key, with `by=id`.'))),
    name: v.pipe(taskNameSchema, say('The key, unless `by=id` is given.')),
    webhookIds: v.exactOptional(
      v.pipe(
        v.array(idSchema),
        v.maxLength(100),
        say('Webhooks that name the task in `taskIds`. An import adds the task to them.'),
      ),
    ),
    recipe: v.pipe(
      v.custom<JsonObject>(isObject, 'must be an object'),
      documented({ as: recipeSchema }),
    ),
  }),
  say('The task keeps its values of absent fields.'),
  documented({ component: 'TaskInFile' }),
)

/** A task of a file, checked except for its recipe. */
export type TaskInFile = v.InferOutput<typeof taskInFileSchema>

/** Body of an import: the file of an export. Each task is checked alone. */
export const taskFileSchema = v.pipe(
  v.strictObject({
    version: v.pipe(v.literal(1), say('Version of the format.')),
    exportedAt: v.exactOptional(v.pipe(v.string(), v.maxLength(40))),
    tasks: v.pipe(
      v.array(
        v.pipe(
          v.custom<JsonObject>(isObject, 'must be an object'),
          documented({ as: taskInFileSchema }),
        ),
      ),
      v.minLength(1),
      v.maxLength(MOST_TASKS),
    ),
  }),
  documented({ component: 'TaskFile' }),
)

/** Query of an import. */
export const importQuerySchema = v.strictObject({
  by: v.exactOptional(
    v.pipe(
      v.picklist(['name', 'id']),
      say(
        'How tasks are matched. `name` (default): tasks with new names are created. ' +
          '`id`: no task is created.',
      ),
    ),
  ),
  dryRun: v.exactOptional(
    v.pipe(v.picklist(['true', 'false']), say('`true`: all is checked, and nothing is written.')),
  ),
})
