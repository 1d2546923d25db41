import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import type { Schedule } from './records.ts'
import { timeSchema } from '../common/list-schema.ts'

const cron = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.maxLength(200),
  v.description(
    'Minute, hour, day, month and weekday, such as `0 6 * * 1-5`; or `@hourly`, `@daily`, ' +
      '`@weekly`, `@monthly`, `@yearly`.',
  ),
)
const timeZone = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(64),
  v.description('IANA name of the time zone; default `UTC`.'),
)
const missed = v.pipe(
  v.picklist(['run', 'skip']),
  v.description(
    'What happens to runs that were due while no worker ran. `run` (default): one catch-up ' +
      'run; `skip`: none.',
  ),
)
const overlap = v.pipe(
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
  }),
  v.transform((input): Schedule => ({
    cron: input.cron,
    timeZone: input.timeZone ?? 'UTC',
    missed: input.missed ?? 'run',
    overlap: input.overlap ?? false,
  })),
  documented({ component: 'ScheduleInput' }),
)

/** A schedule on the wire. */
export const scheduleSchema = v.pipe(
  v.strictObject({
    cron: v.string(),
    timeZone: v.string(),
    missed: v.picklist(['run', 'skip']),
    overlap: v.boolean(),
  }),
  documented({ component: 'Schedule' }),
)

/** `data` of a task's schedule. */
export const scheduleStateSchema = v.pipe(
  v.strictObject({
    schedule: v.nullable(scheduleSchema),
    setBy: v.pipe(
      v.nullable(v.strictObject({ user: v.string(), keyId: v.nullable(v.string()) })),
      v.description(
        'Who saved it last. If it was saved with an API key that has since been revoked or ' +
          'expired, each run is `refused` until the schedule is saved again with ' +
          '`executions:write`. `keyId` is `null` if no key of this service was used, such as in ' +
          'a session. All is `null` for a schedule that was saved before this was recorded; it ' +
          'runs until it is changed.',
      ),
    ),
    nextRuns: v.pipe(
      v.array(timeSchema),
      v.description(
        'The next times, at most five; empty without a schedule, or while the task is not active.',
      ),
    ),
    last: v.nullable(
      v.strictObject({
        at: timeSchema,
        outcome: v.pipe(
          v.picklist(['started', 'skipped_overlap', 'skipped_paused', 'skipped_missed', 'refused']),
          v.description(
            '`skipped_overlap`: an earlier run was unfinished; `skipped_paused`: the task was; ' +
              '`skipped_missed`: no worker ran at that time; `refused`: the message says why.',
          ),
        ),
        executionId: v.nullable(v.string()),
        message: v.nullable(v.string()),
      }),
    ),
  }),
  documented({ component: 'ScheduleState' }),
)
