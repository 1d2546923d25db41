import * as v from 'valibot'
import type { Json } from '../../kernel/json.ts'

/**
 * An event as its job carries it. The type is any text: another version of the platform may know
 * more types.
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

/** What {@link eventSchema} gives. */
export type EmittedEvent = v.InferOutput<typeof eventSchema>
