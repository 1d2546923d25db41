import { keepLease } from '../../src/kernel/leases.ts'
import { retryDelay } from '../../src/kernel/queue-lanes.ts'
import { MOST_AHEAD_MS } from '../../src/kernel/time.ts'
import type { Clock, RandomBytes } from '../../src/ports/clock.ts'
import type { Logger } from '../../src/ports/logger.ts'
import type { JobHandler, JobResult } from '../../src/ports/queue.ts'
import type { LaneJobs } from './lane-jobs.ts'
import { CHECK_AGAIN_MS } from './lane-jobs.ts'
import type { ActiveJob } from './lane-worker.ts'
import { clearedOf, payloadFrom } from './payload.ts'
import type { Payload } from './payload.ts'
import type { JobHold } from './job-hold.ts'
import { isRefusal, lineOf, NO_LINE } from './share-lines.ts'

/** Delay until the end of a job is reported again after the server did not accept it. */
const SETTLE_AGAIN_MS = 500

/** Options of {@link runJob}. */
export interface RunJobOptions {
  readonly jobs: LaneJobs
  readonly clock: Clock
  readonly random: RandomBytes
  readonly leaseMs: number
  readonly logger: Logger | undefined
  readonly handler: JobHandler
  readonly hold: JobHold
}

/** Runs a job, renews its lock meanwhile, and returns it. Never rejects. */
export async function runJob(active: ActiveJob, options: RunJobOptions): Promise<void> {
  const { jobs, clock, random, leaseMs, logger, handler, hold } = options
  const { job, payload } = active
  const attempt = job.attemptsStarted - payload.before
  const keeper = keepLease({
    clock,
    until: clock.now() + leaseMs,
    leaseMs,
    extend: async () => (await job.extendLock(active.token, leaseMs)) !== 0,
    onError: (error) =>
      logger?.warn('A lock could not be renewed', { id: job.id, error: String(error) }),
  })
  let settle: () => Promise<void>
  try {
    if (active.reminds) {
      const followed = await jobs.follow(job.name, payload)
      settle = () =>
        followed ? finish(active) : job.moveToDelayed(clock.now() + CHECK_AGAIN_MS, active.token)
    } else {
      const result = await handler(
        {
          id: payload.id,
          kind: job.name,
          data: payload.data,
          attempt,
          lost: active.lost,
          isNewlyLost: active.isNewlyLost,
        },
        keeper.signal,
        hold,
      )
      settle = () => settleAs(result, active, options)
    }
  } catch (error) {
    logger?.warn('A job failed and is tried again later', {
      id: payload.id,
      kind: job.name,
      attempt,
      error: String(error),
    })
    settle = async () => {
      if (active.lost > 0 && !hold.isGivenUp)
        await job.updateData(clearedOf(payload, job.stalledCounter))
      else if (active.isNewlyLost)
        // The job has the payload that progress may have changed.
        await job.updateData({ ...payloadFrom(job.data), stalledCounted: job.stalledCounter })
      await delay(active, clock.now() + retryDelay(attempt, random(1)))
    }
  }
  await keeper.stop()
  if (keeper.signal.aborted) return
  const end = clock.now() + leaseMs
  // Retries as long as the lock lasts. After that the job is delivered again, as after a crash.
  while (clock.now() < end) {
    try {
      await settle()
      if (!active.reminds) await jobs.hurry(payload.id)
      return
    } catch (error) {
      logger?.warn('A job could not be returned to the queue', {
        id: payload.id,
        error: String(error),
      })
      // Another worker has now taken over the job, or the job was already returned.
      if (isRefusal(error)) return
      await clock.sleep(SETTLE_AGAIN_MS)
    }
  }
}

/**
 * Returns a suspect, so that it is delivered again when no other job runs. The delivery is not
 * counted. It waits outside the lines, because in its line it would come after all jobs of its
 * share.
 */
export async function putOff(
  { job, token, payload }: ActiveJob,
  now: number,
  ms: number,
): Promise<void> {
  await job.updateData({
    ...payload,
    before: payload.before + 1,
    apartSince: payload.apartSince ?? now,
  })
  await job.changePriority({ priority: NO_LINE })
  await job.moveToDelayed(now + ms, token)
}

/**
 * Returns a job to the front of its line, because another one was chosen. The delivery is not
 * counted.
 */
export async function putBack({ job, token, payload }: ActiveJob): Promise<void> {
  await job.updateData({ ...payload, before: payload.before + 1 })
  await toFront(job, token, payload)
}

/**
 * Ends a delivery with its handler's answer. A job that gave way becomes the first of its line
 * again.
 */
async function settleAs(
  result: JobResult,
  active: ActiveJob,
  { clock, hold }: RunJobOptions,
): Promise<void> {
  const { job, token, payload } = active
  if (result === 'done') return finish(active)
  // A delivery that ends clears the count of lost ones before it.
  const cleared = clearedOf(payload, job.stalledCounter)
  const now = clock.now()
  const dueAt = Math.min(Math.ceil(result.again), now + MOST_AHEAD_MS)
  await job.updateData({ ...cleared, at: dueAt, before: job.attemptsStarted })
  if (hold.asked && dueAt <= now) await toFront(job, token, payload)
  else await delay(active, dueAt)
}

async function toFront(job: ActiveJob['job'], token: string, payload: Payload): Promise<void> {
  await job.changePriority({ priority: lineOf(payload.share ?? '') })
  await job.moveToWait(token)
}

/** Delays a job until a time, and returns it to the line of its share if it was taken from outside. */
async function delay({ job, token, payload }: ActiveJob, dueAt: number): Promise<void> {
  await job.changePriority({ priority: lineOf(payload.share ?? '') })
  await job.moveToDelayed(dueAt, token)
}

async function finish({ job, token }: ActiveJob): Promise<void> {
  await job.moveToCompleted(null, token, false)
}
