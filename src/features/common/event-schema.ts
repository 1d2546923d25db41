import * as v from 'valibot'
import type { Json } from '../../kernel/json.ts'

/**
 * An event in the data of its job. The type may be any text, because another version of the
 * platform may know more types.
 */
export const eventSchema = v.object({
  account: v.string(),
  type: v.string(),
  id: v.string(),
  at: v.number(),
  data: v.custom<{ readonly [field: string]: Json }>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  ),
  taskId: v.exactOptional(v.nullable(v.string())),
})

/** An event that {@link eventSchema} has parsed. */
export type EmittedEvent = v.InferOutput<typeof eventSchema>
