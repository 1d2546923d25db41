import type { Json } from '../kernel/json.ts'

/**
 * Where a job waits: never behind those of another lane. `short`: seconds of the platform's own
 * work; `remote`: waits for servers of others; `long`: may take hours.
 */
export type Lane = 'short' | 'remote' | 'long'

/** A unit of work. Pushing the same `id` while it waits has no further effect. */
export interface Job {
  readonly id: string
  readonly kind: string
  readonly data: Json
  /** The same for every push of an id. Default `short`. */
  readonly lane?: Lane
  /**
   * Whose job it is: places are shared equally between the shares that want them. The same for
   * every push of an id.
   */
  readonly share?: string
}

/**
 * What became of a job: finished, or wanted again at a time (Unix ms). A handler that throws is
 * tried again with growing delay.
 */
export type JobResult = 'done' | { readonly again: number }

/** A job as a consumer sees it. */
export interface Delivery extends Omit<Job, 'lane' | 'share'> {
  /** 1 for the first delivery. */
  readonly attempt: number
  /**
   * Deliveries in a row, up to this one, that began and never ended, because the process died. A
   * delivery that ends, by an answer or by an error, makes it 0. Such a job is delivered last, and
   * begins while nothing else runs there.
   */
  readonly lost: number
}

/** A job's hold on its place. */
export interface Turn {
  /**
   * Aborts when another share has waited for a place and should have this one. The job then puts
   * itself down and asks for itself again at once. Only jobs whose handler has read this are
   * asked.
   */
  readonly over: AbortSignal
  /**
   * Tells that this delivery has got further than those before it: `lost` and `attempt` count anew.
   * Never rejects.
   */
  progress(): Promise<void>
  /** Tells whether it has nothing to do for a while: then it is the first to be asked for its place. */
  idle(isIdle: boolean): void
  /**
   * Tells that this delivery does not do the job but gives it up: if it throws, `lost` stays as it
   * is.
   */
  givesUp(): void
  /** Tells that what has lost workers before is behind it, so that other jobs may run beside it. */
  clear(): void
}

/** Works on one delivery. `signal` aborts when the job has become another consumer's. */
export type Handler = (job: Delivery, signal: AbortSignal, turn: Turn) => Promise<JobResult>

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
  consume(handler: Handler, options: ConsumeOptions): Promise<void>
  /** Idempotent. */
  close(): Promise<void>
}
