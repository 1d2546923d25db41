import * as v from 'valibot'
import { FORMAT_NAMES, UNKNOWN_FORMAT } from '../../engine/export/formats.ts'
import { documented } from '../../kernel/schema.ts'

/** Names of columns in a query. */
export const fieldsSchema = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(10_000),
  v.description(
    'Columns in this order, separated by commas. A name with a comma may be quoted as in JSON; ' +
      'unquoted, `a,b` means `a` and `b` if both exist. Default: all.',
  ),
  v.transform((text) => text.split(',')),
)

/** Whether rows have columns that say where they come from. */
export const provenanceSchema = v.pipe(
  v.picklist(['true', 'false']),
  v.description(
    '`true` adds where each row comes from, as columns: `_page`, the URL of its page; ' +
      '`_fetchedAt`; `_digest`, the first 128 bits of the SHA-256 of the body that it was read ' +
      'from; `_sources`, for each column the source that gave the value: its number (`alternative`, from ' +
      '0), and its text in the recipe, such as `css: .price`. `null` if not known.',
  ),
  v.transform((text) => text === 'true'),
)

/** The parameters that the queries of all exports have. */
export const exportEntries = {
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
}
