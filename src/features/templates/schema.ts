import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import { budgetSchema } from '../executions/schema.ts'
import { paramValuesSchema } from '../../engine/recipe/params-schema.ts'
import { listEntries } from '../common/list-schema.ts'
import { taskLabelsSchema, taskNameSchema } from '../tasks/schema.ts'

export const say = v.description

/** Body of a run. */
export const templateRunSchema = v.pipe(
  v.strictObject({ params: paramValuesSchema, budget: v.exactOptional(budgetSchema) }),
  documented({ component: 'TemplateRun' }),
)

/** Body of a preview. */
export const templatePreviewSchema = v.pipe(
  v.strictObject({ params: paramValuesSchema }),
  documented({ component: 'TemplatePreview' }),
)

/** Body of a task that is made from a template. */
export const templateTaskSchema = v.pipe(
  v.strictObject({
    params: paramValuesSchema,
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
