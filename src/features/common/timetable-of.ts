import type { Timetable } from '../../engine/schedule/timetable.ts'
import { badRequest } from '../../kernel/errors.ts'
import type { Schedule } from '../../records/schedule-records.ts'

/**
 * The times of a schedule. What reads them is loaded here, as few calls are about one.
 *
 * @throws {PlatformError} 400 at `schedule.cron` or `schedule.timeZone`
 */
export async function timetableOf({ cron, timeZone }: Schedule): Promise<Timetable> {
  const { TimetableError, parseTimetable } = await import('../../engine/schedule/timetable.ts')
  try {
    return parseTimetable(cron, timeZone)
  } catch (error) {
    if (!(error instanceof TimetableError)) throw error
    throw badRequest([{ path: `schedule.${error.part}`, message: error.message }])
  }
}
