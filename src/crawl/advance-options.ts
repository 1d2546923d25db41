import type { Digest } from '../kernel/crypto.ts'
import type { PriceTable } from '../kernel/price.ts'
import type { StillLeases } from '../kernel/leases.ts'
import type { WebAccess } from '../features/common/web-access.ts'
import type { Core } from '../features/core.ts'
import type { JobTurn } from '../ports/queue.ts'
import type { Stored } from '../records/collection.ts'
import type { ExecutionRecord } from '../features/executions/records.ts'
import type { LocalRuns } from './shared/peers.ts'
import type { Fence } from './commit/fence.ts'
import type { KeptSource } from './archive/kept-source.ts'
import type { MediaSettings } from './shared/open-media.ts'

/** Dependencies and settings of work on executions. */
export interface AdvanceOptions extends Core, WebAccess {
  /** SHA-256, as merges compute it. */
  readonly digest: Digest
  /** Lease of a fence, in ms. A holder that does not renew it in this time can lose the fence. */
  readonly leaseMs: number
  readonly prices: PriceTable
  /** Called after each commit that changed an execution. */
  readonly changed: (executionId: string) => void
  readonly media: MediaSettings
  /** Maximum number of bytes of pages that are kept for an execution. */
  readonly keepBytes: number
  /** Maximum number of processes that work on one execution. 1: its holder alone. */
  readonly share: number
  readonly localRuns: LocalRuns
  /** Leases of fences and memberships that end too far in the future. */
  readonly stillLeases: StillLeases
  /** A fresh name for the holder of a fence. */
  readonly newHolder: () => string
}

/** An execution whose fence this worker holds. */
export interface Held extends AdvanceOptions {
  readonly account: string
  readonly execution: Stored<ExecutionRecord>
  readonly fence: Fence
  /** Aborts when the worker has to stop. */
  readonly signal: AbortSignal
  /** Number of consecutive earlier deliveries whose worker died with the execution. */
  readonly lost: number
  readonly turn: JobTurn
  /** Start of the execution's time limit, in Unix milliseconds. */
  readonly startedAt: number
  /** Kept pages to read instead of the web; `null`: the web itself. */
  readonly source: KeptSource | null
}
