import type { Digest } from '../../kernel/crypto.ts'
import { jsonSize } from '../../kernel/json.ts'
import type { Row } from '../../kernel/json.ts'
import { Pace } from '../../kernel/pace.ts'
import type { Records } from '../records.ts'
import { bytesOf, countedBytes } from './count-bytes.ts'
import { NO_COUNTS } from './dataset.ts'
import { meetRows } from './meet-rows.ts'
import { keyRows } from './merge-rows.ts'
import type { KeyedRow } from './merge-rows.ts'

/** Maximum number of rows that are weighed at once, because a commit may have 50,000. */
const BATCH = 250
/** About how many characters of rows, or bytes of items before and after, are weighed at once. */
const BATCH_SIZE = 500_000
/** Number of rows that are weighed first, when the size of the changed items is not known yet. */
const FIRST = 25

/** Rows of a run that feeds a dataset. */
export interface RowsToWeigh {
  readonly account: string
  /** The dataset's id. */
  readonly dataset: string
  readonly task: string
  readonly rows: readonly (readonly [page: number, row: Row])[]
  readonly now: number
}

/**
 * Bytes that rows of a run will add to its dataset when they are merged: those of new and changed
 * items, and of changes. Rows that equal their items add none. A key that occurs in several commits
 * of the run is counted for each, because only the merge knows all rows of the run. Items that will
 * be gone are not subtracted.
 */
export async function weighRows(
  options: { readonly records: Records; readonly digest: Digest },
  { account, dataset: id, task, rows, now }: RowsToWeigh,
): Promise<number> {
  if (rows.length === 0) return 0
  const { records, digest } = options
  const [dataset, state] = await Promise.all([
    records.datasets.get(account, id),
    records.datasetStates.get(account, id),
  ])
  // The dataset was deleted. The merge will find this too.
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
  const pace = new Pace()
  const weighed = new Set<string>()
  let { slots, sequence } = state.value
  let bytes = 0
  let most = FIRST
  // Rows are read backwards as in a merge, because the last row of a key counts.
  for (let end = rows.length; end > 0;) {
    const start = startOf(rows, end, most)
    const keyed = keyRows(rows.slice(start, end), dataset.value.keyFields, digest).keyed.filter(
      (row) => isNew(weighed, row),
    )
    end = start
    const { merged, old } = await meetRows(options, {
      account,
      dataset: dataset.value,
      merge,
      slots,
      keyed,
      isMet: () => false,
    })
    slots = merged.slots
    let handled = [...old.values()].reduce((sum, item) => sum + countedBytes(item), 0)
    for (const item of merged.items) {
      const size = bytesOf(item)
      handled += size
      bytes += size - countedBytes(old.get(item.key))
      const rest = pace.step()
      if (rest) await rest
    }
    for (const change of merged.changes) {
      bytes += bytesOf({ ...change, sequence: ++sequence })
      const rest = pace.step()
      if (rest) await rest
    }
    // Short rows may change long items, and their length is known only once they are read.
    most = Math.min(BATCH, Math.ceil((BATCH_SIZE * keyed.length) / (handled + 1)) || BATCH)
    const rest = pace.step()
    if (rest) await rest
  }
  return Math.max(0, bytes)
}

/**
 * The start of the batch of rows that ends before `end`. It has up to `most` rows, and fewer if
 * they are large.
 */
function startOf(rows: RowsToWeigh['rows'], end: number, most: number): number {
  let size = 0
  for (let start = end; start > 0 && end - start < most; start--) {
    size += jsonSize(rows[start - 1]?.[1], BATCH_SIZE)
    if (size > BATCH_SIZE) return Math.min(start, end - 1)
  }
  return Math.max(0, end - most)
}

function isNew(weighed: Set<string>, { key }: KeyedRow): boolean {
  if (weighed.has(key)) return false
  weighed.add(key)
  return true
}
