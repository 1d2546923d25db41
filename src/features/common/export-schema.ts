import * as v from 'valibot'
import { FORMAT_NAMES } from '../../engine/export/formats.ts'
import { documented } from '../../kernel/documented.ts'

/** Names of columns in a query. */
export const fieldsSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(10_000), v.description('Columns, separated by commas, in the wanted order; absent: all.'), v.transform((text) => text.split(',')))

/** Query of an export. The service says which formats there are. */
export const exportQuerySchema = v.strictObject({ format: v.exactOptional(v.pipe(v.string(), v.maxLength(50), documented({ json: { type: 'string', enum: FORMAT_NAMES, default: FORMAT_NAMES[0] ?? null, description: 'Kind of file.' } }))), fields: v.exactOptional(fieldsSchema) })
