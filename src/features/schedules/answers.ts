import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import { timeSchema } from '../common/list-schema.ts'
import { paramValuesSchema } from '../../engine/recipe/params-schema.ts'

/** A schedule on the wire. */
export const scheduleSchema = v.pipe(
  v.strictObject({
    cron: v.string(),
    timeZone: v.string(),
    missed: v.picklist(['run', 'skip']),
    overlap: v.boolean(),
    params: v.exactOptional(paramValuesSchema),
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
          'a session. All are `null` for a schedule from before this was recorded; it runs ' +
          'until it is changed.',
      ),
    ),
    nextRuns: v.pipe(
      v.array(timeSchema),
      v.description(
        'The next times, at most five. Empty without a schedule, or while the task is not active.',
      ),
    ),
    pastTimes: v.pipe(
      v.array(timeSchema),
      v.description(
        'Its times of the last seven days, since the task was last changed; at most 200, and only ' +
          'while the task is active. A time for which no execution has `scheduledFor` had no run.',
      ),
    ),
    last: v.nullable(
      v.strictObject({
        at: timeSchema,
        outcome: v.pipe(
          v.picklist(['started', 'skipped_overlap', 'skipped_paused', 'skipped_missed', 'refused']),
          v.description(
            '`skipped_overlap`: an earlier run was unfinished; `skipped_paused`: the task was paused; ' +
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
