import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'
import type { Schedule } from '../schedules/records.ts'

/** Life of a task. */
export type TaskStatus = 'active' | 'paused' | 'archived'

/**
 * Handling of drift. `report` proposes sources that find the values again; `repair` also applies
 * those that are sure.
 */
export type DriftPolicy = 'report' | 'repair'

/** A saved recipe. In all records, times are Unix milliseconds. */
export interface TaskRecord {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly labels: readonly string[]
  readonly status: TaskStatus
  /** Absent: it runs only when a caller starts it. */
  readonly schedule?: Schedule | null
  /** The dataset that its executions' rows are merged into. Absent: none. */
  readonly datasetId?: string | null
  /** Handling of drift. Absent: it is reported. */
  readonly drift?: DriftPolicy
  /** The recipe, in the form that the engine's schema accepted when it was saved. */
  readonly recipe: RecipeInput
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * The time when an execution of a task was last queued. Each execution writes this record, so a
 * commit that depends on it fails if an execution was queued meanwhile. It expires.
 */
interface TaskStartRecord {
  readonly task: string
  readonly at: number
}

/** Records of tasks. */
export interface TaskRecords {
  readonly tasks: Collection<TaskRecord>
  readonly taskStarts: Collection<TaskStartRecord>
}

/** Opens the records of tasks. */
export function openTaskRecords(store: Store): TaskRecords {
  return {
    tasks: new Collection<TaskRecord>(store, {
      name: 'tasks',
      id: (task) => [task.id],
      indexes: {
        status: (task) => [[task.status]],
        label: (task) => task.labels.map((label) => [label]),
        dataset: ({ datasetId }) => (datasetId ? [[datasetId]] : []),
        // A key must not contain half of a surrogate pair, but a name may.
        name: (task) => [[task.name.toWellFormed()]],
      },
      lateIndexes: ['name'],
    }),
    taskStarts: new Collection<TaskStartRecord>(store, {
      name: 'task-starts',
      id: ({ task }) => [task],
    }),
  }
}
