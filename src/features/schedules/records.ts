import type { ParamValues } from '../../engine/recipe/fill-blanks.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** The schedule of a task. Stored with the task. */
export interface Schedule {
  /** Five fields: minute, hour, day, month, weekday. */
  readonly cron: string
  /** IANA name. */
  readonly timeZone: string
  /**
   * For times that passed while no worker ran: `run` starts one run for the last of them, `skip`
   * waits for the next time.
   */
  readonly missed: 'run' | 'skip'
  /** True if a run may start while an earlier one is unfinished. */
  readonly overlap: boolean
  /** Values of the recipe's parameters. Absent: the defaults. */
  readonly params?: ParamValues
}

/** The outcome of a scheduled time. */
export type TickOutcome =
  | 'started'
  | 'skipped_overlap'
  | 'skipped_paused'
  | 'skipped_missed'
  | 'refused'

/** The caller that set a schedule. */
export interface ScheduleSetter {
  readonly user: string
  /**
   * Id of the API key that was used. `null`: the caller had no key of this store, for example a
   * session.
   */
  readonly key: string | null
}

/** The state of a task's schedule. */
export interface ScheduleRecord {
  readonly task: string
  /**
   * The next time. The commit that starts its execution also sets the time after it, so that no
   * time starts two executions.
   */
  readonly nextAt: number
  /**
   * The caller whose rights it uses. Absent or `null`: an earlier version, which did not store
   * callers, has set it.
   */
  readonly setBy?: ScheduleSetter | null
  readonly last: {
    readonly at: number
    readonly outcome: TickOutcome
    readonly execution: string | null
    readonly message: string | null
  } | null
}

/** The fill rates of one execution, for comparison with later ones. */
export interface FillSample {
  readonly execution: string
  readonly at: number
  readonly rows: number
  /** Column → share of rows with a value, 0–1. */
  readonly filled: Readonly<Record<string, number>>
}

/** The usual fill rates of a task's executions. */
export interface HealthRecord {
  readonly task: string
  /** Identifies what is extracted. Another recipe starts with new samples. */
  readonly recipe: string
  /** Oldest first. */
  readonly samples: readonly FillSample[]
}

/** Records of schedules and the health of tasks. */
export interface ScheduleRecords {
  readonly schedules: Collection<ScheduleRecord>
  readonly health: Collection<HealthRecord>
}

/** Opens the records of schedules and the health of tasks. */
export function openScheduleRecords(store: Store): ScheduleRecords {
  return {
    schedules: new Collection<ScheduleRecord>(store, {
      name: 'schedules',
      id: (schedule) => [schedule.task],
    }),
    health: new Collection<HealthRecord>(store, { name: 'health', id: (health) => [health.task] }),
  }
}
