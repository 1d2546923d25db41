import type { Json } from '../kernel/json.ts'

/**
 * Where a job waits: never behind those of another lane. `short`: seconds of the platform's own work; `remote`: waits for
 * servers of others; `long`: may take hours.
 */
export type Lane = 'short' | 'remote' | 'long'

/** A unit of work. Pushing the same `id` while it waits has no further effect. */
export interface Job {
  readonly id: string
  readonly kind: string
  readonly data: Json
  /** The same for every push of an id. Default `short`. */
  readonly lane?: Lane
}

/** What became of a job: finished, or wanted again at a time (Unix ms). A handler that throws is tried again with growing delay. */
export type JobResult = 'done' | { readonly again: number }

/** A job as a consumer sees it. */
export interface Delivery extends Omit<Job, 'lane'> {
  /** 1 for the first delivery. */
  readonly attempt: number
}

/** How to consume. */
export interface ConsumeOptions {
  /** Jobs at the same time, by lane or in each of them; at least 1. */
  readonly concurrency: number | Readonly<Record<Lane, number>>
  /** Stops taking jobs; the promise resolves when the running ones have ended. */
  readonly signal: AbortSignal
  /** Resolve as soon as no job is due and none is running, instead of waiting for more. */
  readonly untilIdle?: boolean
}

/** At-least-once delivery of jobs. */
export interface Queue {
  push(job: Job, options?: { readonly at?: number }): Promise<void>
  consume(handler: (job: Delivery, signal: AbortSignal) => Promise<JobResult>, options: ConsumeOptions): Promise<void>
  /** Idempotent. */
  close(): Promise<void>
}
