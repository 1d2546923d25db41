import type { Digest } from '../../kernel/crypto.ts'
import { Pace } from '../../kernel/pace.ts'
import type { Records } from '../records.ts'
import { bytesOf, countedBytes } from './count-bytes.ts'
import { NO_COUNTS } from './dataset.ts'
import { meetRows } from './meet-rows.ts'
import type { RowsToMeet } from './meet-rows.ts'

/** Rows of a run that feeds a dataset. */
export interface RowsToWeigh extends Pick<RowsToMeet, 'account' | 'rows'> {
  /** The dataset's id. */
  readonly dataset: string
  readonly task: string
  readonly now: number
}

/**
 * Bytes that rows of a run will add to its dataset when they are merged: those of new and changed
 * items, and of changes. Rows that are there already add none. A key that the run has several times
 * is weighed as often, because the merge alone knows the run whole. What goes is not foreseen.
 */
export async function weighRows(
  options: { readonly records: Records; readonly digest: Digest },
  { account, dataset: id, task, rows, now }: RowsToWeigh,
): Promise<number> {
  if (rows.length === 0) return 0
  const { records } = options
  const [dataset, state] = await Promise.all([
    records.datasets.get(account, id),
    records.datasetStates.get(account, id),
  ])
  // It was deleted. The merge will find that too.
  if (!dataset || !state) return 0
  const merge = {
    ...NO_COUNTS,
    number: state.value.merges + 1,
    execution: '',
    task,
    at: now,
    complete: false,
    columns: [],
    before: null,
    after: null,
    seenFrom: 0,
  }
  const { slots, sequence } = state.value
  const { merged, old } = await meetRows(options, {
    account,
    dataset: dataset.value,
    merge,
    slots,
    rows,
    isMet: () => false,
  })
  const pace = new Pace()
  let bytes = 0
  for (const item of merged.items) {
    bytes += bytesOf(item) - countedBytes(old.get(item.key))
    const rest = pace.step()
    if (rest) await rest
  }
  for (const [i, change] of merged.changes.entries()) {
    bytes += bytesOf({ ...change, sequence: sequence + i + 1 })
    const rest = pace.step()
    if (rest) await rest
  }
  return Math.max(0, bytes)
}
