import type { Json } from '../kernel/json.ts'
import type { KeyPart } from '../kernel/key.ts'
import type { Lane } from '../ports/queue.ts'
import type { Store } from '../ports/store.ts'
import { Collection } from './collection.ts'

/** A job of the queue that lives on the Store. */
export interface JobRecord {
  readonly id: string
  readonly kind: string
  readonly data: Json
  readonly lane: Lane
  /** Whose it is; absent: nobody's. */
  readonly share?: string
  /** When it is due; a taken job is due again when its lease ends. */
  readonly dueAt: number
  /** It is due, and waits for its share's turn. */
  readonly ready?: true
  readonly attempt: number
  /**
   * Leases that ended without a word since the job last got somewhere, by their tokens; absent:
   * none.
   */
  readonly lost?: readonly string[]
  /** All leases that ended without a word; absent: none. */
  readonly deaths?: number
  /** Token of the consumer that has it. */
  readonly lease: string | null
  /** It was pushed while a consumer had it: run it once more, at this time or later. */
  readonly again?: number
}

/** Jobs that have lost a worker wait apart from the others, the least suspicious first. */
export const SUSPECTS = 'suspects'

function isReady({ ready, lease }: JobRecord): boolean {
  return ready === true && lease === null
}

function readyPlace({ lane, share = '', dueAt, lost = [] }: JobRecord): readonly KeyPart[] {
  return lost.length === 0 ? [lane, share, dueAt] : [SUSPECTS, lost.length, dueAt]
}

/**
 * Opens the jobs: by time those that are not due yet or have a consumer, and in a line for each
 * share those that are due.
 */
export function openJobs(store: Store): Collection<JobRecord> {
  return new Collection<JobRecord>(store, {
    name: 'jobs',
    id: (job) => [job.id],
    indexes: {
      due: (job) => (isReady(job) ? [] : [[job.lane, job.dueAt]]),
      ready: (job) => (isReady(job) ? [readyPlace(job)] : []),
    },
  })
}
