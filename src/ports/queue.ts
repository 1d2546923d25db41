import type { Json } from '../kernel/json.ts'

/**
 * The queue lane of a job. A job never waits behind jobs of another lane. `short`: seconds of the
 * platform's own work; `remote`: waits for external servers; `long`: may take hours.
 */
export type Lane = 'short' | 'remote' | 'long'

/** A unit of work. Pushing the same `id` while it waits has no further effect. */
export interface Job {
  readonly id: string
  readonly kind: string
  readonly data: Json
  /** Must be the same for every push of an id. Default `short`. */
  readonly lane?: Lane
  /**
   * The owner of the job. Concurrency is divided equally between the shares that have jobs. Must be
   * the same for every push of an id.
   */
  readonly share?: string
}

/**
 * The result of a job: finished, or due again at a time (Unix ms). A job whose handler throws is
 * retried with growing delay.
 */
export type JobResult = 'done' | { readonly again: number }

/** A job as a consumer sees it. */
export interface Delivery extends Omit<Job, 'lane' | 'share'> {
  /** 1 for the first delivery. */
  readonly attempt: number
  /**
   * Number of consecutive deliveries before this one that began and never ended, because the
   * process died. A delivery that ends, with a result or an error, resets it to 0. A job with lost
   * deliveries is delivered last, and starts while no other job runs in that process.
   */
  readonly lost: number
  /**
   * True if one of the lost deliveries is newer than the last one that ended. So each loss is
   * reported once, even if the job is delivered again with the same `lost`.
   */
  readonly isNewlyLost: boolean
}

/** A job's hold on its place. */
export interface JobTurn {
  /**
   * Aborts when another share has waited and should run instead. The job then suspends itself and
   * asks to be delivered again at once. Only jobs whose handler has read this property are asked.
   */
  readonly over: AbortSignal
  /**
   * Reports that this delivery got further than the earlier ones: `lost` and `attempt` restart.
   * Never rejects.
   */
  progress(): Promise<void>
  /**
   * Reports that the job is idle for a while, or no longer. Idle jobs are the first that are asked
   * to suspend.
   */
  idle(isIdle: boolean): void
  /**
   * Reports that this delivery gives the job up instead of running it. If it throws, `lost` is not
   * reset.
   */
  givesUp(): void
  /**
   * Reports that the job has passed the step that killed workers before, so other jobs may run
   * beside it.
   */
  clear(): void
}

/** Processes one delivery. `signal` aborts when another consumer has taken the job. */
export type JobHandler = (job: Delivery, signal: AbortSignal, turn: JobTurn) => Promise<JobResult>

/** Options of `consume`. */
export interface ConsumeOptions {
  /**
   * Maximum number of jobs at the same time: one number for every lane, or one for each. At least
   * 1.
   */
  readonly concurrency: number | Readonly<Record<Lane, number>>
  /** Stops taking jobs. The promise resolves when the running jobs have ended. */
  readonly signal: AbortSignal
  /** If true, the consumer stops as soon as no job is due or running, instead of waiting for more. */
  readonly untilIdle?: boolean
}

/** The jobs of one lane that are due and that no consumer has taken. */
export interface QueueBacklog {
  readonly lane: Lane
  /** A queue may stop counting at 1,000. */
  readonly depth: number
  /** Time in ms for which the oldest of them has been due. 0: no job is due. */
  readonly ageMs: number
}

/** At-least-once delivery of jobs. */
export interface Queue {
  /**
   * `at`: when the job is due, in Unix ms; default: now. A job that is due in more than a day may
   * be delivered earlier, and so may a job that its handler has postponed. So handlers check the
   * time themselves.
   */
  push(job: Job, options?: { readonly at?: number }): Promise<void>
  consume(handler: JobHandler, options: ConsumeOptions): Promise<void>
  /** Returns the waiting jobs by lane. Absent: the queue cannot count them. */
  backlog?(): Promise<readonly QueueBacklog[]>
  /** Idempotent. */
  close(): Promise<void>
}
