import * as v from 'valibot'
import { listEntries, timeSchema } from '../list-schema.ts'

const statusSchema = v.picklist(['queued', 'running', 'paused', 'succeeded', 'failed', 'cancelled', 'timed_out'])
const reasonSchema = v.strictObject({ code: v.string(), message: v.string() })
const whole = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const countSchema = v.pipe(v.number(), v.integer(), v.minValue(0))
const countsSchema = v.record(v.string(), countSchema)

/** Body of a start: what this execution does differently from its task. */
export const startInputSchema = v.optional(
  v.strictObject({
    urls: v.exactOptional(v.pipe(v.array(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(2_048))), v.minLength(1), v.maxLength(10_000))),
    budget: v.exactOptional(v.strictObject({ pages: v.exactOptional(whole(1, 1_000_000)), credits: v.exactOptional(whole(0, 1_000_000_000)), seconds: v.exactOptional(whole(1, 604_800)) })),
  }),
)

/** Query of the list of all executions. */
export const executionQuerySchema = v.strictObject({ status: v.exactOptional(statusSchema), taskId: v.exactOptional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))), ...listEntries })

/** Query of the list of a task's executions. */
export const taskExecutionQuerySchema = v.strictObject({ status: v.exactOptional(statusSchema), ...listEntries })

const OUTCOMES = ['pending', 'fetched', 'unchanged', 'duplicate', 'skipped_robots', 'skipped_scope', 'skipped_depth', 'skipped_limit', 'blocked', 'failed'] as const

/** Query of the receipt. */
export const pagesQuerySchema = v.strictObject({ outcome: v.exactOptional(v.picklist(OUTCOMES)), ...listEntries })

/** An execution on the wire. */
export const executionSchema = v.strictObject({
  id: v.string(),
  taskId: v.nullable(v.string()),
  status: statusSchema,
  reason: v.nullable(reasonSchema),
  retryOf: v.nullable(v.string()),
  createdAt: timeSchema,
  startedAt: v.nullable(timeSchema),
  finishedAt: v.nullable(timeSchema),
  updatedAt: timeSchema,
  counters: v.strictObject({
    discovered: countSchema, pending: countSchema, visited: countSchema, fetched: countSchema, unchanged: countSchema, duplicate: countSchema,
    skipped_robots: countSchema, skipped_scope: countSchema, skipped_depth: countSchema, skipped_limit: countSchema,
    blocked: countSchema, failed: countSchema, rows: countSchema, bytes: countSchema,
  }),
  filled: countsSchema,
  errors: countsSchema,
  cost: v.strictObject({ credits: countSchema }),
})

/** One line of the receipt on the wire. */
export const pageReceiptSchema = v.strictObject({
  url: v.string(),
  finalUrl: v.nullable(v.string()),
  label: v.string(),
  depth: countSchema,
  outcome: v.picklist(OUTCOMES),
  reason: v.nullable(reasonSchema),
  httpStatus: v.nullable(v.number()),
  rows: countSchema,
  bytes: countSchema,
  durationMs: v.number(),
  credits: countSchema,
  at: v.nullable(timeSchema),
})
