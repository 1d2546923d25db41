import { keepLease } from '../../src/kernel/keep-lease.ts'
import { retryDelay } from '../../src/kernel/queue-lanes.ts'
import type { Clock, RandomBytes } from '../../src/ports/clock.ts'
import type { Logger } from '../../src/ports/logger.ts'
import type { JobHandler, JobResult } from '../../src/ports/queue.ts'
import type { LaneJobs } from './lane-jobs.ts'
import { LOOK_AGAIN_MS } from './lane-jobs.ts'
import type { Taken } from './lane-worker.ts'
import { clearedOf } from './payload.ts'
import type { Payload } from './payload.ts'
import type { Place } from './place.ts'
import { isRefusal, lineOf, NO_LINE } from './share-lines.ts'

/** How soon a settlement that the server did not take is tried again. */
const SETTLE_AGAIN_MS = 500

/** What it takes to run a job. */
export interface DeliveryOptions {
  readonly jobs: LaneJobs
  readonly clock: Clock
  readonly random: RandomBytes
  readonly leaseMs: number
  readonly logger: Logger | undefined
  readonly handler: JobHandler
  readonly place: Place
}

/** Runs a job that was taken, keeps its lock meanwhile, and gives it back. Never rejects. */
export async function deliver(taken: Taken, options: DeliveryOptions): Promise<void> {
  const { jobs, clock, random, leaseMs, logger, handler, place } = options
  const { job, payload } = taken
  const attempt = job.attemptsStarted - payload.before
  const keeper = keepLease({
    clock,
    until: clock.now() + leaseMs,
    leaseMs,
    extend: async () => (await job.extendLock(taken.token, leaseMs)) !== 0,
    onError: (error) =>
      logger?.warn('A lock could not be renewed', { id: job.id, error: String(error) }),
  })
  let settle: () => Promise<void>
  try {
    if (taken.reminds) {
      const followed = await jobs.follow(job.name, payload)
      settle = () =>
        followed ? finish(taken) : job.moveToDelayed(clock.now() + LOOK_AGAIN_MS, taken.token)
    } else {
      const result = await handler(
        { id: payload.id, kind: job.name, data: payload.data, attempt, lost: taken.lost },
        keeper.signal,
        place,
      )
      settle = () => settleAs(result, taken, options)
    }
  } catch (error) {
    logger?.warn('A job failed and is tried again later', {
      id: payload.id,
      kind: job.name,
      attempt,
      error: String(error),
    })
    settle = async () => {
      if (taken.lost > 0 && !place.isGivenUp)
        await job.updateData(clearedOf(payload, job.stalledCounter))
      await delay(taken, clock.now() + retryDelay(attempt, random(1)))
    }
  }
  await keeper.stop()
  if (keeper.signal.aborted) return
  const end = clock.now() + leaseMs
  // As long as the lock lasts; after that the job comes again, as it does after a crash.
  while (clock.now() < end) {
    try {
      await settle()
      if (!taken.reminds) await jobs.hurry(payload.id)
      return
    } catch (error) {
      logger?.warn('A job could not be given back', { id: payload.id, error: String(error) })
      // The job is another's now, or given back already.
      if (isRefusal(error)) return
      await clock.sleep(SETTLE_AGAIN_MS)
    }
  }
}

/**
 * Gives a suspect back, so that it comes again when there may be nothing else to do. The delivery
 * counts for nothing. It waits in no line, or it would not be seen before all of its share.
 */
export async function putOff(
  { job, token, payload }: Taken,
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
 * Puts a job back to the front of its line, as another one was wanted. The delivery counts for
 * nothing.
 */
export async function putBack({ job, token, payload }: Taken): Promise<void> {
  await job.updateData({ ...payload, before: payload.before + 1 })
  await toFront(job, token, payload)
}

/** Ends a delivery as its handler has answered. One that gave way is the first of its line again. */
async function settleAs(
  result: JobResult,
  taken: Taken,
  { clock, place }: DeliveryOptions,
): Promise<void> {
  const { job, token, payload } = taken
  if (result === 'done') return finish(taken)
  // A delivery that ends clears what the lost ones before it have left.
  const cleared = clearedOf(payload, job.stalledCounter)
  await job.updateData({ ...cleared, at: result.again, before: job.attemptsStarted })
  if (place.asked && result.again <= clock.now()) await toFront(job, token, payload)
  else await delay(taken, Math.ceil(result.again))
}

async function toFront(job: Taken['job'], token: string, payload: Payload): Promise<void> {
  await job.changePriority({ priority: lineOf(payload.share ?? '') })
  await job.moveToWait(token)
}

/** Lets a job come again at a time, in the line of its share: it may have been taken out of it. */
async function delay({ job, token, payload }: Taken, at: number): Promise<void> {
  await job.changePriority({ priority: lineOf(payload.share ?? '') })
  await job.moveToDelayed(at, token)
}

async function finish({ job, token }: Taken): Promise<void> {
  await job.moveToCompleted(null, token, false)
}
