import { retryDelay } from '../../src/kernel/retry-delay.ts'
import type { Clock, RandomBytes } from '../../src/ports/clock.ts'
import type { Logger } from '../../src/ports/logger.ts'
import type { Handler, Turn } from '../../src/ports/queue.ts'
import type { LaneJobs } from './lane-jobs.ts'
import { LOOK_AGAIN_MS } from './lane-jobs.ts'
import type { Taken } from './lane-worker.ts'
import type { Payload } from './payload.ts'

/** How soon a settlement that the server did not take is tried again. */
const SETTLE_AGAIN_MS = 500

/** What it takes to run a job. */
export interface DeliveryOptions {
  readonly jobs: LaneJobs
  readonly clock: Clock
  readonly random: RandomBytes
  readonly leaseMs: number
  readonly logger: Logger | undefined
  readonly handler: Handler
  readonly onClear: () => void
  /** Aborts when it should give its place back, as a suspect wants to run alone. */
  readonly over: AbortSignal
}

/** Runs a job that was taken, keeps its lock meanwhile, and gives it back. Never rejects. */
export async function deliver(taken: Taken, options: DeliveryOptions): Promise<void> {
  const { jobs, clock, random, logger, handler } = options
  const { job, token, payload } = taken
  const attempt = job.attemptsStarted - payload.before
  const { apartSince: _, ...rest } = payload
  // A delivery that ends clears what the lost ones before it have left.
  const cleared: Payload = { ...rest, ...(job.stalledCounter > 0 && { stalledBefore: job.stalledCounter }) }
  const keeper = keepLock(taken, options)
  let settle: () => Promise<void>
  try {
    if (taken.reminds) {
      const followed = await jobs.follow(job.name, payload)
      settle = () => (followed ? finish(taken) : job.moveToDelayed(clock.now() + LOOK_AGAIN_MS, token))
    } else {
      const result = await handler({ id: payload.id, kind: job.name, data: payload.data, attempt, lost: taken.lost }, keeper.signal, turnOf(taken, cleared, options))
      settle = result === 'done' ? () => finish(taken) : async () => {
        await job.updateData({ ...cleared, at: result.again, before: job.attemptsStarted })
        await job.moveToDelayed(Math.ceil(result.again), token)
      }
    }
  } catch (error) {
    logger?.warn('A job failed and is tried again later', { id: payload.id, kind: job.name, attempt, error: String(error) })
    settle = async () => {
      if (taken.lost > 0) await job.updateData(cleared)
      await job.moveToDelayed(clock.now() + retryDelay(attempt, random(1)), token)
    }
  }
  await keeper.stop()
  if (keeper.signal.aborted) return
  const end = clock.now() + options.leaseMs
  // As long as the lock lasts; after that the job comes again, as it does after a crash.
  while (clock.now() < end) {
    try {
      await settle()
      if (!taken.reminds) await jobs.hurry(payload.id)
      return
    } catch (error) {
      logger?.warn('A job could not be given back', { id: payload.id, error: String(error) })
      // BullMQ's own refusals have numbers: the job is another's now, or given back already.
      if (error instanceof Error && 'code' in error && typeof error.code === 'number') return
      await clock.sleep(SETTLE_AGAIN_MS)
    }
  }
}

/** Gives a suspect back, so that it comes again when there may be nothing else to do. The delivery counts for nothing. */
export async function putOff({ job, token, payload }: Taken, now: number, ms: number): Promise<void> {
  await job.updateData({ ...payload, before: payload.before + 1, apartSince: payload.apartSince ?? now })
  await job.moveToDelayed(now + ms, token)
}

/** BullMQ has no lines for shares, so a job is asked for its place for a suspect alone. */
function turnOf({ job, lost, payload }: Taken, cleared: Payload, { logger, onClear, over }: DeliveryOptions): Turn {
  return {
    over,
    clear: onClear,
    idle() {},
    async progress() {
      const before = job.attemptsStarted - 1
      if (lost === 0 && payload.before === before) return
      await job.updateData({ ...cleared, before }).catch((error: unknown) => logger?.warn('The progress of a job could not be noted', { id: payload.id, error: String(error) }))
    },
  }
}

async function finish({ job, token }: Taken): Promise<void> {
  await job.moveToCompleted(null, token, false)
}

/** Renews a lock whenever a third of its time is over; the signal aborts when it is lost, or over without an answer. */
function keepLock({ job, token }: Taken, { clock, leaseMs, logger }: DeliveryOptions): { readonly signal: AbortSignal; stop(): Promise<void> } {
  const lost = new AbortController()
  const stopped = new AbortController()
  let until = clock.now() + leaseMs
  const renew = async (): Promise<void> => {
    const startedAt = clock.now()
    const answered = new AbortController()
    const late = clock.sleep(until - startedAt, answered.signal).then(() => 'late' as const, () => 'late' as const)
    try {
      const kept = await Promise.race([job.extendLock(token, leaseMs), late])
      if (kept === 'late') lost.abort(new Error('The lock ended'))
      else if (kept === 0) lost.abort(new Error('Another consumer has the job'))
      else until = startedAt + leaseMs
    } catch (error) {
      logger?.warn('A lock could not be renewed', { id: job.id, error: String(error) })
      if (clock.now() >= until) lost.abort(new Error('The lock ended'))
    } finally {
      answered.abort()
    }
  }
  const keeping = (async () => {
    while (!lost.signal.aborted) {
      const stop = await clock.sleep(leaseMs / 3, stopped.signal).then(() => false, () => true)
      if (stop) return
      await renew()
    }
  })()
  return {
    signal: lost.signal,
    stop() {
      stopped.abort()
      return keeping
    },
  }
}
