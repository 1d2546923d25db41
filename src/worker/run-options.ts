import type { HostTurn, Politeness } from '../engine/site/politeness.ts'
import type { Plan } from '../engine/plan/plan.ts'
import type { PriceTable } from '../kernel/price.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Turn } from '../ports/queue.ts'
import type { FrontierRecord } from '../records/types.ts'
import type { Allowance } from './allowance.ts'
import type { Crew } from './crew.ts'
import type { Fence } from './fence.ts'
import type { Frontier } from './frontier.ts'
import type { Journal } from './journal.ts'
import type { PageOutcome } from './outcome.ts'

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
  readonly crew: Crew | null
}
