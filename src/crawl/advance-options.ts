import type { Robots } from '../engine/site/robots.ts'
import type { Egress } from '../engine/egress/types.ts'
import type { ReadByModel } from '../engine/model/model-reader.ts'
import type { Renderer } from '../engine/render/renderer.ts'
import type { PagesOf } from '../features/ledger/account-plan.ts'
import type { FindStarts } from '../features/common/find-starts.ts'
import type { Ledger } from '../features/ledger/ledger.ts'
import type { PriceTable } from '../kernel/price.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { PdfReader } from '../ports/pdf-reader.ts'
import type { JobTurn } from '../ports/queue.ts'
import type { Stored } from '../records/collection.ts'
import type { Records } from '../features/records.ts'
import type { ExecutionRecord } from '../features/executions/records.ts'
import type { LocalRuns } from './shared/peers.ts'
import type { Fence } from './commit/fence.ts'
import type { KeptSource } from './archive/kept-source.ts'
import type { MediaSettings } from './shared/open-media.ts'

export interface AdvanceOptions {
  readonly records: Records
  readonly blobs: Blobs
  readonly egress: Egress
  readonly findStarts: FindStarts
  readonly robots: Robots
  /** `null`: there is no browser. */
  readonly renderer: Renderer | null
  readonly readPdf: PdfReader
  /** `null`: there is no model. */
  readonly model: ReadByModel | null
  readonly clock: Clock
  readonly logger: Logger
  /** Returns the processor that turns an account's pages into rows. */
  readonly pagesOf: PagesOf
  /** Lease of a fence, in ms. A holder that does not renew it in this time can lose the fence. */
  readonly leaseMs: number
  readonly ledger: Ledger
  readonly prices: PriceTable
  /** Called after each commit that changed an execution. */
  readonly changed: (executionId: string) => void
  readonly media: MediaSettings
  /** The most bytes of pages to keep for an execution. */
  readonly keepBytes: number
  /** Processes that may work on one execution; 1: its holder alone. */
  readonly share: number
  readonly crewmates: LocalRuns
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
  /** Deliveries in a row, up to this one, whose worker died with the execution. */
  readonly lost: number
  readonly turn: JobTurn
  /** Start of the execution's time limit, in Unix milliseconds. */
  readonly startedAt: number
  /** Kept pages to read instead of the web; `null`: the web itself. */
  readonly source: KeptSource | null
}
