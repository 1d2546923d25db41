import type { Row } from '../../kernel/json.ts'
import type {
  ChangeKind,
  DatasetRecord,
  DatasetStateRecord,
  GonePolicy,
  ItemChangeRecord,
  MergeCounts,
} from './records.ts'
import { isoTime, isoTimeOrNull } from '../common/time.ts'
import type { Records } from '../records.ts'
import type { MergeLog, SeenItem } from './items.ts'

/** How long gone items and old changes are kept, in days. `null`: for ever. */
export interface DatasetRetention {
  readonly changesDays: number | null
  readonly goneDays: number | null
}

/** A dataset on the wire. */
export interface Dataset {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly keyFields: readonly string[]
  /**
   * Columns of all runs so far, in the order they were first seen. Before the first run: the key
   * fields.
   */
  readonly columns: readonly string[]
  readonly gone: GonePolicy
  readonly mergePartial: boolean
  readonly retention: DatasetRetention
  /** Current counts. Items are present or gone; changes are those in the feed. */
  readonly counters: {
    readonly items: number
    readonly present: number
    readonly gone: number
    readonly changes: number
  }
  /** Changes since the beginning, by kind. */
  readonly totals: Readonly<Record<ChangeKind, number>>
  /** The last run that was merged completely. `null`: no run. */
  readonly lastMerge: (MergeCounts & { readonly executionId: string; readonly at: string }) | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** An item on the wire. */
export interface DatasetItem {
  /** Origin of the row that changed it last. Present if the caller asked for it. */
  readonly origin?: ItemOrigin
  /** The values of the key fields as a JSON list. A long list is cut and ends with a digest. */
  readonly id: string
  readonly state: 'present' | 'gone'
  readonly values: Row
  /**
   * Each time is the end of an execution: the one that first saw the item, last saw it, last
   * changed it, or found it gone.
   */
  readonly firstSeenAt: string
  readonly lastSeenAt: string
  readonly changedAt: string
  readonly goneAt: string | null
  readonly firstExecutionId: string
  readonly lastExecutionId: string
}

/** An entry of the feed of changes on the wire. */
export interface DatasetChange {
  /** Grows with every change of the dataset. */
  readonly sequence: number
  readonly kind: ChangeKind
  readonly itemId: string
  /** Key field → value. */
  readonly key: Row
  /** Columns that differ. An added item has all columns with a value, a gone item none. */
  readonly fields: {
    readonly [column: string]: { readonly before: Row[string]; readonly after: Row[string] }
  }
  readonly executionId: string
  readonly at: string
}

/** Converts a dataset from its records to the wire. */
export function datasetOf(dataset: DatasetRecord, state: DatasetStateRecord): Dataset {
  const { id, name, description, keyFields, gone, mergePartial, retention, createdAt, updatedAt } =
    dataset
  const { last, present, totals } = state
  return {
    id,
    name,
    description,
    keyFields,
    columns: columnsOf(dataset, state),
    gone,
    mergePartial,
    retention: { changesDays: retention.changesDays ?? null, goneDays: retention.goneDays ?? null },
    counters: {
      items: present + state.gone,
      present,
      gone: state.gone,
      changes: state.sequence - state.forgotten,
    },
    totals,
    lastMerge: last && {
      executionId: last.execution,
      at: isoTime(last.at),
      added: last.added,
      changed: last.changed,
      returned: last.returned,
      unchanged: last.unchanged,
      duplicate: last.duplicate,
      skipped: last.skipped,
      cut: last.cut ?? 0,
      gone: last.gone,
    },
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }
}

/** The origin of an item's row. */
export interface ItemOrigin {
  readonly executionId: string
  /** URL of its page. `null`: not known, or the execution was deleted. */
  readonly page: string | null
}

/** Reads the origins of items. Call {@link mergesOf} before, so that the log has read their merges. */
export async function originsOf(
  records: Records,
  account: string,
  items: readonly SeenItem[],
  log: MergeLog,
): Promise<readonly ItemOrigin[]> {
  const executions = items.map(({ stored }) => log.of(stored.value.changed).execution)
  const visits = await records.visits.getMany(
    account,
    // No page has the number -1.
    items.map(({ stored }, i) => [executions[i] ?? '', stored.value.page ?? -1]),
  )
  return executions.map((executionId, i) => {
    const visit = visits[i]?.value
    return { executionId, page: visit ? (visit.finalUrl ?? visit.url) : null }
  })
}

/** See {@link Dataset.columns}. */
export function columnsOf(
  { keyFields }: DatasetRecord,
  { columns }: DatasetStateRecord,
): readonly string[] {
  return columns.length > 0 ? columns : keyFields
}

/** Converts an item to the wire. Call {@link mergesOf} before, so that the log has read its merges. */
export function itemOf({ stored, last }: SeenItem, values: Row, log: MergeLog): DatasetItem {
  const item = stored.value
  const [first, seen] = [log.of(item.first), log.of(last)]
  return {
    id: item.key,
    state: item.gone ? 'gone' : 'present',
    values,
    firstSeenAt: isoTime(first.at),
    lastSeenAt: isoTime(seen.at),
    changedAt: isoTime(log.of(item.changed).at),
    goneAt: isoTimeOrNull(item.gone?.at ?? null),
    firstExecutionId: first.execution,
    lastExecutionId: seen.execution,
  }
}

/** Numbers of the merges that an item refers to. */
export function mergesOf({ stored, last }: SeenItem): readonly number[] {
  const item = stored.value
  return [item.first, item.changed, last]
}

/** Converts a change to the wire. */
export function changeOf(
  { sequence, kind, key, keyValues, merge, at, fields }: ItemChangeRecord,
  { keyFields }: DatasetRecord,
  log: MergeLog,
): DatasetChange {
  return {
    sequence,
    kind,
    itemId: key,
    key: Object.fromEntries(keyFields.map((field, i) => [field, keyValues[i] ?? null])),
    fields: Object.fromEntries(
      Object.entries(fields).map(([column, [before, after]]) => [column, { before, after }]),
    ),
    executionId: log.of(merge).execution,
    at: isoTime(at),
  }
}

/** Counts of a merge that has not started. */
export const NO_COUNTS: MergeCounts = {
  added: 0,
  changed: 0,
  returned: 0,
  unchanged: 0,
  duplicate: 0,
  skipped: 0,
  cut: 0,
  gone: 0,
}

const KINDS: readonly ChangeKind[] = ['added', 'changed', 'gone', 'returned']

/** The state of a dataset into which no run was merged. */
export function emptyState(dataset: string): DatasetStateRecord {
  return {
    dataset,
    merges: 0,
    columns: [],
    present: 0,
    gone: 0,
    sequence: 0,
    forgotten: 0,
    totals: { added: 0, changed: 0, gone: 0, returned: 0 },
    slots: 0,
    seenLog: { from: 0, to: 0, rows: 0 },
    fold: null,
    active: null,
    last: null,
  }
}

/** A state's counters after a batch. */
export function countBatch(
  state: DatasetStateRecord,
  batch: Partial<MergeCounts>,
): DatasetStateRecord {
  const { added, changed, gone, returned } = { ...NO_COUNTS, ...batch }
  return {
    ...state,
    present: state.present + added + returned - gone,
    gone: state.gone + gone - returned,
    sequence: state.sequence + added + changed + gone + returned,
    totals: {
      added: state.totals.added + added,
      changed: state.totals.changed + changed,
      gone: state.totals.gone + gone,
      returned: state.totals.returned + returned,
    },
  }
}

/** True if a merge found any difference. */
export function hasChanged(counts: MergeCounts): boolean {
  return KINDS.some((kind) => counts[kind] > 0)
}
