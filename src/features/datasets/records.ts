import type { Json, Row } from '../../kernel/json.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** Decides after which runs an item that was not seen counts as gone. */
export type GonePolicy = 'never' | 'complete-runs' | 'always'

/** How long gone items and old changes are kept, in days. Absent: for ever. */
export interface Retention {
  readonly changesDays?: number
  readonly goneDays?: number
}

/** A dataset's settings, which its owner chooses. */
export interface DatasetRecord {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly keyFields: readonly string[]
  /**
   * The digest of long item keys. Absent in datasets of earlier versions, whose items may have keys
   * with another digest.
   */
  readonly keyDigest?: 'sha256'
  readonly gone: GonePolicy
  /** True if runs that did not succeed are merged too. */
  readonly mergePartial: boolean
  readonly retention: Retention
  /** When the retention was set. It names the daily job that applies it. `null`: no retention. */
  readonly retentionSince: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** Counts of a merge. Their sum, without `gone`, is the number of rows. */
export interface MergeCounts {
  readonly added: number
  readonly changed: number
  readonly returned: number
  readonly unchanged: number
  /** Rows whose key occurs in a later row of the same run. */
  readonly duplicate: number
  /** Rows without a value in a key field, or with one too large for an item. */
  readonly skipped: number
  /** Rows whose columns did not all fit an item. Absent in merges of an earlier version. */
  readonly cut?: number
  readonly gone: number
}

/** The state of a merge in progress. */
export interface MergeCursor extends MergeCounts {
  /** From 1, one more for each merge of the dataset. */
  readonly number: number
  readonly execution: string
  readonly task: string
  readonly at: number
  /** True if items of this task count as gone when the run did not see them. */
  readonly complete: boolean
  /** Columns of the run. */
  readonly columns: readonly string[]
  /** Paths of the columns of its rows that hold media: column names from the row down. Absent: none. */
  readonly media?: readonly (readonly string[])[]
  /**
   * Rows before this position wait to be merged. A run is read backwards, so that the last row of a
   * key is read first. `null`: none.
   */
  readonly before: readonly [segment: number, row: number] | null
  /** Items after this key still have to be checked: they may be gone. */
  readonly after: string | null
  /** The log of sightings when the merge began. Later entries are its own. */
  readonly seenFrom: number
}

/** The state of folding the log of sightings into the tables, between two merges. */
export interface FoldCursor {
  /** The last sequence number to fold. */
  readonly to: number
  /** Tables before this index are done. */
  readonly table: number
}

/** The result of a merge. */
export interface MergeSummary extends MergeCounts {
  readonly execution: string
  readonly at: number
}

/**
 * The part of a dataset that merges change. Each commit that touches items or changes checks and
 * replaces this record, so its version is the fence of the dataset.
 */
export interface DatasetStateRecord {
  readonly dataset: string
  /** Number of merges that have begun. */
  readonly merges: number
  readonly columns: readonly string[]
  /** Paths of item columns that hold media, of all runs so far. */
  readonly media?: readonly (readonly string[])[]
  readonly present: number
  readonly gone: number
  /** Sequence number of the last change. */
  readonly sequence: number
  /** Sequence number of the last change that retention has deleted. */
  readonly forgotten: number
  /** Changes since the beginning, by kind. */
  readonly totals: Readonly<Record<ChangeKind, number>>
  /** Number of slots assigned to items so far. */
  readonly slots: number
  /** The log of sightings: entries after `from` up to `to`, and the number of their rows. */
  readonly seenLog: { readonly from: number; readonly to: number; readonly rows: number }
  readonly fold: FoldCursor | null
  readonly active: MergeCursor | null
  readonly last: MergeSummary | null
}

/** A finished execution that waits to be merged. These are in order of the executions' ends. */
export interface PendingMergeRecord {
  readonly dataset: string
  readonly at: number
  readonly execution: string
}

/** The execution of a merge's number. */
export interface MergeRecord {
  readonly dataset: string
  readonly number: number
  readonly execution: string
  /** When the execution ended. */
  readonly at: number
}

/** The values of one key. They are written when they change, not each time they are seen. */
export interface ItemRecord {
  readonly dataset: string
  readonly key: string
  /** The values, without columns that have none. */
  readonly values: Row
  /** The task that saw it last. Only runs of this task can find that the item is gone. */
  readonly task: string
  /** Numbers of the first merge that had it, and of the last that changed it. */
  readonly first: number
  readonly changed: number
  /**
   * The page with the row that changed the item last, as its number in the receipt of that
   * execution. Absent: not known.
   */
  readonly page?: number
  /** Bytes of it in the account's counter. Absent: it was written before they were counted. */
  readonly bytes?: number
  readonly gone: { readonly at: number; readonly last: number; readonly slot: number } | null
}

/**
 * The row of a present item in the run that last changed it. Written when the row changes. The log
 * of sightings records runs in which the row was the same.
 */
export interface SightingRecord {
  readonly dataset: string
  readonly key: string
  /** The item's slot in the tables of last sightings. */
  readonly slot: number
  /** Number of the first merge in which the row was like this. */
  readonly merge: number
  readonly task: string
  /** Digest of the row in that merge. */
  readonly digest: string
}

/**
 * Slots of the items that a batch of rows found unchanged. One write covers all of them, wherever
 * the items are stored.
 */
export interface SeenLogRecord {
  readonly dataset: string
  /** From 1, without gaps. */
  readonly sequence: number
  readonly merge: number
  readonly slots: readonly number[]
}

/**
 * For each slot of a range: the number of the last merge that saw its item, without entries of the
 * log that are not folded yet. 0: none.
 */
export interface SeenTableRecord {
  readonly dataset: string
  readonly index: number
  readonly merges: readonly number[]
}

/** Kind of a change of an item. */
export type ChangeKind = 'added' | 'changed' | 'gone' | 'returned'

/** An entry of the feed of changes. */
export interface ItemChangeRecord {
  readonly dataset: string
  /** From 1, without gaps. */
  readonly sequence: number
  readonly kind: ChangeKind
  readonly key: string
  /** Values of the key fields. */
  readonly keyValues: readonly Json[]
  readonly merge: number
  readonly at: number
  /** Column → values before and after, for columns that differ. */
  readonly fields: Readonly<Record<string, readonly [before: Json, after: Json]>>
  /** Bytes of it in the account's counter. Absent: it was written before they were counted. */
  readonly bytes?: number
}

/** Records of datasets. */
export interface DatasetRecords {
  readonly datasets: Collection<DatasetRecord>
  readonly datasetStates: Collection<DatasetStateRecord>
  readonly pendingMerges: Collection<PendingMergeRecord>
  readonly merges: Collection<MergeRecord>
  readonly items: Collection<ItemRecord>
  readonly sightings: Collection<SightingRecord>
  readonly seenLog: Collection<SeenLogRecord>
  readonly seenTables: Collection<SeenTableRecord>
  readonly itemChanges: Collection<ItemChangeRecord>
}

/** Opens the records of datasets. */
export function openDatasetRecords(store: Store): DatasetRecords {
  return {
    datasets: new Collection<DatasetRecord>(store, { name: 'datasets', id: ({ id }) => [id] }),
    datasetStates: new Collection<DatasetStateRecord>(store, {
      name: 'dataset-states',
      id: ({ dataset }) => [dataset],
    }),
    pendingMerges: new Collection<PendingMergeRecord>(store, {
      name: 'pending-merges',
      id: ({ dataset, at, execution }) => [dataset, at, execution],
    }),
    merges: new Collection<MergeRecord>(store, {
      name: 'merges',
      id: ({ dataset, number }) => [dataset, number],
    }),
    items: new Collection<ItemRecord>(store, {
      name: 'items',
      id: ({ dataset, key }) => [dataset, key],
      indexes: {
        // The items by the task that saw them last. A run that covers its whole task goes through
        // them to find those that are gone.
        present: ({ dataset, task, gone }) => (gone ? [] : [[dataset, task]]),
        gone: ({ dataset, gone }) => (gone ? [[dataset, gone.at]] : []),
      },
    }),
    sightings: new Collection<SightingRecord>(store, {
      name: 'sightings',
      id: ({ dataset, key }) => [dataset, key],
    }),
    seenLog: new Collection<SeenLogRecord>(store, {
      name: 'seen-log',
      id: ({ dataset, sequence }) => [dataset, sequence],
    }),
    seenTables: new Collection<SeenTableRecord>(store, {
      name: 'seen-tables',
      id: ({ dataset, index }) => [dataset, index],
    }),
    itemChanges: new Collection<ItemChangeRecord>(store, {
      name: 'item-changes',
      id: ({ dataset, sequence }) => [dataset, sequence],
    }),
  }
}
