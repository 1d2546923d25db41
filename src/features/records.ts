import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { openAgenticRecords } from './agentic/records.ts'
import type { AgenticRecords } from './agentic/records.ts'
import { openAuditRecords } from './audit/records.ts'
import type { AuditRecords } from './audit/records.ts'
import { openBillingRecords } from './billing/records.ts'
import type { BillingRecords } from './billing/records.ts'
import { Collection } from '../records/collection.ts'
import {
  openSharedRunRecords,
  openFoundStartRecords,
  openSuspendedRunRecords,
} from './executions/crawl-records.ts'
import type {
  SharedRunRecords,
  FoundStartRecords,
  SuspendedRunRecords,
} from './executions/crawl-records.ts'
import { openDatasetRecords } from './datasets/records.ts'
import type { DatasetRecords } from './datasets/records.ts'
import { openHoldingRecords } from './limits/records.ts'
import type { HoldingRecords } from './limits/records.ts'
import {
  openKeptPageRecords,
  openPageCacheRecords,
  openRetentionRecords,
} from './executions/page-records.ts'
import type {
  KeptPageRecords,
  PageCacheRecords,
  RetentionRecords,
} from './executions/page-records.ts'
import { openCoreRecords } from '../records/core.ts'
import type { CoreRecords } from '../records/core.ts'
import { openExecutionRecords, openLiveRecords } from './executions/records.ts'
import type { ExecutionRecords, LiveRecords } from './executions/records.ts'
import { openLedgerRecords } from './ledger/records.ts'
import type { LedgerRecords } from './ledger/records.ts'
import { openKeyRecords } from './keys/records.ts'
import type { KeyRecords } from './keys/records.ts'
import { openMediaRecords } from './media/records.ts'
import type { MediaRecords } from './media/records.ts'
import { openModelAnswerRecords } from './model-answers/records.ts'
import type { ModelAnswerRecords } from './model-answers/records.ts'
import { openPreviewRecords } from './previews/records.ts'
import type { PreviewRecords } from './previews/records.ts'
import { openSnapshotRecords } from './snapshots/records.ts'
import type { SnapshotRecords } from './snapshots/records.ts'
import { openScheduleRecords } from './schedules/records.ts'
import type { ScheduleRecords } from './schedules/records.ts'
import { openUsageRecords } from './analytics/records.ts'
import type { UsageRecords } from './analytics/records.ts'
import { openWebhookRecords } from './webhooks/records.ts'
import type { WebhookRecords } from './webhooks/records.ts'
import type { AnyCollection } from '../records/whole-store.ts'
import { openTaskRecords } from './tasks/records.ts'
import type { TaskRecords } from './tasks/records.ts'

/** All records of a store. The platform's code reaches the store's keys only through these. */
export interface Records
  extends
    CoreRecords,
    AgenticRecords,
    AuditRecords,
    BillingRecords,
    SharedRunRecords,
    LedgerRecords,
    UsageRecords,
    DatasetRecords,
    FoundStartRecords,
    HoldingRecords,
    KeptPageRecords,
    KeyRecords,
    LiveRecords,
    MediaRecords,
    ModelAnswerRecords,
    PageCacheRecords,
    PreviewRecords,
    SnapshotRecords,
    SuspendedRunRecords,
    RetentionRecords,
    ScheduleRecords,
    TaskRecords,
    ExecutionRecords,
    WebhookRecords {}

/** Opens the records of a store. */
export function createRecords(store: Store, telemetry: Telemetry | null = null): Records {
  return {
    ...openCoreRecords(store, telemetry),
    ...openAgenticRecords(store),
    ...openAuditRecords(store),
    ...openBillingRecords(store),
    ...openSharedRunRecords(store),
    ...openLedgerRecords(store),
    ...openUsageRecords(store),
    ...openDatasetRecords(store),
    ...openFoundStartRecords(store),
    ...openHoldingRecords(store),
    ...openKeptPageRecords(store),
    ...openKeyRecords(store),
    ...openLiveRecords(store),
    ...openMediaRecords(store),
    ...openModelAnswerRecords(store),
    ...openPageCacheRecords(store),
    ...openPreviewRecords(store),
    ...openSnapshotRecords(store),
    ...openSuspendedRunRecords(store),
    ...openRetentionRecords(store),
    ...openScheduleRecords(store),
    ...openWebhookRecords(store),
    ...openTaskRecords(store),
    ...openExecutionRecords(store, telemetry),
  }
}

/** Every collection, for code that goes through a whole store. */
export function collectionsOf(records: Records): readonly AnyCollection[] {
  return Object.values(records).filter(
    (part): part is Collection<never> => part instanceof Collection,
  )
}
