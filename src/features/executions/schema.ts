import * as v from 'valibot'
import { isObject } from '../../kernel/json.ts'
import { extractPartsSchema } from '../../engine/recipe/schema.ts'
import { documented, wholeNumber } from '../../kernel/schema.ts'
import { countedEntries, createdEntries } from '../common/list-schema.ts'
import { paramValuesSchema } from '../../engine/recipe/params-schema.ts'
import { recipeInputSchema } from '../tasks/schema.ts'
import type { ExtractInput } from './kept-pages.ts'

export const statusSchema = v.picklist([
  'queued',
  'running',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
])

/** Limits of one execution. */
export const budgetSchema = v.pipe(
  v.strictObject({
    pages: v.exactOptional(wholeNumber(1, 1_000_000)),
    credits: v.exactOptional(wholeNumber(0, 1_000_000_000)),
    seconds: v.exactOptional(wholeNumber(1, 604_800)),
  }),
  v.description("Limits that replace the recipe's."),
)

/** Body of a start: how this execution differs from its task. */
export const startInputSchema = v.optional(
  v.pipe(
    v.strictObject({
      params: v.exactOptional(paramValuesSchema),
      urls: v.exactOptional(
        v.pipe(
          v.array(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(2_048))),
          v.minLength(1),
          v.maxLength(10_000),
          v.description("Start URLs instead of the recipe's."),
        ),
      ),
      budget: v.exactOptional(budgetSchema),
    }),
    v.description("Changes to the task's recipe for this execution only."),
    documented({ component: 'StartInput' }),
  ),
)

/** Body of a run without a task. */
export const runInputSchema = v.pipe(
  v.strictObject({
    recipe: recipeInputSchema,
    params: v.exactOptional(paramValuesSchema),
    budget: v.exactOptional(budgetSchema),
  }),
  documented({ component: 'RunInput' }),
)

/** Body of a retry. */
export const retryInputSchema = v.optional(
  v.pipe(
    v.strictObject({
      only: v.exactOptional(
        v.pipe(
          v.literal('failed'),
          v.description(
            'Starts from the pages that failed or were blocked, and follows their links. Each keeps ' +
              'its depth, and the values that were carried to it. Pages of the first execution that ' +
              'they link to are fetched, and charged, again. Absent: the whole execution.',
          ),
        ),
      ),
    }),
    documented({ component: 'RetryInput' }),
  ),
)

/**
 * Body of an extraction from kept pages. The parts are checked where they are merged, so that their
 * issues are those of a recipe.
 */
export const extractInputSchema = v.pipe(
  v.strictObject({
    recipe: v.pipe(
      v.custom<ExtractInput['recipe']>(isObject, 'must be an object'),
      documented({ as: extractPartsSchema }),
    ),
  }),
  documented({ component: 'ExtractInput' }),
)

const filterSchema = (text: string) =>
  v.exactOptional(v.pipe(v.string(), v.minLength(1), v.maxLength(200), v.description(text)))

/** Query of the list of all executions. */
export const executionQuerySchema = v.strictObject({
  status: v.exactOptional(statusSchema),
  taskId: filterSchema('Executions of this task.'),
  ...createdEntries,
})

/** Query of the list of a task's executions. */
export const taskExecutionQuerySchema = v.strictObject({
  status: v.exactOptional(statusSchema),
  ...createdEntries,
})

/** Outcomes of finished URLs. */
export const FINAL_OUTCOMES = [
  'fetched',
  'unchanged',
  'duplicate',
  'skipped_robots',
  'skipped_scope',
  'skipped_depth',
  'skipped_limit',
  'blocked',
  'failed',
] as const

export const OUTCOMES = ['pending', ...FINAL_OUTCOMES] as const

/** Query of the receipt. */
export const pagesQuerySchema = v.strictObject({
  outcome: v.exactOptional(v.picklist(OUTCOMES)),
  reason: filterSchema('Code of the reason, such as `http_404`.'),
  host: filterSchema('Host of the URL, without a port.'),
  ...countedEntries,
})

/** Query of the events. */
export const eventsQuerySchema = v.strictObject({
  lastEventId: v.exactOptional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(60),
      v.description(
        'The same as the header `Last-Event-ID`, which takes precedence: the `id` of the last ' +
          'event received. `0` begins with the first event that is kept.',
      ),
    ),
  ),
  pages: v.exactOptional(
    v.pipe(v.picklist(['true', 'false']), v.description('`false` leaves out `page` events.')),
  ),
})
