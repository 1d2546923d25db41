import { readFacts } from '../../engine/recipe/parse-recipe.ts'
import { NO_COUNTS } from './dataset.ts'
import type { Json } from '../../kernel/json.ts'
import type {
  DatasetRecord,
  DatasetStateRecord,
  MergeCursor,
  PendingMergeRecord,
  FoldCursor,
} from './records.ts'
import { recipeOf } from '../executions/records.ts'
import type { Records } from '../records.ts'
import type { ExecutionRecord, ProgressRecord } from '../executions/records.ts'
import type { SlotMerges } from './last-seen.ts'
import type { Change } from '../../records/change.ts'

/** The cursor of the merge of a waiting run. `null`: the run has no rows. */
export async function beginMerge(
  records: Records,
  account: string,
  dataset: DatasetRecord,
  state: DatasetStateRecord,
  pending: PendingMergeRecord,
): Promise<MergeCursor | null> {
  const [execution, progress] = await Promise.all([
    records.executions.get(account, pending.execution),
    records.progress.get(account, pending.execution),
  ])
  if (!execution || !progress || !givesRows(dataset, execution.value)) return null
  const { segments } = progress.value
  return {
    ...NO_COUNTS,
    number: state.merges + 1,
    execution: pending.execution,
    task: execution.value.taskId ?? '',
    at: pending.at,
    complete: tellsGone(dataset, execution.value, progress.value),
    ...extractedBy(recipeOf(execution.value)),
    before: segments === 0 ? null : [segments, 0],
    after: null,
    seenFrom: state.seenLog.to,
  }
}

function givesRows({ mergePartial }: DatasetRecord, { status }: ExecutionRecord): boolean {
  return status === 'succeeded' || mergePartial
}

/**
 * True if an item that the run did not find counts as gone. By default this needs a run that
 * covered everything that its task covers.
 */
function tellsGone(
  { gone }: DatasetRecord,
  execution: ExecutionRecord,
  { outcomes, errors }: ProgressRecord,
): boolean {
  // A run over failed pages alone has not looked for the other items.
  if (gone === 'never' || execution.status !== 'succeeded' || execution.failedOf !== undefined)
    return false
  if (gone === 'always') return true
  // A page that no longer exists counts as read: it has no items. A page that failed for another
  // reason may still have some.
  const unread =
    (outcomes.failed ?? 0) +
    (outcomes.blocked ?? 0) -
    (errors['http_404'] ?? 0) -
    (errors['http_410'] ?? 0)
  return (
    execution.partial !== true &&
    execution.reason === null &&
    unread === 0 &&
    !outcomes.skipped_limit
  )
}

function extractedBy(recipe: Json): Pick<MergeCursor, 'columns' | 'media'> {
  // If the recipe is no longer valid, its execution has failed and has no rows.
  const { columns = [], media = [] } = readFacts(recipe) ?? {}
  return { columns, ...(media.length > 0 && { media }) }
}

/** Maximum number of tables in one commit. A table has up to 1,024 numbers. */
const TABLES = 32
/** Maximum number of log entries that one commit deletes. */
const DROPPED = 250
/**
 * Lower and upper bound of the number of rows at which the log is folded. Between the bounds it is
 * the number of items. The log stays short, because every request for last sightings reads all of
 * it.
 */
const LEAST = 4_096
const MOST = 32_768
const ENTRIES = 256

/** True if the log of sightings is long enough for the cost of folding to be small per row. */
export function isFoldDue(
  { slots, seenLog: { from, to, rows } }: DatasetStateRecord,
  most?: number,
): boolean {
  return rows > (most ?? Math.min(MOST, Math.max(LEAST, slots))) || to - from > ENTRIES
}

/**
 * Makes the next commit that folds the log of sightings into the tables. Each of these commits
 * writes some tables, or, after the last table, deletes some entries of the log. It is safe to do a
 * part twice, because the numbers of merges only grow.
 *
 * @param log the entries of the log, at least up to `fold.to`
 * @returns the dataset's state after the commit
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
  const tables = await records.seenTables.getMany(
    account,
    part.map((index) => [dataset, index]),
  )
  for (const [i, index] of part.entries())
    records.seenTables.put(change, account, {
      dataset,
      index,
      merges: log.table(index, tables[i]?.value.merges ?? []),
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
