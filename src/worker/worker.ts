import type { Json } from '../kernel/json.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Delivery, JobResult, Queue } from '../ports/queue.ts'
import { advance } from './advance.ts'
import type { AdvanceOptions } from './advance.ts'
import { sweep } from './sweep.ts'
import type { Interrupts } from './interrupts.ts'
import type { Outbox } from './outbox.ts'

/** How often the outbox is looked at for jobs of other processes, and of a process that crashed. */
const OUTBOX_MS = 1_000

/** Turns queued work into outcomes. */
export interface Worker {
  /** Works until `signal` aborts; resolves when what was begun has been put down safely. For servers. */
  run(options: { signal: AbortSignal }): Promise<void>
  /** Works until nothing is due or `budgetMs` are over. For cron triggers, edge runtimes and tests. */
  tick(options?: { budgetMs?: number; signal?: AbortSignal }): Promise<void>
}

/** What a worker needs. */
export interface WorkerOptions extends AdvanceOptions {
  readonly queue: Queue
  readonly outbox: Outbox
  readonly interrupts: Interrupts
  readonly clock: Clock
  readonly logger: Logger
  /** Executions at the same time. */
  readonly concurrency: number
}

/** Makes the worker; it does nothing until `run` or `tick`. */
export function createWorker(options: WorkerOptions): Worker {
  const { queue, outbox, interrupts, clock, logger, concurrency } = options

  // A queue lets running jobs end; an execution may take hours, so it is told to stop at the next page instead.
  const handleUntil = (over: AbortSignal) => async (job: Delivery, signal: AbortSignal): Promise<JobResult> => {
    const target = executionOf(job.data)
    if (!target || (job.kind !== 'execution' && job.kind !== 'sweep')) {
      logger.error('A job of an unknown kind was dropped', { id: job.id, kind: job.kind })
      return 'done'
    }
    if (job.kind === 'sweep') {
      await sweep(options.records, target.account, target.execution, AbortSignal.any([over, signal]))
      return 'done'
    }
    const stop = new AbortController()
    const leave = interrupts.on(target.execution, () => stop.abort())
    try {
      return await advance(options, target.account, target.execution, AbortSignal.any([over, signal, stop.signal]))
    } finally {
      leave()
      // What the end of an execution asks for need not wait for the next look.
      await outbox.drain().catch((error: unknown) => logger.warn('The outbox could not be emptied; trying again', { error }))
    }
  }

  return {
    async run({ signal }) {
      const drained = keepDraining(outbox, clock, logger, signal)
      await queue.consume(handleUntil(signal), { concurrency, signal })
      await drained
    },
    async tick({ budgetMs, signal } = {}) {
      const over = new AbortController()
      const done = new AbortController()
      if (budgetMs !== undefined) clock.sleep(budgetMs, done.signal).then(() => over.abort(), () => {})
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

function executionOf(data: Json): { account: string; execution: string } | null {
  if (typeof data !== 'object' || data === null || !('account' in data) || !('execution' in data)) return null
  const { account, execution } = data
  return typeof account === 'string' && typeof execution === 'string' ? { account, execution } : null
}

async function keepDraining(outbox: Outbox, clock: Clock, logger: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await outbox.drain()
    } catch (error) {
      logger.warn('The outbox could not be emptied; trying again', { error })
    }
    await clock.sleep(OUTBOX_MS, signal).catch(() => {})
  }
}
