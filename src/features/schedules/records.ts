import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** When a task runs by itself; kept with the task. */
export interface Schedule {
  /** Five fields: minute, hour, day, month, weekday. */
  readonly cron: string
  /** IANA name. */
  readonly timeZone: string
  /**
   * Of runs whose time passed while no worker ran: `run` makes up for the last one, `skip` waits
   * for the next.
   */
  readonly missed: 'run' | 'skip'
  /** Whether a run starts while an earlier one is unfinished. */
  readonly overlap: boolean
}

/** What became of a time on the schedule. */
export type TickOutcome =
  | 'started'
  | 'skipped_overlap'
  | 'skipped_paused'
  | 'skipped_missed'
  | 'refused'

/** Who set a schedule. */
export interface ScheduleSetter {
  readonly user: string
  /** Id of the API key that was used; `null`: it was no key of this store, such as a session. */
  readonly key: string | null
}

/** Where a task's schedule stands. */
export interface ScheduleRecord {
  readonly task: string
  /** The next time. The commit that starts its execution moves it on, so that no time starts two. */
  readonly nextAt: number
  /** Whose right its runs have; absent or `null` where it was set before that was kept. */
  readonly setBy?: ScheduleSetter | null
  readonly last: {
    readonly at: number
    readonly outcome: TickOutcome
    readonly execution: string | null
    readonly message: string | null
  } | null
}

/** What one execution filled, for comparison with later ones. */
export interface FillSample {
  readonly execution: string
  readonly at: number
  readonly rows: number
  /** Column → share of rows with a value, 0–1. */
  readonly filled: Readonly<Record<string, number>>
}

/** What a task's executions usually fill. */
export interface HealthRecord {
  readonly task: string
  /** Names what is extracted: another recipe begins anew. */
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
