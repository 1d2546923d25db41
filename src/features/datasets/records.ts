import type { Json, Row } from '../../kernel/json.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** After which runs an item that was not seen counts as gone. */
export type GonePolicy = 'never' | 'complete-runs' | 'always'

/** How long what is over is kept, in days; absent: for ever. */
export interface Retention {
  readonly changesDays?: number
  readonly goneDays?: number
}

/** What its owner says of a dataset. */
export interface DatasetRecord {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly keyFields: readonly string[]
  /**
   * By what long keys of items are told apart. Absent in datasets of earlier versions: their items
   * may have keys that were made otherwise.
   */
  readonly keyDigest?: 'sha256'
  readonly gone: GonePolicy
  /** Whether runs that did not succeed give their rows too. */
  readonly mergePartial: boolean
  readonly retention: Retention
  /** When the retention was set; names the daily job that holds it. `null`: there is none. */
  readonly retentionSince: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** What a merge has counted. Their sum, without `gone`, is the number of rows. */
export interface MergeCounts {
  readonly added: number
  readonly changed: number
  readonly returned: number
  readonly unchanged: number
  /** Rows whose key a later row of the same run has too. */
  readonly duplicate: number
  /** Rows without a value in a key field. */
  readonly skipped: number
  readonly gone: number
}

/** A merge that is under way: what is still to do. */
export interface MergeCursor extends MergeCounts {
  /** From 1, one more for each merge of the dataset. */
  readonly number: number
  readonly execution: string
  readonly task: string
  readonly at: number
  /** Whether items of this task that were not seen are gone. */
  readonly complete: boolean
  /** Columns of the run. */
  readonly columns: readonly string[]
  /** Where its rows have media: names of columns, from the row's own down. Absent: nowhere. */
  readonly media?: readonly (readonly string[])[]
  /**
   * Rows before this position wait to be merged: a run is read backwards, so that the last row of a
   * key is met first. `null`: none.
   */
  readonly before: readonly [segment: number, row: number] | null
  /** Key after which items wait to be looked at for whether they are gone. */
  readonly after: string | null
  /** The log of sightings when it began: what comes after is its own. */
  readonly seenFrom: number
}

/** Moving the log of sightings into the tables, between two merges. */
export interface FoldCursor {
  /** The last sequence number that is moved. */
  readonly to: number
  /** Tables before this index are done. */
  readonly table: number
}

/** What a merge came to. */
export interface MergeSummary extends MergeCounts {
  readonly execution: string
  readonly at: number
}

/**
 * All of a dataset that merges move. Each commit that touches items or changes checks and replaces
 * this record, so that its version is the fence of the dataset.
 */
export interface DatasetStateRecord {
  readonly dataset: string
  /** Merges that have begun. */
  readonly merges: number
  readonly columns: readonly string[]
  /** Where items have media, of all runs so far. */
  readonly media?: readonly (readonly string[])[]
  readonly present: number
  readonly gone: number
  /** Sequence number of the last change. */
  readonly sequence: number
  /** Sequence number of the last change that retention has dropped. */
  readonly forgotten: number
  /** Changes of all times, by kind. */
  readonly totals: Readonly<Record<ChangeKind, number>>
  /** Slots given to items so far. */
  readonly slots: number
  /** The log of sightings: entries after `from` up to `to`, and their rows. */
  readonly seenLog: { readonly from: number; readonly to: number; readonly rows: number }
  readonly fold: FoldCursor | null
  readonly active: MergeCursor | null
  readonly last: MergeSummary | null
}

/** A finished execution that waits to be merged, in the order of the executions' ends. */
export interface PendingMergeRecord {
  readonly dataset: string
  readonly at: number
  readonly execution: string
}

/** The execution behind a merge's number. */
export interface MergeRecord {
  readonly dataset: string
  readonly number: number
  readonly execution: string
  /** When the execution ended. */
  readonly at: number
}

/** The values of one key. Written when they change, not when they are seen. */
export interface ItemRecord {
  readonly dataset: string
  readonly key: string
  /** Without the columns that have no value. */
  readonly values: Row
  /** The task that saw it last: only its runs can tell that the item is gone. */
  readonly task: string
  /** Number of the first merge that had it, and of the last that changed it. */
  readonly first: number
  readonly changed: number
  readonly gone: { readonly at: number; readonly last: number; readonly slot: number } | null
}

/**
 * How the last run had a present item. Written when that changes; where it was the same again, the
 * log of sightings says.
 */
export interface SightingRecord {
  readonly dataset: string
  readonly key: string
  /** The item's place in the tables of last sightings. */
  readonly slot: number
  /** Number of the first merge that had it like this. */
  readonly merge: number
  readonly task: string
  /** Digest of the row as that merge had it. */
  readonly digest: string
}

/**
 * Slots of items that a batch of rows had as they were: one write for all of them, wherever they
 * are.
 */
export interface SeenLogRecord {
  readonly dataset: string
  /** From 1, without gaps. */
  readonly sequence: number
  readonly merge: number
  readonly slots: readonly number[]
}

/**
 * Numbers of the merges that saw the items of neighbouring slots last, as far as the log has been
 * moved here; 0: none.
 */
export interface SeenTableRecord {
  readonly dataset: string
  readonly index: number
  readonly merges: readonly number[]
}

/** What can happen to an item. */
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
  /** Column → value before and after, of those that differ. */
  readonly fields: Readonly<Record<string, readonly [before: Json, after: Json]>>
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
        // What a run that covers all of its task looks through: as many items as it saw, and those
        // that are gone now.
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
