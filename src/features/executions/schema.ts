import * as v from 'valibot'
import { isObject } from '../../kernel/json.ts'
import { extractPartsSchema } from '../../engine/recipe/schema.ts'
import { documented } from '../../kernel/schema.ts'
import { listEntries, timeSchema } from '../common/list-schema.ts'
import type { ExtractInput } from './kept-pages.ts'

const statusSchema = v.picklist([
  'queued',
  'running',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
])
const reasonSchema = v.pipe(
  v.strictObject({ code: v.string(), message: v.string() }),
  v.description('The reason for the status.'),
  documented({ component: 'Reason' }),
)
const whole = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const countSchema = v.pipe(v.number(), v.integer(), v.minValue(0))
const shareSchema = v.pipe(v.number(), v.minValue(0), v.maxValue(1))
const countsSchema = v.record(v.string(), countSchema)

/** Limits of one execution. */
export const budgetSchema = v.pipe(
  v.strictObject({
    pages: v.exactOptional(whole(1, 1_000_000)),
    credits: v.exactOptional(whole(0, 1_000_000_000)),
    seconds: v.exactOptional(whole(1, 604_800)),
  }),
  v.description("Limits that replace the recipe's."),
)

/** Body of a start: how this execution differs from its task. */
export const startInputSchema = v.optional(
  v.pipe(
    v.strictObject({
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

/** Query of the list of all executions. */
export const executionQuerySchema = v.strictObject({
  status: v.exactOptional(statusSchema),
  taskId: v.exactOptional(
    v.pipe(v.string(), v.minLength(1), v.maxLength(200), v.description('Executions of this task.')),
  ),
  ...listEntries,
})

/** Query of the list of a task's executions. */
export const taskExecutionQuerySchema = v.strictObject({
  status: v.exactOptional(statusSchema),
  ...listEntries,
})

const OUTCOMES = [
  'pending',
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

/** Query of the receipt. */
export const pagesQuerySchema = v.strictObject({
  outcome: v.exactOptional(v.picklist(OUTCOMES)),
  ...listEntries,
})

/** An execution on the wire. */
export const executionSchema = v.pipe(
  v.strictObject({
    id: v.string(),
    taskId: v.nullable(v.string()),
    templateId: v.pipe(
      v.nullable(v.string()),
      v.description('The template that was run without a task.'),
    ),
    status: statusSchema,
    reason: v.nullable(reasonSchema),
    retryOf: v.nullable(v.string()),
    extractOf: v.pipe(
      v.nullable(v.string()),
      v.description('The execution whose kept pages it reads instead of the web.'),
    ),
    datasetId: v.pipe(
      v.nullable(v.string()),
      v.description('The dataset that its rows are merged into.'),
    ),
    scheduledFor: v.pipe(
      v.nullable(timeSchema),
      v.description(
        'The scheduled time that it was started for; `null`: it was started by a request.',
      ),
    ),
    createdAt: timeSchema,
    startedAt: v.nullable(timeSchema),
    finishedAt: v.nullable(timeSchema),
    updatedAt: timeSchema,
    counters: v.strictObject({
      discovered: countSchema,
      pending: countSchema,
      visited: countSchema,
      fetched: countSchema,
      unchanged: countSchema,
      duplicate: countSchema,
      skipped_robots: countSchema,
      skipped_scope: countSchema,
      skipped_depth: countSchema,
      skipped_limit: countSchema,
      blocked: countSchema,
      failed: countSchema,
      rows: countSchema,
      bytes: countSchema,
    }),
    kept: v.pipe(
      v.nullable(
        v.strictObject({
          pages: countSchema,
          bytes: v.pipe(countSchema, v.description('Size as stored, compressed.')),
          omitted: v.pipe(
            countSchema,
            v.description('Fetched pages that were not kept, because the byte limit was reached.'),
          ),
        }),
      ),
      v.description('Pages that were kept because the recipe has `page.keep`.'),
    ),
    model: v.pipe(
      v.nullable(
        v.strictObject({ pages: countSchema, inputTokens: countSchema, outputTokens: countSchema }),
      ),
      v.description(
        'Pages that a language model has read for `model` fields, and the tokens used.',
      ),
    ),
    filled: v.pipe(countsSchema, v.description('Rows in which a column has a value, by column.')),
    drift: v.pipe(
      v.array(v.strictObject({ field: v.string(), usual: shareSchema, now: shareSchema })),
      v.description(
        "Columns that are filled in a smaller share of rows than in the task's earlier executions; known at the end.",
      ),
    ),
    errors: v.pipe(countsSchema, v.description('Pages that were blocked or failed, by reason.')),
    cost: v.strictObject({
      credits: countSchema,
      reserved: v.pipe(
        countSchema,
        v.description(
          'The most that it can cost; reserved at the start. Unspent credits return at the end.',
        ),
      ),
    }),
  }),
  documented({ component: 'Execution' }),
)

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

/** One line of the receipt on the wire. */
export const pageReceiptSchema = v.pipe(
  v.strictObject({
    url: v.string(),
    finalUrl: v.nullable(v.string()),
    label: v.string(),
    depth: countSchema,
    listedBy: v.pipe(
      v.nullable(v.picklist(['sitemap', 'feed', 'search'])),
      v.description(
        'The list that named it as a start page; `null`: a start URL of the recipe, or a link.',
      ),
    ),
    outcome: v.picklist(OUTCOMES),
    reason: v.nullable(reasonSchema),
    httpStatus: v.nullable(v.number()),
    rows: countSchema,
    bytes: countSchema,
    durationMs: v.number(),
    credits: countSchema,
    at: v.nullable(timeSchema),
  }),
  documented({ component: 'PageReceipt' }),
)
