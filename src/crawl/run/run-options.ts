import type { HostState, Politeness } from '../../engine/site/politeness.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import type { PriceTable } from '../../kernel/price.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import type { JobTurn } from '../../ports/queue.ts'
import { pendingOf } from '../../features/executions/records.ts'
import type { FrontierRecord, ProgressRecord, Reason } from '../../features/executions/records.ts'
import type { Allowance } from './allowance.ts'
import type { ByteRoom } from './byte-room.ts'
import type { Fence } from '../commit/fence.ts'
import type { Frontier } from '../commit/frontier.ts'
import type { Journal } from '../commit/journal.ts'
import type { VisitOutcome } from '../visit/outcome.ts'
import type { PageQueue } from '../visit/page-queue.ts'

/** Why a run stopped starting pages. */
export type Stop =
  | 'exhausted'
  | 'page_limit'
  | 'credit_limit'
  | 'balance_limit'
  | 'daily_cap'
  | 'bytes_limit'
  | 'time_limit'
  | 'interrupted'
  | 'gave_way'

/** State that the next worker needs to resume the run. */
export interface Rest {
  /** When a page can be visited, in Unix ms. */
  readonly resumeAt: number
  readonly hosts: readonly HostState[]
}

/** Maximum number of hosts whose next request time is stored. */
const MOST_HOSTS = 1_000

/**
 * Keeps the hosts that must wait longest, if there are too many. The run resumes when none of the
 * others must wait.
 */
export function storableRest(rest: Rest): Rest {
  if (rest.hosts.length <= MOST_HOSTS) return rest
  const hosts = rest.hosts.toSorted((a, b) => b.next - a.next)
  const latest = hosts[MOST_HOSTS]?.next ?? 0
  return { resumeAt: Math.max(rest.resumeAt, latest), hosts: hosts.slice(0, MOST_HOSTS) }
}

export interface RunOptions {
  readonly plan: CrawlPlan
  readonly journal: Journal
  readonly frontier: Frontier
  readonly fence: Fence
  readonly politeness: Politeness
  readonly clock: Clock
  readonly logger: Logger
  readonly leaseMs: number
  readonly prices: PriceTable
  /** Maximum cost of the execution. `null`: no limit. */
  readonly maxCredits: number | null
  /** Its share of the account's daily cap; `null`: no cap. */
  readonly allowance: Allowance | null
  /** The bytes that the account may still store. */
  readonly byteRoom: ByteRoom
  /** Unix ms after which the run stops; `null`: no limit. */
  readonly deadline: number | null
  /** Stops the run. Pages that are not committed are left to a later run. */
  readonly signal: AbortSignal
  /**
   * Earlier deliveries that killed their workers. After such deliveries, the run visits one page at
   * a time until it is past the pages of those workers.
   */
  readonly lost: number
  /** This execution's turn. When it is over, the run starts no more pages. */
  readonly turn: JobTurn
  readonly visit: (entry: FrontierRecord, signal: AbortSignal) => Promise<VisitOutcome>
  /** The source of the run's pages. */
  readonly queue: PageQueue
}

const STOP_TEXT: Record<Stop, string> = {
  exhausted: 'Nothing was left to visit',
  page_limit: 'The page limit was reached',
  credit_limit: 'The budget of credits was used up',
  balance_limit: 'The credits that the account could spend at the start were used up',
  daily_cap: "The account's daily cap of credits was reached",
  bytes_limit: 'The account has stored as many bytes as it may',
  time_limit: 'The time limit was reached',
  interrupted: 'The worker was stopped',
  gave_way: 'Paused because another account is waiting',
}

/** The reason for a stop, for the receipt of unvisited pages and for the execution itself. */
export function stopReason(stop: Stop): Reason {
  return { code: stop, message: STOP_TEXT[stop] }
}

/**
 * The same for an execution that ends with URLs without an outcome: there were too many to enter in
 * the receipt before the time limit.
 */
function endReason(stop: Stop, progress: ProgressRecord): Reason {
  const pending = pendingOf(progress)
  const { code, message } = stopReason(stop)
  if (pending === 0) return { code, message }
  const late =
    stop === 'time_limit' ? '' : ', because the time limit was reached while others were skipped'
  const left = `${pending.toLocaleString('en')} URLs were not visited, and stay pending`
  return { code, message: `${message}. ${left}${late}` }
}

/** Returns the final state that follows from the counters. */
export function verdict(
  plan: CrawlPlan,
  progress: ProgressRecord,
  stop: Stop,
): { status: 'succeeded' | 'failed' | 'timed_out'; reason: Reason | null } {
  const { outcomes, firstError, extracted, rows, filled } = progress
  if (stop === 'time_limit') return { status: 'timed_out', reason: endReason(stop, progress) }
  if ((stop === 'daily_cap' || stop === 'bytes_limit') && progress.visited === 0)
    return { status: 'failed', reason: endReason(stop, progress) }
  if (!outcomes.fetched && !outcomes.unchanged && rows === 0) {
    return {
      status: 'failed',
      reason: {
        code: 'no_page_fetched',
        message: `No page could be fetched. ${firstError ?? 'See the pages for why each was skipped.'}`,
      },
    }
  }
  if (extracted === 0)
    return {
      status: 'failed',
      reason: {
        code: 'nothing_extracted',
        message: 'No page had the label that extract.on names; does a follow rule match?',
      },
    }
  const empty = plan.columns.filter((column) => !filled[column])
  if (rows === 0 || empty.length === plan.columns.length) {
    return {
      status: 'failed',
      reason: {
        code: 'nothing_matched',
        message: `The recipe matched nothing on any page; fields without a value: ${empty.join(', ')}`,
      },
    }
  }
  return { status: 'succeeded', reason: stop === 'exhausted' ? null : endReason(stop, progress) }
}
