import type { ChangeKind, DatasetStateRecord, MergeCounts } from '../../records/dataset-records.ts'

/** Counts of a merge that has done nothing yet. */
export const NO_COUNTS: MergeCounts = {
  added: 0,
  changed: 0,
  returned: 0,
  unchanged: 0,
  duplicate: 0,
  skipped: 0,
  gone: 0,
}

const KINDS: readonly ChangeKind[] = ['added', 'changed', 'gone', 'returned']

/** The state of a dataset that no run has given rows to. */
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

/** Whether a merge found any difference. */
export function hasChanged(counts: MergeCounts): boolean {
  return KINDS.some((kind) => counts[kind] > 0)
}
