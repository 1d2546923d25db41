import * as v from 'valibot'
import { countSchema, documented } from '../../kernel/schema.ts'

/** Page size of a list: 1–100, in digits only. */
export const limitSchema = v.pipe(
  v.string(),
  v.regex(/^(?:0|[1-9]\d{0,2})$/, 'must be a whole number from 1 to 100'),
  documented({
    json: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 20,
      description: 'Maximum number of items.',
    },
  }),
  v.transform(Number),
  v.check((limit) => limit >= 1 && limit <= 100, 'must be a whole number from 1 to 100'),
)

/** Position in a list: `nextCursor` of the previous page. */
export const cursorSchema = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(2_000),
  v.description(
    '`nextCursor` of the previous response. It is valid for the same list with the same filters.',
  ),
)

/** Checks that the body of a change has at least one field. */
export const namesAField = <Patch extends object>() =>
  v.check<Patch, string>(
    (patch) => Object.keys(patch).length > 0,
    'name at least one field to change',
  )

/** Query parameters that every list has. */
export const listEntries = {
  limit: v.exactOptional(limitSchema),
  cursor: v.exactOptional(cursorSchema),
}

const whenSchema = (what: string) =>
  v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(40),
    v.description(
      `${what}: a month, a day or a time with its zone, such as \`2030-01\`, \`2030-01-31\` or ` +
        '`2030-01-31T12:00:00Z`. Months and days are in UTC.',
    ),
  )

/** Query parameters of a list that can be limited to a time. */
export const rangeEntries = {
  from: v.exactOptional(whenSchema('Not before')),
  to: v.exactOptional(whenSchema('Before')),
}

/** Query parameters of a list that can be counted. */
export const countedEntries = {
  count: v.exactOptional(
    v.pipe(
      v.picklist(['true', 'false']),
      v.description(
        '`true` adds `total`, the number of items on all pages; `null` if one request cannot ' +
          'count them all (10,000 at most). `totalAtLeast` is the number counted.',
      ),
      v.transform((text) => text === 'true'),
    ),
  ),
  ...listEntries,
}

/** Query parameters of a list of records that have a time of creation. */
export const createdEntries = {
  ...rangeEntries,
  sort: v.exactOptional(
    v.pipe(
      v.picklist(['createdAt', '-createdAt']),
      v.description('`createdAt`: oldest first. `-createdAt` (default): newest first.'),
    ),
  ),
  ...countedEntries,
}

/** The `:id` of a path; opaque. */
export const idParamsSchema = v.strictObject({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(200), v.description('Opaque identifier.')),
})

/** A time on the wire: ISO 8601 in UTC with milliseconds. */
export const timeSchema = v.pipe(v.string(), v.isoTimestamp())

/** `nextCursor` in a list's `data`. */
export const nextCursorSchema = v.pipe(
  v.nullable(v.string()),
  v.description('`cursor` of the next page; `null` at the end.'),
)

/** `data` of a list. */
export function pageSchema<T extends v.GenericSchema>(item: T) {
  return v.strictObject({ items: v.array(item), nextCursor: nextCursorSchema })
}

/** Further entries in `data` of a list that can be counted. */
export const totalEntries = {
  total: v.exactOptional(v.nullable(countSchema)),
  totalAtLeast: v.exactOptional(countSchema),
}

/** `data` of a list that can be counted. */
export function countedPageSchema<T extends v.GenericSchema>(item: T) {
  return v.strictObject({ ...pageSchema(item).entries, ...totalEntries })
}
