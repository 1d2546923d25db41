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
    'Minute, hour, day, month and weekday, such as `0 6 * * 1-5`; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.',
  ),
)
const timeZone = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(64),
  v.description('IANA name of the time zone whose clocks count; default `UTC`.'),
)
const missed = v.pipe(
  v.picklist(['run', 'skip']),
  v.description(
    'Of runs whose time passed while no worker ran: `run` makes up for the last one (default), `skip` waits for the next.',
  ),
)
const overlap = v.pipe(
  v.boolean(),
  v.description(
    'Whether a run starts while an earlier one of the task is unfinished; default false: it is skipped.',
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
        'Who saved it last. Set with an API key, it runs as long as that key could start an execution: once the key is revoked or expired, each run is `refused` until somebody with `executions:write` saves the schedule again. `keyId` is `null` where no key of this service was used, such as in a session, and the whole where it was set before this was kept: such schedules run until they are changed.',
      ),
    ),
    nextRuns: v.pipe(
      v.array(timeSchema),
      v.description(
        'The next times, five at most; none without a schedule, or while the task is not active.',
      ),
    ),
    last: v.nullable(
      v.strictObject({
        at: timeSchema,
        outcome: v.pipe(
          v.picklist(['started', 'skipped_overlap', 'skipped_paused', 'skipped_missed', 'refused']),
          v.description(
            '`skipped_overlap`: an earlier run was unfinished; `skipped_paused`: the task was; `skipped_missed`: no worker ran at that time; `refused`: the message says why.',
          ),
        ),
        executionId: v.nullable(v.string()),
        message: v.nullable(v.string()),
      }),
    ),
  }),
  documented({ component: 'ScheduleState' }),
)
