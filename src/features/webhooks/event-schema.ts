import * as v from 'valibot'
import { isObject } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'

/** The account's data that receivers get, in the form that the job has. */
const dataSchema = v.custom<{ readonly [field: string]: Json }>((value) => isObject(value))

/**
 * An event in the data of its job. The type may be any text, because another version of the
 * platform may know more types. Only jobs need it, so it is not with the schemas of routes, which
 * are loaded at the start.
 */
export const eventSchema = v.object({
  account: v.string(),
  type: v.string(),
  id: v.string(),
  /** When it happened, in Unix milliseconds. */
  at: v.number(),
  data: dataSchema,
  taskId: v.exactOptional(v.nullable(v.string())),
})

/** An event that {@link eventSchema} has parsed. */
export type EmittedEvent = v.InferOutput<typeof eventSchema>
