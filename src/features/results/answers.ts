import { isStructure } from '../../kernel/json.ts'
import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import type { Json } from '../../kernel/json.ts'
import { nextCursorSchema, totalEntries } from '../common/list-schema.ts'

/** A row on the wire. */
export const rowSchema = v.pipe(
  v.custom<{ readonly [column: string]: Json }>(isStructure),
  documented({
    component: 'Row',
    as: v.pipe(
      v.record(v.string(), v.unknown()),
      v.description('Column name to value; `null` where nothing was found.'),
    ),
  }),
)

/** `data` of the rows. */
export const resultsSchema = v.strictObject({
  items: v.array(rowSchema),
  nextCursor: nextCursorSchema,
  ...totalEntries,
  columns: v.pipe(v.array(v.string()), v.description('Names of the columns, in their order.')),
})
