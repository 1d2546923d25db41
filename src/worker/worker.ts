import { Outage } from '../kernel/outage.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Delivery, JobResult, Lane, Queue, JobTurn } from '../ports/queue.ts'
import type { Reason } from '../features/executions/records.ts'
import type { JobEnds, JobHandlers } from '../features/common/job.ts'
import type { Outbox } from './outbox.ts'
import { traceJobs } from './traced-jobs.ts'

/** Interval, in ms, at which the outbox is read for jobs of other processes or of a crashed one. */
const OUTBOX_MS = 1_000
/** Number of consecutive deliveries that may lose their worker before the job is given up. */
const MOST_LOST = 3

/** Takes jobs from the queue and runs them. */
export interface Worker {
  /** Works until `signal` aborts; resolves when all running jobs are suspended. For servers. */
  run(options: { signal: AbortSignal }): Promise<void>
  /** Works until no job is due or `budgetMs` are over. For cron triggers, edge runtimes, tests. */
  tick(options?: { budgetMs?: number; signal?: AbortSignal }): Promise<void>
}

export interface WorkerOptions {
  readonly queue: Queue
  readonly outbox: Outbox
  readonly clock: Clock
  readonly logger: Logger
  readonly telemetry: Telemetry | null
  /** Handlers by kind of job. */
  readonly jobs: JobHandlers
  /** Handlers that end jobs which kill their workers or fail too often. */
  readonly ends: JobEnds
  /** Maximum number of jobs at the same time, by lane. */
  readonly concurrency: Readonly<Record<Lane, number>>
  /** Helps other processes while `run` works; `null`: this worker does not help. */
  readonly helper: ((signal: AbortSignal) => Promise<void>) | null
}

/** Makes the worker; it does nothing until `run` or `tick`. */
export function createWorker(options: WorkerOptions): Worker {
  const { queue, outbox, jobs, ends, clock, logger, telemetry, concurrency, helper } = options

  const outage = new Outage(clock, logger, {
    failing: 'The outbox could not be processed',
    over: 'The outbox is processed again',
  })
  const drain = (): Promise<void> =>
    outbox.drain().then(
      () => outage.worked(),
      (error: unknown) => outage.failed(error),
    )

  const giveUp = async (job: Delivery, reason: Reason, turn: JobTurn): Promise<JobResult> => {
    turn.givesUp()
    logger.error('A job was given up', { id: job.id, kind: job.kind, data: job.data, reason })
    return Object.hasOwn(ends, job.kind)
      ? ((await ends[job.kind]?.end(job.data, reason)) ?? 'done')
      : 'done'
  }

  // A queue waits until running jobs end. An execution may take hours, so it stops at the next
  // page.
  const handleUntil = (over: AbortSignal) =>
    traceJobs(
      async (job: Delivery, signal: AbortSignal, turn: JobTurn): Promise<JobResult> => {
        const handle = Object.hasOwn(jobs, job.kind) ? jobs[job.kind] : undefined
        if (!handle) {
          logger.error('A job of an unknown kind was dropped', { id: job.id, kind: job.kind })
          return 'done'
        }
        try {
          if (job.lost >= MOST_LOST) return await giveUp(job, lostReason(job.lost), turn)
          return await handle(job.data, {
            signal: AbortSignal.any([over, signal]),
            attempt: job.attempt,
            lost: job.lost,
            turn,
          })
        } catch (error) {
          // A job that is suspended because the worker stops has not failed. The next worker
          // resumes it at once.
          if (
            over.aborted &&
            (error === over.reason || (error instanceof Error && error.name === 'AbortError'))
          )
            return { again: clock.now() }
          if (job.attempt >= (ends[job.kind]?.mostFailures ?? Infinity) && job.lost < MOST_LOST)
            return await giveUp(job, failedReason(job.attempt, error), turn)
          throw error
        } finally {
          // The outbox is read now, so that new jobs from this job need not wait for its next
          // regular read.
          await drain()
        }
      },
      telemetry,
      clock,
    )

  return {
    async run({ signal }) {
      const drained = keepDraining(drain, clock, signal)
      const helped = helper?.(signal)
      await queue.consume(handleUntil(signal), { concurrency, signal })
      await Promise.all([drained, helped])
      outage.ended()
    },
    async tick({ budgetMs, signal } = {}) {
      const over = new AbortController()
      const done = new AbortController()
      if (budgetMs !== undefined)
        clock.sleep(budgetMs, done.signal).then(
          () => over.abort(),
          () => {},
        )
      const until = signal ? AbortSignal.any([signal, over.signal]) : over.signal
      try {
        await outbox.drain()
        await queue.consume(handleUntil(until), { concurrency, signal: until, untilIdle: true })
      } finally {
        done.abort()
      }
    },
  }
}

async function keepDraining(
  drain: () => Promise<void>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await drain()
    await clock.sleep(OUTBOX_MS, signal).catch(() => {})
  }
}

function lostReason(lost: number): Reason {
  return {
    code: 'worker_lost',
    message:
      `It was started ${lost} times in a row, and each time its worker died; the last times ` +
      'it ran alone',
  }
}

function failedReason(attempts: number, error: unknown): Reason {
  return {
    code: 'worker_failed',
    message: `It failed ${attempts} times in a row; the last time with: ${String(error).slice(0, 300)}`,
  }
}
