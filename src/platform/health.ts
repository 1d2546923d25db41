import { inTime } from '../kernel/in-time.ts'
import type { TimeLimit } from '../kernel/in-time.ts'
import { Outage } from '../kernel/outage.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Queue, QueueBacklog } from '../ports/queue.ts'
import type { Store } from '../ports/store.ts'

/** Time, in ms, after which a part that has not answered counts as unreachable. */
const PATIENCE_MS = 2_000
/** Time, in ms, for which an answer is repeated, because strangers may ask often. */
const FRESH_MS = 1_000
/** Maximum number of causes of an error that are named. */
const MOST_CAUSES = 4

/** State of one part of a platform. */
export interface HealthCheck {
  readonly ok: boolean
  /** Time of its answer, in ms. */
  readonly ms: number
  /** Why it is not ready, as a text for operators. `null`: it is ready. */
  readonly error: string | null
}

/** Whether a platform can work. */
export interface HealthReport {
  /** True if every part answers. */
  readonly ok: boolean
  readonly store: HealthCheck
  readonly blobs: HealthCheck
  /**
   * The worker of this process. `running`: `worker.run` is under way. `aliveAt`: when it last
   * looked for work, which it does every second, in Unix milliseconds; `null`: not yet.
   */
  readonly worker: { readonly running: boolean; readonly aliveAt: number | null }
  /**
   * The jobs that are due and have no worker, by lane. `null`: the queue cannot tell, or does not
   * answer. A long queue does not make a platform unready.
   */
  readonly queue: readonly QueueBacklog[] | null
}

/** The parts that are asked. */
export interface HealthParts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly logger: Logger
  readonly worker: () => HealthReport['worker']
  readonly queue: Pick<Queue, 'backlog'>
}

/** Returns a function that checks whether every part answers. Checks at the same time share one. */
export function createHealth({ store, blobs, clock, logger, worker, queue }: HealthParts) {
  const outageOf = (part: string) =>
    new Outage(clock, logger, {
      failing: `The ${part} do not answer`,
      over: `The ${part} answer again`,
    })
  const outages = { records: outageOf('records'), blobs: outageOf('blobs') }
  const backlog = async (): Promise<HealthReport['queue']> => {
    if (queue.backlog === undefined) return null
    try {
      return await inTime(patience(clock), async () => (await queue.backlog?.()) ?? null)
    } catch {
      // Failures are not logged here, because the queue's consumers log them.
      return null
    }
  }
  let last: { readonly at: number; readonly report: Promise<HealthReport> } | null = null
  const ask = async (): Promise<HealthReport> => {
    const [records, files, waiting] = await Promise.all([
      check(clock, outages.records, () => store.get([['health']])),
      check(clock, outages.blobs, () => blobs.get('health')),
      backlog(),
    ])
    return {
      ok: records.ok && files.ok,
      store: records,
      blobs: files,
      worker: worker(),
      queue: waiting,
    }
  }
  return (): Promise<HealthReport> => {
    const now = clock.now()
    if (last === null || now - last.at >= FRESH_MS || now < last.at)
      last = { at: now, report: ask() }
    return last.report
  }
}

async function check(
  clock: Clock,
  outage: Outage,
  ask: () => Promise<unknown>,
): Promise<HealthCheck> {
  const began = clock.now()
  try {
    await inTime(patience(clock), ask)
    outage.worked()
    return { ok: true, ms: clock.now() - began, error: null }
  } catch (error) {
    outage.failed(error)
    return { ok: false, ms: clock.now() - began, error: withCauses(error) }
  }
}

function patience(clock: Clock): TimeLimit {
  return {
    clock,
    ms: PATIENCE_MS,
    failure: () => new Error(`No answer within ${PATIENCE_MS / 1_000} s`),
  }
}

/** `The store cannot be reached: connect ECONNREFUSED 127.0.0.1:5432`. */
function withCauses(error: unknown): string {
  const messages: string[] = []
  let current = error
  // A chain of causes may contain the error itself.
  while (current !== undefined && current !== null && messages.length < MOST_CAUSES) {
    const message = current instanceof Error ? current.message : String(current)
    if (message !== '') messages.push(message)
    current = current instanceof Error ? current.cause : null
  }
  return messages.join(': ')
}
