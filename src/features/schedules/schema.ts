import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import { paramValuesSchema } from '../../engine/recipe/params-schema.ts'
import type { Schedule } from './records.ts'

export const cron = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(200),
  v.description(
    'Minute, hour, day, month and weekday, such as `0 6 * * 1-5`; or `@hourly`, `@daily`, ' +
      '`@weekly`, `@monthly`, `@yearly`.',
  ),
)

export const timeZone = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(64),
  v.description('IANA name of the time zone; default `UTC`.'),
)

export const missed = v.pipe(
  v.picklist(['run', 'skip']),
  v.description(
    'What happens to runs that were due while no worker ran. `run` (default): one catch-up ' +
      'run; `skip`: none.',
  ),
)

export const overlap = v.pipe(
  v.boolean(),
  v.description(
    'Whether a run starts while an earlier one of the task is unfinished. Default false: ' +
      'it is skipped.',
  ),
)

/** A schedule in a request. `timetableOf` decides whether it is valid and names any time. */
export const scheduleInputSchema = v.pipe(
  v.strictObject({
    cron,
    timeZone: v.exactOptional(timeZone),
    missed: v.exactOptional(missed),
    overlap: v.exactOptional(overlap),
    params: v.exactOptional(paramValuesSchema),
  }),
  v.transform((input): Schedule => ({
    cron: input.cron,
    timeZone: input.timeZone ?? 'UTC',
    missed: input.missed ?? 'run',
    overlap: input.overlap ?? false,
    ...(input.params && { params: input.params }),
  })),
  documented({ component: 'ScheduleInput' }),
)
