import * as v from 'valibot'
import { FORMAT_NAMES, UNKNOWN_FORMAT } from '../../engine/export/formats.ts'
import { documented } from '../../kernel/schema.ts'

/** Names of columns in a query. */
export const fieldsSchema = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(10_000),
  v.description('Columns, separated by commas, in this order. Default: all.'),
  v.transform((text) => text.split(',')),
)

/** Query of an export. */
export const exportQuerySchema = v.strictObject({
  format: v.exactOptional(
    v.pipe(
      v.picklist(FORMAT_NAMES, UNKNOWN_FORMAT),
      documented({
        json: {
          type: 'string',
          enum: FORMAT_NAMES,
          default: FORMAT_NAMES[0],
          description: 'Kind of file.',
        },
      }),
    ),
  ),
  fields: v.exactOptional(fieldsSchema),
})
