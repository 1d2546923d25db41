import type { AdvanceOptions } from './advance-options.ts'
import type { AccountWatch } from './account-watch.ts'
import type { Interrupts } from './interrupts.ts'
import { jobFields } from '../features/common/job.ts'
import type { JobHandlers, JobEnd, JobEnds } from '../features/common/job.ts'
import { sweepBlobs, sweep } from '../features/executions/sweep.ts'
import { endExecution, moveExecution } from '../features/executions/lifecycle.ts'
import type { JobResult } from '../ports/queue.ts'
import { Change } from '../records/change.ts'
import { retryConflicts } from '../records/retry.ts'
import type { Reason } from '../features/executions/records.ts'
import { abandonDelivery } from '../features/webhooks/deliver.ts'
import { DAY_MS, MINUTE_MS } from '../kernel/time.ts'

/**
 * The jobs of executions. `execution` advances one execution; the code that reads pages is loaded
 * with the first one, because a process that only serves starts faster without it. `suspended` ends
 * one whose account was suspended for too long. `sweep` deletes records that only a running
 * execution needs, and the remains of failed commits.
 */
export function executionJobs(
  options: AdvanceOptions & {
    readonly interrupts: Interrupts
    readonly accountWatch: AccountWatch
  },
): JobHandlers {
  return {
    async execution(data, { signal, lost, turn }) {
      const target = jobFields(data, 'account', 'execution')
      if (!target || (await options.accountWatch.stops(target))) return 'done'
      const { advance } = await import('./run/advance.ts')
      const stop = new AbortController()
      const leave = options.interrupts.on(target.execution, () => stop.abort())
      void options.accountWatch.follow(target, stop.signal)
      try {
        return await advance(options, target.account, target.execution, {
          signal: AbortSignal.any([signal, stop.signal]),
          lost,
          turn,
        })
      } finally {
        leave()
        stop.abort()
      }
    },
    async suspended(data) {
      const target = jobFields(data, 'account', 'execution', 'since')
      return target ? options.accountWatch.expire(target, target.since) : 'done'
    },
    async sweep(data, { signal }) {
      const target = jobFields(data, 'account', 'execution')
      if (!target) return 'done'
      const time = Number(jobFields(data, 'at')?.at ?? 0)
      if (options.clock.now() < time) return { again: time }
      await sweep(options, target.account, target.execution, signal)
      await sweepBlobs(options.records, options.blobs, target.account, target.execution, signal)
      const { eraseLooseMedia } = await import('../features/media/erase-loose.ts')
      await eraseLooseMedia(options, target.account, target.execution, signal)
      return 'done'
    },
  }
}

/**
 * Maximum number of consecutive deliveries of an execution that may throw. With their growing
 * delays they take a quarter of an hour.
 */
const MOST_FAILURES = 10

/**
 * Time in ms until the job of an event is tried again. It is not given up, because it is too small
 * to have killed a worker.
 */
const EVENT_MS = 10 * MINUTE_MS

/** Options of {@link jobEnds}. */
type JobEndsOptions = Pick<AdvanceOptions, 'records' | 'blobs' | 'ledger' | 'clock' | 'changed'>

/**
 * Ends jobs that kill their workers. An execution fails with the reason. A merge and a webhook's
 * delivery are given up. Daily work waits for the next day. An event waits for some minutes,
 * because it would be lost with its job. Each case is logged.
 */
export function jobEnds(options: JobEndsOptions): JobEnds {
  const { records, blobs, clock } = options
  const later = (ms: number): JobEnd => ({ end: async () => ({ again: clock.now() + ms }) })
  const tomorrow = later(DAY_MS)
  return {
    execution: {
      mostFailures: MOST_FAILURES,
      async end(data, reason) {
        const target = jobFields(data, 'account', 'execution')
        return target ? failExecution(options, target.account, target.execution, reason) : 'done'
      },
    },
    merge: {
      async end(data) {
        const target = jobFields(data, 'account', 'dataset')
        const { DatasetMerge } = await import('../features/datasets/merge.ts')
        const merge = target && new DatasetMerge({ records, blobs }, target.account, target.dataset)
        // The next merge is queued, because other runs may wait behind this one.
        return until(async () => (await merge?.abandon()) !== 'overtaken', { again: clock.now() })
      },
    },
    webhook: {
      async end(data, { code }) {
        const target = jobFields(data, 'account', 'webhook', 'delivery', 'round')
        return until(
          async () => !target || abandonDelivery(records, target, code, clock.now()),
          'done',
        )
      },
    },
    event: later(EVENT_MS),
    sweep: tomorrow,
    statement: tomorrow,
    retention: tomorrow,
    retire: tomorrow,
    suspended: tomorrow,
    'dataset-erase': tomorrow,
    'execution-erase': tomorrow,
    'rows-erase': tomorrow,
    'media-erase': tomorrow,
    'execution-media': tomorrow,
  }
}

/**
 * Ends an execution even if a worker holds it: that worker can commit nothing more. Unspent credits
 * are returned.
 */
async function failExecution(
  options: JobEndsOptions,
  account: string,
  id: string,
  reason: Reason,
): Promise<JobResult> {
  const { records, ledger, clock, changed } = options
  return until(async () => {
    const done = await ledger.alone(account, async () => {
      const execution = await records.executions.get(account, id)
      const status = execution?.value.status
      if (!execution || (status !== 'queued' && status !== 'running')) return true
      const change = new Change()
      const now = clock.now()
      // The execution is first moved to `running`, so that its followers see a start and an end.
      if (status === 'queued')
        moveExecution(records, change, account, execution, 'running', { now })
      else await endExecution(options, change, account, execution, 'failed', { now, reason })
      return (await records.commit(change)) && status === 'running'
    })
    changed(id)
    return done
  }, 'done')
}

/**
 * Retries an attempt until it succeeds.
 *
 * @throws {Error} if others keep changing the same record, so that the job is delivered again
 */
async function until(attempt: () => Promise<boolean>, result: JobResult): Promise<JobResult> {
  if (!(await retryConflicts(attempt)))
    throw new Error('The record of the job is being changed by others')
  return result
}
