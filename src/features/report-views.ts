import type { DatasetRecord, ItemChangeRecord, ItemRecord } from './datasets/records.ts'
import type { LedgerEntry, StatementRecord, WalletRecord } from './ledger/records.ts'
import type { JobRecord } from '../records/core.ts'
import type { ExecutionRecord, ProgressRecord, VisitRecord } from './executions/records.ts'
import type { TaskRecord } from './tasks/records.ts'

/** Type of a column. `time`: Unix milliseconds, which SQL shows as a timestamp. */
export type ReportType = 'text' | 'integer' | 'number' | 'json' | 'time'

/** A column of a view. */
export interface ReportColumn {
  readonly name: string
  readonly type: ReportType
  /**
   * Path of members in the value, from the outside in, where an empty path is the value itself. Or
   * the index of a part of the key.
   */
  readonly from: readonly string[] | number
}

/** A view of one kind of records for an operator's own SQL, in stores whose database supports views. */
export interface ReportView {
  readonly name: string
  readonly collection: string
  /** The first column is the account. */
  readonly columns: readonly ReportColumn[]
  /** Filter: only entries with this text as a part of their key. */
  readonly only?: { readonly part: number; readonly is: string }
}

/** Member paths of a record. */
type Path<T> = {
  [K in keyof T & string]:
    | K
    | (NonNullable<T[K]> extends readonly unknown[]
        ? never
        : NonNullable<T[K]> extends object
          ? `${K}.${keyof NonNullable<T[K]> & string}`
          : never)
}[keyof T & string]

const ACCOUNT: ReportColumn = { name: 'account', type: 'text', from: 0 }

function viewOf<T>(
  name: string,
  collection: string,
  members: Readonly<Partial<Record<Path<T>, ReportType>>>,
): ReportView {
  const columns = Object.entries<ReportType | undefined>(members).flatMap(([path, type]) =>
    type ? [{ name: snake(path), type, from: path.split('.') }] : [],
  )
  return { name, collection, columns: [ACCOUNT, ...columns] }
}

/**
 * A view of the counters of one bucket size, one counter a row. Key:
 * `['account', 'usage', series, size, start, metric]`.
 */
function usageOf(name: string, size: string): ReportView {
  return {
    name,
    collection: 'usage',
    columns: [
      ACCOUNT,
      { name: 'series', type: 'text', from: 2 },
      { name: 'start', type: 'time', from: 4 },
      { name: 'metric', type: 'text', from: 5 },
      { name: 'value', type: 'number', from: [] },
    ],
    only: { part: 3, is: size },
  }
}

/**
 * The views that SQL stores ship. They are defined here because only this folder knows how records
 * are stored. Rows of executions are in blobs and have no view; rows of datasets are in
 * `dataset_items`.
 */
export const REPORT_VIEWS: readonly ReportView[] = [
  viewOf<TaskRecord>('tasks', 'tasks', {
    id: 'text',
    name: 'text',
    status: 'text',
    labels: 'json',
    datasetId: 'text',
    createdAt: 'time',
    updatedAt: 'time',
  }),
  viewOf<ExecutionRecord>('executions', 'executions', {
    id: 'text',
    taskId: 'text',
    templateId: 'text',
    status: 'text',
    'reason.code': 'text',
    'reason.message': 'text',
    retryOf: 'text',
    datasetId: 'text',
    reserved: 'integer',
    createdAt: 'time',
    startedAt: 'time',
    finishedAt: 'time',
  }),
  viewOf<ProgressRecord>('progress', 'progress', {
    execution: 'text',
    discovered: 'integer',
    visited: 'integer',
    outcomes: 'json',
    rows: 'integer',
    bytes: 'integer',
    credits: 'integer',
    errors: 'json',
    firstError: 'text',
  }),
  viewOf<VisitRecord>('pages', 'visits', {
    execution: 'text',
    seq: 'integer',
    url: 'text',
    finalUrl: 'text',
    label: 'text',
    depth: 'integer',
    outcome: 'text',
    'reason.code': 'text',
    httpStatus: 'integer',
    rows: 'integer',
    bytes: 'integer',
    durationMs: 'number',
    credits: 'integer',
    at: 'time',
  }),
  viewOf<DatasetRecord>('datasets', 'datasets', {
    id: 'text',
    name: 'text',
    keyFields: 'json',
    createdAt: 'time',
    updatedAt: 'time',
  }),
  viewOf<ItemRecord>('dataset_items', 'items', {
    dataset: 'text',
    key: 'text',
    values: 'json',
    task: 'text',
    'gone.at': 'time',
  }),
  viewOf<ItemChangeRecord>('dataset_changes', 'item-changes', {
    dataset: 'text',
    sequence: 'integer',
    kind: 'text',
    key: 'text',
    fields: 'json',
    at: 'time',
  }),
  viewOf<LedgerEntry>('ledger', 'ledger', {
    id: 'text',
    period: 'text',
    at: 'time',
    kind: 'text',
    cause: 'text',
    'moves.wallet': 'integer',
    'moves.held': 'integer',
    'moves.revenue': 'integer',
    'moves.grants': 'integer',
    'moves.expired': 'integer',
    execution: 'text',
    task: 'text',
    note: 'text',
  }),
  viewOf<WalletRecord>('wallets', 'wallet', {
    'credits.wallet': 'integer',
    'credits.held': 'integer',
    'credits.revenue': 'integer',
    'credits.grants': 'integer',
    'credits.expired': 'integer',
  }),
  viewOf<StatementRecord>('statements', 'statements', {
    period: 'text',
    plan: 'text',
    closedAt: 'time',
    'opening.wallet': 'integer',
    'closing.wallet': 'integer',
    entries: 'integer',
  }),
  usageOf('usage_by_hour', 'hour'),
  usageOf('usage_by_day', 'day'),
  viewOf<JobRecord>('jobs', 'jobs', {
    id: 'text',
    kind: 'text',
    lane: 'text',
    dueAt: 'time',
    attempt: 'integer',
  }),
]

function snake(path: string): string {
  return path.replaceAll('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
