import * as v from 'valibot'
import { listEntries } from '../common/list-schema.ts'

const when = (what: string) =>
  v.pipe(v.string(), v.minLength(1), v.maxLength(40), v.description(what))

export const from = when(
  'Start: a date in the time zone such as `2030-01-31`, or a time with its offset such ' +
    'as `2030-01-31T12:00:00Z`. Default: 29 days before the last day.',
)

export const to = when('End, exclusive, in the form of `from`. Default: the end of today.')

const timeZone = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(64),
  v.description('IANA name of the time zone; default `UTC`.'),
)

/** Query of a period. */
export const periodQuerySchema = v.strictObject({
  from: v.exactOptional(from),
  to: v.exactOptional(to),
  timeZone: v.exactOptional(timeZone),
})

/** Query of a series. */
export const seriesQuerySchema = v.strictObject({
  ...periodQuerySchema.entries,
  granularity: v.exactOptional(
    v.pipe(
      v.picklist(['hour', 'day', 'month']),
      v.description('Length of a point; default `day`. At most 1,000 points.'),
    ),
  ),
})

/** Query of the tasks. */
export const tasksUsageQuerySchema = v.strictObject({
  ...periodQuerySchema.entries,
  ...listEntries,
})
