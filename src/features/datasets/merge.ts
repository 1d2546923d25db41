import { shortDigest } from '../../defaults/short-digest.ts'
import { emitEvent } from '../common/events.ts'
import { countBatch, hasChanged } from './dataset.ts'
import { LastSeen, readSeenLog, SlotMerges } from './last-seen.ts'
import { addCounts, keyRows, mergeGone } from './merge-rows.ts'
import type { MissedItem, UnnumberedChange } from './merge-rows.ts'
import { putChange, putItem } from './count-bytes.ts'
import { meetRows } from './meet-rows.ts'
import { countStored } from '../limits/stored-bytes.ts'
import { RowReader } from '../results/row-reader.ts'
import type { Digest } from '../../kernel/crypto.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import type {
  DatasetRecord,
  DatasetStateRecord,
  FoldCursor,
  ItemRecord,
  MergeCounts,
  MergeCursor,
  PendingMergeRecord,
  SightingRecord,
} from './records.ts'
import type { Records } from '../records.ts'
import { beginMerge, foldSeen, isFoldDue } from './begin-merge.ts'

const BATCH = 250
/** Maximum number of searches for gone items in one commit that find none. */
const MOST_SEARCHES = 100

/** Options of {@link DatasetMerge}. */
export interface MergeOptions {
  readonly records: Records
  readonly blobs: Blobs
  /** Default: a digest that runs on every runtime. */
  readonly digest?: Digest
  /** Rows of one commit. Default 250. */
  readonly batch?: number
  /** Rows that the log of sightings may have. Default: depends on the number of items. */
  readonly seenRows?: number
}

/**
 * Result of one step. `more`: there is more to do; `idle`: nothing waits; `overtaken`: another
 * worker was faster.
 */
export type MergeStep = 'more' | 'idle' | 'overtaken'

interface Gone extends Omit<MissedItem, 'item'> {
  readonly item: Stored<ItemRecord>
}

/** Part of the log of sightings: the entries after one and up to another. */
interface ReadLog {
  readonly after: number
  readonly to: number
  readonly merges: SlotMerges
}

/**
 * Merges the waiting runs of one dataset, one batch of rows a commit. Each commit moves the cursor
 * in the dataset's state, and succeeds only if the state has not changed since it was read. A
 * worker that repeats a batch, or commits it late, therefore changes nothing.
 */
export class DatasetMerge {
  readonly #records: Records
  readonly #blobs: Blobs
  readonly #account: string
  readonly #dataset: string
  readonly #size: number
  readonly #digest: Digest
  readonly #seenRows: number | undefined
  #reader: { readonly execution: string; readonly rows: RowReader } | null = null
  #log: ReadLog | null = null
  #lastSeen: { readonly merge: number; readonly seen: LastSeen } | null = null
  /** Bytes that the commit under way adds to items and changes. */
  #added = 0

  constructor(
    { records, blobs, digest = shortDigest, batch = BATCH, seenRows }: MergeOptions,
    account: string,
    dataset: string,
  ) {
    this.#records = records
    this.#blobs = blobs
    this.#digest = digest
    this.#account = account
    this.#dataset = dataset
    this.#size = batch
    this.#seenRows = seenRows
  }

  /** Does the next commit. */
  async step(): Promise<MergeStep> {
    const { datasets, datasetStates, pendingMerges } = this.#records
    // The state is read first. Data that is read later matches this state, or the commit fails.
    const state = await datasetStates.get(this.#account, this.#dataset)
    const [dataset, [pending]] = await Promise.all([
      datasets.get(this.#account, this.#dataset),
      pendingMerges.list(this.#account, { within: [this.#dataset], limit: 1 }),
    ])
    const change = new Change()
    this.#added = 0
    if (dataset && state?.value.fold) return this.#fold(change, state, state.value.fold)
    if (!pending) return 'idle'
    if (!dataset || !state) return this.#drop(change, pending)
    datasetStates.require(change, this.#account, state)
    const merge =
      state.value.active ??
      (await beginMerge(this.#records, this.#account, dataset.value, state.value, pending.value))
    if (!merge) return this.#drop(change, pending)
    if (!state.value.active)
      this.#records.merges.put(change, this.#account, {
        dataset: this.#dataset,
        number: merge.number,
        execution: merge.execution,
        at: merge.at,
      })
    const next = await this.#batch(change, dataset.value, state.value, merge)
    const ended = next.active && isOver(next.active) ? next.active : null
    datasetStates.put(change, this.#account, ended ? this.#end(change, next, ended) : next)
    await this.#giveBack(change, merge.execution, ended ? Infinity : this.#added)
    return this.#commit(change)
  }

  /** Ends the next merge without doing its remaining part. */
  async abandon(): Promise<MergeStep> {
    const { datasetStates, pendingMerges } = this.#records
    const state = await datasetStates.get(this.#account, this.#dataset)
    const [pending] = await pendingMerges.list(this.#account, { within: [this.#dataset], limit: 1 })
    if (!pending) return 'idle'
    const change = new Change()
    if (!state?.value.active) return this.#drop(change, pending)
    datasetStates.require(change, this.#account, state)
    datasetStates.put(change, this.#account, this.#end(change, state.value, state.value.active))
    await this.#giveBack(change, state.value.active.execution, Infinity)
    return this.#commit(change)
  }

  async #commit(change: Change): Promise<MergeStep> {
    const log = this.#log
    // The log in memory is valid only if the commit was applied, which is unknown after an error.
    this.#log = null
    if (!(await this.#records.commit(change))) return 'overtaken'
    this.#log = log
    return 'more'
  }

  async #fold(
    change: Change,
    state: Stored<DatasetStateRecord>,
    fold: FoldCursor,
  ): Promise<MergeStep> {
    this.#records.datasetStates.require(change, this.#account, state)
    const { merges } = await this.#readLog(state.value.seenLog.from, fold.to)
    this.#records.datasetStates.put(
      change,
      this.#account,
      await foldSeen(this.#records, change, this.#account, state.value, fold, merges),
    )
    return this.#commit(change)
  }

  async #batch(
    change: Change,
    dataset: DatasetRecord,
    state: DatasetStateRecord,
    merge: MergeCursor,
  ): Promise<DatasetStateRecord> {
    if (merge.before) return this.#mergeRows(change, dataset, state, merge, merge.before)
    return merge.complete
      ? this.#mergeGone(change, dataset, state, merge)
      : this.#advanced(state, merge, {}, {})
  }

  async #mergeRows(
    change: Change,
    dataset: DatasetRecord,
    state: DatasetStateRecord,
    merge: MergeCursor,
    before: NonNullable<MergeCursor['before']>,
  ): Promise<DatasetStateRecord> {
    const { rows, next } = await this.#rowsOf(merge.execution).before(before, this.#size)
    const log = await this.#readLog(merge.seenFrom, state.seenLog.to)
    const { keyed, counts } = keyRows(rows, dataset.keyFields, this.#digest)
    const { merged, old } = await meetRows(
      { records: this.#records, digest: this.#digest },
      {
        account: this.#account,
        dataset,
        merge,
        slots: state.slots,
        keyed,
        isMet: (sighting) => isMet(sighting, merge, log),
      },
    )
    for (const sighting of merged.sightings)
      this.#records.sightings.put(change, this.#account, sighting)
    this.#putItems(change, merged.items, (item) => old.get(item.key))
    const columns = [
      ...new Set([
        ...state.columns,
        ...(merge.columns.length > 0 ? merge.columns : rows.flatMap(([, row]) => Object.keys(row))),
      ]),
    ]
    this.#number(change, state, merged.changes)
    const media = merge.media ? unionOf(state.media ?? [], merge.media) : state.media
    const seenLog = this.#noteSeen(change, state, merge, log, merged.seen)
    return this.#advanced(
      { ...state, columns, ...(media && { media }), slots: merged.slots, seenLog },
      merge,
      addCounts(merged.counts, counts),
      { before: next },
    )
  }

  #noteSeen(
    change: Change,
    { dataset, seenLog }: DatasetStateRecord,
    { number }: MergeCursor,
    { after, merges }: ReadLog,
    slots: readonly number[],
  ): DatasetStateRecord['seenLog'] {
    if (slots.length === 0) return seenLog
    const sequence = seenLog.to + 1
    this.#records.seenLog.put(change, this.#account, { dataset, sequence, merge: number, slots })
    for (const slot of slots) merges.note(slot, number)
    this.#log = { after, to: sequence, merges }
    return { ...seenLog, to: sequence, rows: seenLog.rows + slots.length }
  }

  /**
   * Goes through the task's present items until a batch of them is found gone, or until the limit
   * of searches.
   */
  async #mergeGone(
    change: Change,
    dataset: DatasetRecord,
    state: DatasetStateRecord,
    merge: MergeCursor,
  ): Promise<DatasetStateRecord> {
    const missed: Gone[] = []
    const log = await this.#readLog(merge.seenFrom, state.seenLog.to)
    let after = merge.after
    for (
      let searches = 0, atEnd = false;
      !atEnd && searches < MOST_SEARCHES && missed.length < this.#size;
      searches++
    ) {
      const keys = await this.#presentAfter(merge.task, after)
      missed.push(...(await this.#missed(merge, keys, log)))
      atEnd = keys.length < this.#size
      after = atEnd ? null : (keys.at(-1) ?? null)
    }
    const { items, changes } = mergeGone(
      merge,
      missed.map(({ item, last, slot }) => ({ item: item.value, last, slot })),
      dataset.keyFields,
    )
    this.#putItems(change, items, (_item, i) => missed[i]?.item)
    for (const { key } of items)
      this.#records.sightings.drop(change, this.#account, this.#dataset, key)
    this.#number(change, state, changes)
    return this.#advanced(state, merge, { gone: items.length }, { after, complete: after !== null })
  }

  async #presentAfter(task: string, after: string | null): Promise<string[]> {
    const within = [this.#dataset, task]
    const ids = await this.#records.items.listIds('present', this.#account, {
      within,
      limit: this.#size,
      ...(after !== null && { after: [...within, this.#dataset, after] }),
    })
    return ids.map(([, key]) => String(key))
  }

  async #missed(merge: MergeCursor, keys: readonly string[], log: ReadLog): Promise<Gone[]> {
    const sightings = await this.#records.sightings.getMany(
      this.#account,
      keys.map((key) => [this.#dataset, key]),
    )
    const unseen = sightings.flatMap((sighting) =>
      sighting && !isMet(sighting.value, merge, log) ? [sighting.value] : [],
    )
    if (unseen.length === 0) return []
    const items = await this.#records.items.getMany(
      this.#account,
      unseen.map(({ key }) => [this.#dataset, key]),
    )
    if (this.#lastSeen?.merge !== merge.number)
      this.#lastSeen = {
        merge: merge.number,
        seen: new LastSeen(this.#records, this.#account, this.#dataset),
      }
    const merges = await this.#lastSeen.seen.of(unseen)
    return unseen.flatMap((sighting, i) => {
      const item = items[i]
      return item ? [{ item, last: merges[i] ?? sighting.merge, slot: sighting.slot }] : []
    })
  }

  /**
   * Reads the log after one entry and up to another. It is read once and then kept in memory,
   * together with the entries that this worker adds.
   */
  async #readLog(after: number, to: number): Promise<ReadLog> {
    if (this.#log?.after !== after || this.#log.to !== to) {
      this.#log = {
        after,
        to,
        merges:
          after === to
            ? new SlotMerges()
            : await readSeenLog(this.#records, this.#account, this.#dataset, after),
      }
    }
    return this.#log
  }

  #putItems(
    change: Change,
    items: readonly ItemRecord[],
    oldOf: (item: ItemRecord, index: number) => Stored<ItemRecord> | undefined,
  ): void {
    for (const [i, item] of items.entries())
      this.#added += putItem(this.#records, change, this.#account, oldOf(item, i), item)
  }

  #number(
    change: Change,
    { sequence }: DatasetStateRecord,
    changes: readonly UnnumberedChange[],
  ): void {
    for (const [i, itemChange] of changes.entries())
      this.#added += putChange(this.#records, change, this.#account, {
        ...itemChange,
        sequence: sequence + i + 1,
      })
  }

  #advanced(
    state: DatasetStateRecord,
    merge: MergeCursor,
    counts: Partial<MergeCounts>,
    cursor: Partial<MergeCursor>,
  ): DatasetStateRecord {
    return {
      ...countBatch(state, counts),
      merges: merge.number,
      active: { ...merge, ...addCounts(merge, counts), ...cursor },
    }
  }

  /** Ends a merge: deletes the run's pending record, and emits an event if items changed. */
  #end(change: Change, state: DatasetStateRecord, merge: MergeCursor): DatasetStateRecord {
    const {
      number,
      execution,
      task,
      at,
      added,
      changed,
      returned,
      unchanged,
      duplicate,
      skipped,
      cut = 0,
      gone,
    } = merge
    const last = {
      execution,
      at,
      added,
      changed,
      returned,
      unchanged,
      duplicate,
      skipped,
      cut,
      gone,
    }
    this.#records.pendingMerges.drop(change, this.#account, this.#dataset, at, execution)
    if (hasChanged(merge)) {
      emitEvent(this.#records, change, {
        account: this.#account,
        type: 'dataset.changed',
        id: `evt_${this.#dataset}_${number}`,
        at,
        taskId: task,
        data: { datasetId: this.#dataset, executionId: execution, added, changed, returned, gone },
      })
    }
    return {
      ...state,
      fold: isFoldDue(state, this.#seenRows) ? { to: state.seenLog.to, table: 0 } : null,
      active: null,
      last,
    }
  }

  async #drop(change: Change, pending: Stored<PendingMergeRecord>): Promise<MergeStep> {
    const { at, execution } = pending.value
    this.#records.pendingMerges.require(change, this.#account, pending)
    this.#records.pendingMerges.drop(change, this.#account, this.#dataset, at, execution)
    await this.#giveBack(change, execution, Infinity)
    return (await this.#records.commit(change)) ? 'more' : 'overtaken'
  }

  /**
   * Subtracts bytes that the run has counted in advance for its merge. Each commit subtracts as
   * many as it counts itself, and the last one subtracts the rest.
   */
  async #giveBack(change: Change, execution: string, most: number): Promise<void> {
    const { progress } = this.#records
    if (most <= 0) return
    const stored = await progress.get(this.#account, execution)
    const ahead = stored?.value.mergeBytes ?? 0
    if (!stored || ahead === 0) return
    const { mergeBytes: _ahead, ...counters } = stored.value
    const mergeBytes = ahead - Math.min(ahead, most)
    progress.require(change, this.#account, stored)
    progress.put(
      change,
      this.#account,
      countStored(this.#records, change, this.#account, stored.value, {
        ...counters,
        ...(mergeBytes > 0 && { mergeBytes }),
      }),
    )
  }

  #rowsOf(execution: string): RowReader {
    if (this.#reader?.execution !== execution)
      this.#reader = {
        execution,
        rows: new RowReader(this.#records, this.#blobs, this.#account, execution),
      }
    return this.#reader.rows
  }
}

/** True if this merge has already seen an item. */
function isMet(
  { merge, slot }: SightingRecord,
  { number }: MergeCursor,
  { merges }: ReadLog,
): boolean {
  return merge === number || merges.of(slot) === number
}

function isOver({ before, complete }: MergeCursor): boolean {
  return before === null && !complete
}

function unionOf(
  paths: readonly (readonly string[])[],
  more: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const keys = new Set(paths.map((path) => JSON.stringify(path)))
  return [...paths, ...more.filter((path) => !keys.has(JSON.stringify(path)))]
}
