import type { Store } from '../ports/store.ts'

/** Records of schedules and the health of tasks. */
export interface ScheduleRecords {}

/** Opens the records of schedules and the health of tasks. */
export function openScheduleRecords(_store: Store): ScheduleRecords {
  return {}
}
