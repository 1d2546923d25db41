import type { CreatedQuery } from '../common/list-records.ts'
import { isoTime } from '../common/time.ts'
import type { Schedule } from '../schedules/records.ts'
import type { DriftPolicy, TaskRecord, TaskStatus } from './records.ts'

/** A task on the wire. */
export interface Task extends Omit<
  TaskRecord,
  'schedule' | 'datasetId' | 'drift' | 'createdAt' | 'updatedAt'
> {
  readonly schedule: Schedule | null
  readonly datasetId: string | null
  readonly drift: DriftPolicy
  readonly createdAt: string
  readonly updatedAt: string
}

/** A task in a list. */
export interface ListedTask extends Task {
  /** When it runs next by itself. `null`: it does not, or is not active. */
  readonly nextRunAt: string | null
}

/** Filters of the list of tasks. All conditions must hold. */
export interface TaskQuery extends CreatedQuery {
  readonly status?: TaskStatus
  readonly label?: string
  /** Part of the name, case-insensitive. */
  readonly q?: string
}

/** Converts a task to the wire. */
export function taskOf(task: TaskRecord): Task {
  return {
    ...task,
    schedule: task.schedule ?? null,
    datasetId: task.datasetId ?? null,
    drift: task.drift ?? 'report',
    createdAt: isoTime(task.createdAt),
    updatedAt: isoTime(task.updatedAt),
  }
}
