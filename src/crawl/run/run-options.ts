import type { HostTurn, Politeness } from '../../engine/site/politeness.ts'
import type { Plan } from '../../engine/plan/plan.ts'
import type { PriceTable } from '../../kernel/price.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Turn } from '../../ports/queue.ts'
import type { FrontierRecord, ProgressRecord, Reason } from '../../features/executions/records.ts'
import type { Allowance } from './allowance.ts'
import type { Coordinator } from '../shared/coordinator.ts'
import type { Fence } from '../commit/fence.ts'
import type { Frontier } from '../commit/frontier.ts'
import type { Journal } from '../commit/journal.ts'
import type { PageOutcome } from '../visit/outcome.ts'

/** Why a run stopped taking up pages. */
export type Stop =
  | 'exhausted'
  | 'page_limit'
  | 'credit_limit'
  | 'daily_cap'
  | 'time_limit'
  | 'interrupted'
  | 'gave_way'

/** What whoever takes the run up again has to know. */
export interface Rest {
  /** When there is something to visit, Unix ms. */
  readonly resumeAt: number
  readonly hosts: readonly HostTurn[]
}

/** What a run works with. */
export interface RunOptions {
  readonly plan: Plan
  readonly journal: Journal
  readonly frontier: Frontier
  readonly fence: Fence
  readonly politeness: Politeness
  readonly clock: Clock
  readonly logger: Logger
  readonly leaseMs: number
  readonly prices: PriceTable
  /** The most that the execution may cost in all; `null`: no limit. */
  readonly maxCredits: number | null
  /** What it may spend of the account's day; `null`: as much as it likes. */
  readonly allowance: Allowance | null
  /** Unix ms after which the run stops; `null`: no limit. */
  readonly deadline: number | null
  /** Stops the run, leaving what is not committed to a later one. */
  readonly signal: AbortSignal
  /**
   * Deliveries before this one that have killed their workers: where there are some, one page is
   * visited at a time until none of those that they had is left.
   */
  readonly lost: number
  /** Once it is over, the pages under way are the last. */
  readonly turn: Turn
  readonly visit: (entry: FrontierRecord, signal: AbortSignal) => Promise<PageOutcome>
  /** Whether a page is at hand without asking its host. */
  readonly isCached: (entry: FrontierRecord) => boolean
  /**
   * Does what `visit` asks for, with other processes, and keeps the hosts' turns; `null`: all is
   * done here.
   */
  readonly crew: Coordinator | null
}

const STOP_TEXT: Record<Stop, string> = {
  exhausted: 'Nothing was left to visit',
  page_limit: 'The limit of pages was reached',
  credit_limit: 'The budget of credits was used up',
  daily_cap: 'The credits that the account may spend in a day were used up',
  time_limit: 'The time limit was reached',
  interrupted: 'The worker was stopped',
  gave_way: 'Another account had its turn',
}

/** Why an execution stopped, for the receipt of what it left unvisited and for its own reason. */
export function stopReason(stop: Stop): Reason {
  return { code: stop, message: STOP_TEXT[stop] }
}

/** The final state that the counters call for. */
export function verdict(
  plan: Plan,
  progress: ProgressRecord,
  stop: Stop,
): { status: 'succeeded' | 'failed' | 'timed_out'; reason: Reason | null } {
  const { outcomes, firstError, extracted, rows, filled } = progress
  if (stop === 'time_limit') return { status: 'timed_out', reason: stopReason(stop) }
  if (stop === 'daily_cap' && progress.visited === 0)
    return { status: 'failed', reason: stopReason(stop) }
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
  return { status: 'succeeded', reason: stop === 'exhausted' ? null : stopReason(stop) }
}
