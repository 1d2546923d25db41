import type { Row } from '../../kernel/json.ts'
import type {
  ChangeKind,
  DatasetRecord,
  DatasetStateRecord,
  GonePolicy,
  ItemChangeRecord,
  MergeCounts,
} from '../../records/dataset-records.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'
import type { MergeLog } from './merge-log.ts'
import type { SeenItem } from './read-items.ts'

/** How long what is over is kept, in days; `null`: for ever. */
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
  /** Columns of all runs so far, in the order they were met; before the first run the key fields. */
  readonly columns: readonly string[]
  readonly gone: GonePolicy
  readonly mergePartial: boolean
  readonly retention: DatasetRetention
  /** What there is now: items are present or gone; changes are those in the feed. */
  readonly counters: {
    readonly items: number
    readonly present: number
    readonly gone: number
    readonly changes: number
  }
  /** Changes of all times, by kind. */
  readonly totals: Readonly<Record<ChangeKind, number>>
  /** The last run that was merged as a whole; `null`: none was. */
  readonly lastMerge: (MergeCounts & { readonly executionId: string; readonly at: string }) | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** An item on the wire. */
export interface DatasetItem {
  /** The values of the key fields as a JSON list; of a long one the beginning with a digest. */
  readonly id: string
  readonly state: 'present' | 'gone'
  readonly values: Row
  /**
   * Times are the ends of the executions that saw it first, saw it last, changed it last, and
   * missed it.
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
  /** Columns that differ. Of an added item all that have a value; of a gone one none. */
  readonly fields: {
    readonly [column: string]: { readonly before: Row[string]; readonly after: Row[string] }
  }
  readonly executionId: string
  readonly at: string
}

/** What the wire shows of a dataset. */
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
      gone: last.gone,
    },
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }
}

/** See {@link Dataset.columns}. */
export function columnsOf(
  { keyFields }: DatasetRecord,
  { columns }: DatasetStateRecord,
): readonly string[] {
  return columns.length > 0 ? columns : keyFields
}

/** What the wire shows of an item; the log must have learnt {@link mergesOf} it. */
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

/** Numbers of the merges that an item names. */
export function mergesOf({ stored, last }: SeenItem): readonly number[] {
  const item = stored.value
  return [item.first, item.changed, last]
}

/** What the wire shows of a change. */
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
