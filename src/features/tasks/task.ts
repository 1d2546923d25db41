import { notFound } from '../../kernel/errors.ts'
import { SharedAnswers } from '../../kernel/http/shared-answers.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import { isoTime } from '../common/time.ts'
import type { Schedule } from '../schedules/records.ts'
import type { Core } from '../core.ts'
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
  /** The next scheduled run. `null`: there is no schedule, or it is not active. */
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

/**
 * Returns a task of an account to a route. The route must not change it, because calls share the
 * object.
 */
export type TaskReader = (account: string, id: string) => Promise<Task>

/**
 * Makes the reader of tasks for routes. The service's `tasks.get` makes a new object each time,
 * because its caller may change it.
 */
export function createTaskReader({ records }: Core): TaskReader {
  const answers = new SharedAnswers<TaskRecord, Task>(taskOf)
  return async (account, id) => {
    const stored = await records.tasks.get(account, id)
    if (!stored) throw notFound('Task')
    // The id of a task has no space, so no two tasks get the same name here.
    return answers.of(`${id} ${account}`, stored)
  }
}
