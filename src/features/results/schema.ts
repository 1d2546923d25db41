import * as v from 'valibot'
import type { Json } from '../../kernel/json.ts'
import { listEntries } from '../list-schema.ts'

const fieldsSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(10_000), v.transform((text) => text.split(',')))

/** Query of the rows. */
export const resultsQuerySchema = v.strictObject({ fields: v.exactOptional(fieldsSchema), ...listEntries })

/** Query of an export. The service says which formats there are. */
export const exportQuerySchema = v.strictObject({ format: v.exactOptional(v.pipe(v.string(), v.maxLength(50))), fields: v.exactOptional(fieldsSchema) })

/** `data` of the rows. */
export const resultsSchema = v.strictObject({
  items: v.array(v.custom<{ readonly [column: string]: Json }>((value) => typeof value === 'object' && value !== null)),
  nextCursor: v.nullable(v.string()),
  columns: v.array(v.string()),
})
