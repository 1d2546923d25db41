import type { SlotMerges } from '../features/datasets/slot-merges.ts'
import type { Change } from '../records/change.ts'
import type { DatasetStateRecord, FoldCursor } from '../records/dataset-records.ts'
import type { Records } from '../records/records.ts'

/** Tables of one commit, of up to 1,024 numbers each. */
const TABLES = 32
/** Entries of the log that one commit drops. */
const DROPPED = 250
/**
 * The log may have so many rows before it is folded: as many as there are items, within bounds.
 * Whoever asks for last sightings reads all of it.
 */
const LEAST = 4_096
const MOST = 32_768
const ENTRIES = 256

/** Whether the log of sightings has grown so long that folding it costs little for each of its rows. */
export function isFoldDue(
  { slots, seenLog: { from, to, rows } }: DatasetStateRecord,
  most?: number,
): boolean {
  return rows > (most ?? Math.min(MOST, Math.max(LEAST, slots))) || to - from > ENTRIES
}

/**
 * The next commit of moving the log of sightings into the tables: some tables, and after the last
 * of them entries of the log. Doing a part twice does no harm, as numbers of merges only grow.
 *
 * @param log what the log says, at least up to `fold.to`
 * @returns the state after it.
 */
export async function foldSeen(
  records: Records,
  change: Change,
  account: string,
  state: DatasetStateRecord,
  fold: FoldCursor,
  log: SlotMerges,
): Promise<DatasetStateRecord> {
  const {
    dataset,
    seenLog: { from, rows },
  } = state
  const left = log.tablesFrom(fold.table)
  const part = left.slice(0, TABLES)
  const known = await records.seenTables.getMany(
    account,
    part.map((index) => [dataset, index]),
  )
  for (const [i, index] of part.entries())
    records.seenTables.put(change, account, {
      dataset,
      index,
      merges: log.table(index, known[i]?.value.merges ?? []),
    })
  const table = (part.at(-1) ?? fold.table) + 1
  if (left.length > part.length) return { ...state, fold: { ...fold, table } }
  const dropped = Math.min(from + DROPPED, fold.to)
  for (let sequence = from + 1; sequence <= dropped; sequence++)
    records.seenLog.drop(change, account, dataset, sequence)
  const isOver = dropped === fold.to
  return {
    ...state,
    seenLog: { from: dropped, to: fold.to, rows: isOver ? 0 : rows },
    fold: isOver ? null : { ...fold, table },
  }
}
