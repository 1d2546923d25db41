import type { Cursors } from '../kernel/cursor.ts'
import type { Ids } from '../kernel/id.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock, RandomBytes } from '../ports/clock.ts'
import type { AccountStatus } from '../ports/authenticator.ts'
import type { Logger } from '../ports/logger.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { PlanOf } from './ledger/account-plan.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Tariff } from './ledger/plans.ts'
import type { Holdings } from './limits/holdings.ts'
import type { Shares } from './limits/shares.ts'
import type { Records } from './records.ts'

/**
 * The dependencies of every feature: the ports that store and count, and shared parts. It is passed
 * whole, so that a feature's options contain only its own.
 */
export interface Core {
  readonly records: Records
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: RandomBytes
  readonly ids: Ids
  readonly cursors: Cursors
  readonly logger: Logger
  /** `null`: nothing is traced, and tracing takes no time. */
  readonly telemetry: Telemetry | null
  /** The plans that accounts may have, and the prices of pages. */
  readonly tariff: Tariff
  readonly ledger: Ledger
  readonly planOf: PlanOf
  readonly holdings: Holdings
  readonly shares: Shares
  /**
   * The host's function that decides which accounts may be used. `null`: there is none. Call it
   * through `standingOf`.
   */
  readonly accountStatus: AccountStatus | null
  /** True if recipes and webhooks may name private addresses. */
  readonly allowPrivateNetwork: boolean
}
