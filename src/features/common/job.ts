import { isObject } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { JobResult, JobTurn } from '../../ports/queue.ts'
import type { Reason } from '../executions/records.ts'

/** Context of a job. */
export interface JobContext {
  /**
   * Aborts when the worker stops: the handler must suspend its work safely and ask for the job
   * again.
   */
  readonly signal: AbortSignal
  /** 1 for the first delivery. */
  readonly attempt: number
  /** Number of consecutive deliveries, up to this one, whose worker died. */
  readonly lost: number
  /** The job's permit among those of the worker. */
  readonly turn: JobTurn
}

/**
 * Handles jobs of one kind. Jobs are delivered at least once, so a handler that is called twice
 * must have its effect once. An error is logged, and the job is retried with growing delay.
 */
export type KindHandler = (data: Json, context: JobContext) => Promise<JobResult>

/** Kind of job → its handler. */
export type JobHandlers = Readonly<Record<string, KindHandler>>

/**
 * Gives up a job whose handler has killed workers or failed too often. Its effect must also happen
 * once.
 */
export interface JobEnd {
  readonly end: (data: Json, reason: Reason) => Promise<JobResult>
  /**
   * Number of consecutive deliveries that may throw before the job is given up. Absent: it is
   * retried for ever.
   */
  readonly mostFailures?: number
}

/** Kind of job → how it is given up. A job of another kind is dropped. */
export type JobEnds = Readonly<Record<string, JobEnd>>

/** Reads the required string fields of a job's data. `null` if one is missing. */
export function jobFields<Name extends string>(
  data: Json,
  ...names: readonly Name[]
): Readonly<Record<Name, string>> | null {
  if (!isObject(data)) return null
  const fields = new Map<string, Json>(Object.entries(data))
  const texts: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = fields.get(name)
    if (typeof value !== 'string') return null
    texts[name] = value
  }
  return hasAll(texts, names) ? texts : null
}

function hasAll<Name extends string>(
  fields: Partial<Record<Name, string>>,
  names: readonly Name[],
): fields is Record<Name, string> {
  return names.every((name) => fields[name] !== undefined)
}
