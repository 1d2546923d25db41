import * as v from 'valibot'
import { FORMAT_NAMES } from '../../engine/export/formats.ts'
import { documented } from '../../kernel/documented.ts'
import type { Json } from '../../kernel/json.ts'
import { listEntries, nextCursorSchema } from '../list-schema.ts'

const fieldsSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(10_000), v.description('Columns, separated by commas, in the wanted order; absent: all.'), v.transform((text) => text.split(',')))

/** Query of the rows. */
export const resultsQuerySchema = v.strictObject({ fields: v.exactOptional(fieldsSchema), ...listEntries })

/** Query of an export. The service says which formats there are. */
export const exportQuerySchema = v.strictObject({ format: v.exactOptional(v.pipe(v.string(), v.maxLength(50), documented({ json: { type: 'string', enum: FORMAT_NAMES, default: FORMAT_NAMES[0] ?? null, description: 'Kind of file.' } }))), fields: v.exactOptional(fieldsSchema) })

const rowSchema = v.pipe(
  v.custom<{ readonly [column: string]: Json }>((value) => typeof value === 'object' && value !== null),
  documented({ component: 'Row', as: v.pipe(v.record(v.string(), v.unknown()), v.description('Column name to value; `null` where nothing was found.')) }),
)

/** `data` of the rows. */
export const resultsSchema = v.strictObject({
  items: v.array(rowSchema),
  nextCursor: nextCursorSchema,
  columns: v.pipe(v.array(v.string()), v.description('Names of the columns, in their order.')),
})
