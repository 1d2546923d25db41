import type { Row } from '../../../src/kernel/json.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import { Change } from '../../../src/records/change.ts'
import type { DatasetRecord } from '../../../src/features/datasets/records.ts'
import { emptyProgress } from '../../../src/features/executions/records.ts'
import type { Records } from '../../../src/features/records.ts'
import type { ExecutionRecord, ProgressRecord } from '../../../src/features/executions/records.ts'
import { emptyState } from '../../../src/features/datasets/dataset.ts'

/** The account and the dataset of {@link makeDataset}. */
export const ACCOUNT = 'acme'
export const DATASET = 'ds_1'

/** Writes an empty dataset like the service. */
export async function makeDataset(
  records: Records,
  facts: Partial<DatasetRecord> = {},
): Promise<void> {
  const change = new Change()
  records.datasets.insert(change, ACCOUNT, {
    id: DATASET,
    name: 'Shop',
    description: '',
    keyFields: ['sku'],
    keyDigest: 'sha256',
    gone: 'complete-runs',
    mergePartial: false,
    retention: {},
    retentionSince: null,
    createdAt: 0,
    updatedAt: 0,
    ...facts,
  })
  records.datasetStates.put(change, ACCOUNT, emptyState(DATASET))
  await records.commit(change)
}

/** A run that has ended and waits to be merged. */
export interface FinishedRun {
  readonly id: string
  readonly task?: string
  readonly at: number
  /** Rows, a list for each segment. */
  readonly segments: readonly (readonly Row[])[]
  readonly execution?: Partial<ExecutionRecord>
  readonly progress?: Partial<ProgressRecord>
}

const columns = (rows: readonly Row[]) => [...new Set(rows.flatMap(Object.keys))]

/** Writes a finished run like the worker. */
export async function finishRun(
  records: Records,
  blobs: Blobs,
  { id, task = 'task_1', at, segments, execution, progress }: FinishedRun,
): Promise<void> {
  const change = new Change()
  let offset = 0
  for (const [index, rows] of segments.entries()) {
    const blob = `rows/${id}/${index}.jsonl`
    await blobs.put(
      blob,
      new TextEncoder().encode(rows.map((row, i) => JSON.stringify([i, row])).join('\n')),
    )
    records.segments.put(change, ACCOUNT, { execution: id, index, blob, rows: rows.length, offset })
    offset += rows.length
  }
  const fields = Object.fromEntries(columns(segments.flat()).map((column) => [column, 'b']))
  records.executions.insert(change, ACCOUNT, {
    id,
    taskId: task,
    recipe: {
      start: { urls: ['https://shop.example.com/'] },
      extract: { fields: Object.keys(fields).length > 0 ? fields : { sku: 'b' } },
    },
    status: 'succeeded',
    reason: null,
    retryOf: null,
    datasetId: DATASET,
    createdAt: 0,
    startedAt: 0,
    finishedAt: at,
    updatedAt: at,
    ...execution,
  })
  records.progress.put(change, ACCOUNT, {
    ...emptyProgress(id),
    rows: offset,
    segments: segments.length,
    ...progress,
  })
  records.pendingMerges.put(change, ACCOUNT, { dataset: DATASET, at, execution: id })
  await records.commit(change)
}
