import * as v from 'valibot'
import { countSchema, documented } from '../../kernel/schema.ts'

/** `data` of an import. */
export const taskImportSchema = v.pipe(
  v.strictObject({
    dryRun: v.boolean(),
    counts: v.strictObject({
      created: countSchema,
      updated: countSchema,
      unchanged: countSchema,
      refused: countSchema,
    }),
    items: v.pipe(
      v.array(
        v.pipe(
          v.strictObject({
            name: v.nullable(v.string()),
            taskId: v.pipe(
              v.nullable(v.string()),
              v.description('`null`: it was refused, or a dry run would create it.'),
            ),
            outcome: v.picklist(['created', 'updated', 'unchanged', 'refused']),
            code: v.pipe(
              v.nullable(v.string()),
              v.description(
                'Why it was refused: the `error.code` that a request for this task alone would get.',
              ),
            ),
            issues: v.array(v.strictObject({ path: v.string(), message: v.string() })),
          }),
          documented({ component: 'TaskImportItem' }),
        ),
      ),
      v.description('One for each task of the file, in its order.'),
    ),
  }),
  documented({ component: 'TaskImport' }),
)
