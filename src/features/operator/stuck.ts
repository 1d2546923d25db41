import type { KeyPart } from '../../kernel/key.ts'
import { MINUTE_MS } from '../../kernel/time.ts'
import { SYSTEM } from '../../records/collection.ts'
import { standingOf } from '../common/account-status.ts'
import { isoTime } from '../common/time.ts'
import type { Core } from '../core.ts'
import type { ExecutionRecord, ExecutionStatus } from '../executions/records.ts'

/** Why an unfinished run does not move. */
export type StuckCode =
  | 'no_worker'
  | 'worker_gone'
  | 'no_progress'
  | 'job_lost'
  | 'job_suspect'
  | 'job_retried'
  | 'waiting'
  | 'left_paused'

/** The reason why a run does not move, and the time since when. */
export interface Stuck {
  readonly code: StuckCode
  readonly message: string
  readonly since: string
}

/** States of runs that can be stuck. */
export const STUCK_STATES = ['queued', 'running', 'paused'] as const satisfies ExecutionStatus[]

/** Time in ms after which a queued run counts as stuck. */
const QUEUED_MS = MINUTE_MS
/** Time in ms without a settled page, after which a run counts as stuck. */
const SILENT_MS = 15 * MINUTE_MS

/** Dependencies of the search for reasons. */
interface StuckOptions {
  readonly core: Pick<Core, 'records' | 'clock' | 'accountStatus'>
  /** False: jobs are in a queue that this process cannot inspect. */
  readonly readsJobs: boolean
  /** True if a worker has given a sign of life. */
  readonly hasWorker: () => Promise<boolean>
}

/** Finds why an unfinished run does not move. `null`: it moves, or its account has paused it. */
export function openStuck({ core, readsJobs, hasWorker }: StuckOptions) {
  const { records, clock, accountStatus } = core

  const queued = async (account: string, run: ExecutionRecord): Promise<Stuck | null> => {
    const since = run.updatedAt
    if (clock.now() - since < QUEUED_MS) return null
    const stuck = (code: StuckCode, message: string): Stuck => ({
      code,
      message,
      since: isoTime(since),
    })
    if (!(await hasWorker()))
      return stuck('no_worker', 'No worker has given a sign of life: start one on this store')
    if (!readsJobs) return stuck('waiting', 'It waits in the queue, which cannot be inspected')
    const id = `run:${run.id}:${since}`
    // The outbox is read first, because a job leaves it only after it is in the queue.
    if (await records.outbox.get(SYSTEM, id))
      return stuck('waiting', 'Its job is not in the queue yet: no process moves the outbox')
    const job = (await records.jobs.get(SYSTEM, id))?.value
    if (!job) {
      const present = await records.executions.get(account, run.id)
      return present?.value.status === 'queued' && present.value.updatedAt === since
        ? stuck('job_lost', 'It has no job in the queue: release it')
        : null
    }
    const { lost = [], attempt, lease, dueAt } = job
    if (lost.length > 0)
      return stuck(
        'job_suspect',
        `Its worker died ${lost.length} times in a row; it waits to run alone`,
      )
    if (lease === null && attempt > 0 && dueAt > clock.now())
      return stuck(
        'job_retried',
        `It failed ${attempt} times; it is tried again at ${isoTime(dueAt)}`,
      )
    return lease === null
      ? stuck('waiting', 'Other runs use all places of the workers: wait, or add a worker')
      : null
  }

  const running = async (account: string, run: ExecutionRecord): Promise<Stuck | null> => {
    const now = clock.now()
    const heartbeat = (await records.heartbeats.get(account, run.id))?.value
    if (heartbeat && heartbeat.until < now - MINUTE_MS)
      return {
        code: 'worker_gone',
        message: 'Its worker has given no sign of life since then; no other has taken it',
        since: isoTime(heartbeat.until),
      }
    const last = await lastSettled(account, run)
    return now - last < SILENT_MS
      ? null
      : {
          code: 'no_progress',
          message:
            'It has a worker, and no page was settled since then: its site may answer slowly',
          since: isoTime(last),
        }
  }

  /** When its last page was settled, in Unix ms. */
  const lastSettled = async (account: string, run: ExecutionRecord): Promise<number> => {
    const settled = (await records.progress.get(account, run.id))?.value.settled ?? 0
    const group =
      settled === 0 ? null : (await records.settled.get(account, run.id, settled - 1))?.value
    const seq = group?.seqs.at(-1)
    const visit = seq === undefined ? null : await records.visits.get(account, run.id, seq)
    return Math.max(visit?.value.at ?? 0, run.updatedAt)
  }

  const paused = async (account: string, run: ExecutionRecord): Promise<Stuck | null> =>
    run.reason?.code === 'account_suspended' &&
    (await standingOf(accountStatus, account)) === 'active'
      ? {
          code: 'left_paused',
          message: 'It was paused while its account was suspended: release it',
          since: isoTime(run.updatedAt),
        }
      : null

  const why = (account: string, run: ExecutionRecord): Promise<Stuck | null> => {
    if (run.status === 'queued') return queued(account, run)
    return run.status === 'running' ? running(account, run) : paused(account, run)
  }

  return {
    why,
    /** Stuck runs of one state of an account, after a position in that state. */
    async read(
      account: string,
      status: string,
      after: readonly KeyPart[] | null,
      limit: number,
    ): Promise<{
      readonly items: readonly { readonly run: ExecutionRecord; readonly stuck: Stuck }[]
      readonly next: readonly KeyPart[] | null
    }> {
      // A record may hold a large recipe, so few are read at a time.
      const most = Math.min(limit, MOST_READ)
      const page = await records.executions.listBy('status', account, {
        within: [status],
        limit: most,
        ...(after && { after }),
      })
      const reasons = await Promise.all(page.map(({ record }) => why(account, record.value)))
      return {
        items: page.flatMap(({ record }, index) => {
          const stuck = reasons[index] ?? null
          return stuck === null ? [] : [{ run: record.value, stuck }]
        }),
        next: page.length < most ? null : (page.at(-1)?.position ?? null),
      }
    },
  }
}

/** Number of runs in one read. */
const MOST_READ = 10
