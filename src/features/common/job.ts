import type { Json } from '../../kernel/json.ts'
import type { JobResult, Turn } from '../../ports/queue.ts'
import type { Reason } from '../executions/records.ts'

/** How a job is to be worked on. */
export interface JobContext {
  /** Aborts when the worker stops: put down what was begun, safely, and ask for the job again. */
  readonly signal: AbortSignal
  /** 1 for the first delivery. */
  readonly attempt: number
  /** Deliveries in a row, up to this one, whose worker died. */
  readonly lost: number
  /** The job's hold on its place among the worker's. */
  readonly turn: Turn
}

/**
 * Works on jobs of one kind. Jobs are delivered at least once, so a handler that is called twice
 * must have its effect once. What it throws is logged, and the job is tried again with growing
 * delay.
 */
export type JobHandler = (data: Json, context: JobContext) => Promise<JobResult>

/** Kind of job → its handler. */
export type JobHandlers = Readonly<Record<string, JobHandler>>

/**
 * Ends what a job was for without doing it, as doing it has killed workers, or failed too often.
 * Its effect is once, too.
 */
export interface JobEnd {
  readonly end: (data: Json, reason: Reason) => Promise<JobResult>
  /** Deliveries in a row that may throw before the job is ended; absent: it is tried for ever. */
  readonly mostFailures?: number
}

/** Kind of job → how it is given up. A kind that is not here is dropped. */
export type JobEnds = Readonly<Record<string, JobEnd>>

/** Reads the string fields that a job's data must have; `null` where one is missing. */
export function jobFields<Name extends string>(
  data: Json,
  ...names: readonly Name[]
): Readonly<Record<Name, string>> | null {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null
  const fields = new Map<string, Json>(Object.entries(data))
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = fields.get(name)
    if (typeof value !== 'string') return null
    found[name] = value
  }
  return hasAll(found, names) ? found : null
}

function hasAll<Name extends string>(
  found: Partial<Record<Name, string>>,
  names: readonly Name[],
): found is Record<Name, string> {
  return names.every((name) => found[name] !== undefined)
}
