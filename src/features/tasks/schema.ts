import * as v from 'valibot'
import { checkRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import { recipeSchema } from '../../engine/recipe/schema.ts'
import { documented } from '../../kernel/schema.ts'
import { isObject } from '../../kernel/json.ts'
import { createdEntries, namesAField } from '../common/list-schema.ts'
import { scheduleInputSchema } from '../schedules/schema.ts'

/** A recipe that the parser of recipes accepts. */
export const recipeInputSchema = v.pipe(
  v.custom<RecipeInput>(isObject, 'must be an object'),
  // The described schema ends at a transformation of its value.
  documented({ as: recipeSchema }),
  v.rawTransform(({ dataset: { value: input }, addIssue, NEVER }) => {
    const checked = checkRecipe(input)
    if (checked.issues === null) return checked.output
    for (const { path, message } of checked.issues)
      addIssue(
        path === ''
          ? { message }
          : {
              message,
              path: [{ type: 'unknown', origin: 'value', input, key: path, value: null }],
            },
      )
    return NEVER
  }),
)

export const statusSchema = v.pipe(
  v.picklist(['active', 'paused', 'archived']),
  v.description('An archived task stays archived and cannot be started.'),
)

/** Name of a task. */
export const taskNameSchema = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(200),
  v.description('For people. Default: the host of the first start URL, or the search query.'),
)

const labelSchema = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(64))

/** Labels of a task. */
export const taskLabelsSchema = v.pipe(v.array(labelSchema), v.maxLength(20))

export const datasetIdSchema = v.pipe(
  v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
  v.description(
    'The dataset that executions merge their rows into. Its key fields must be columns of ' +
      'the recipe. `null`: none.',
  ),
)

/** The reaction to drift. */
export const driftPolicySchema = v.pipe(
  v.picklist(['report', 'repair']),
  v.description(
    'What is done if a column is emptier than usual: `report` (default) proposes sources that ' +
      'find its values again; `repair` also puts a source into the recipe if it gave the earlier ' +
      'values on at least 90 % of the tested pages.',
  ),
)

/** Body of a repair. */
export const repairInputSchema = v.pipe(
  v.strictObject({
    executionId: v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(200),
      v.description('The execution whose `relocation` is applied.'),
    ),
    fields: v.exactOptional(
      v.pipe(
        v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
        v.minLength(1),
        v.maxLength(20),
        v.description('Columns to apply. Default: all that have a proposal.'),
      ),
    ),
  }),
  documented({ component: 'DriftRepairInput' }),
)

const descriptionSchema = v.pipe(v.string(), v.maxLength(2_000))

/** Body of a new task. */
export const taskInputSchema = v.pipe(
  v.strictObject({
    name: v.exactOptional(taskNameSchema),
    recipe: recipeInputSchema,
    description: v.exactOptional(descriptionSchema),
    labels: v.exactOptional(taskLabelsSchema),
    status: v.exactOptional(statusSchema),
    schedule: v.exactOptional(v.nullable(scheduleInputSchema)),
    datasetId: v.exactOptional(datasetIdSchema),
    drift: v.exactOptional(driftPolicySchema),
  }),
  documented({ component: 'TaskInput' }),
)

/** Body of a change. Absent members stay unchanged. */
export const taskPatchSchema = v.pipe(
  v.strictObject({
    name: v.exactOptional(taskNameSchema),
    recipe: v.exactOptional(recipeInputSchema),
    description: v.exactOptional(descriptionSchema),
    labels: v.exactOptional(taskLabelsSchema),
    status: v.exactOptional(statusSchema),
    schedule: v.exactOptional(
      v.pipe(v.nullable(scheduleInputSchema), v.description('`null` removes the schedule.')),
    ),
    datasetId: v.exactOptional(datasetIdSchema),
    drift: v.exactOptional(driftPolicySchema),
  }),
  namesAField(),
  v.description('Fields that are absent do not change; at least one is needed.'),
  documented({ component: 'TaskPatch' }),
)

/** Query of the list. */
export const taskQuerySchema = v.strictObject({
  status: v.exactOptional(statusSchema),
  label: v.exactOptional(v.pipe(labelSchema, v.description('Tasks that have this label.'))),
  q: v.exactOptional(
    v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1),
      v.maxLength(200),
      v.description('Part of the name, in any case.'),
    ),
  ),
  ...createdEntries,
})
