import { compileRecipe } from '../engine/plan/compile.ts'
import { parseRunRecipe } from '../engine/recipe/parse-recipe.ts'
import { NO_COUNTS } from '../features/datasets/dataset-state.ts'
import { PlatformError } from '../kernel/errors.ts'
import type { Json } from '../kernel/json.ts'
import type {
  DatasetRecord,
  DatasetStateRecord,
  MergeCursor,
  PendingMergeRecord,
} from '../records/dataset-records.ts'
import { recipeOf } from '../records/execution-recipe.ts'
import type { Records } from '../records/records.ts'
import type { ExecutionRecord, ProgressRecord } from '../records/types.ts'

/** What a merge of a run that waits has to do; `null`: the run gives nothing. */
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
 * Whether an item that the run has not met is gone: by default only if the run covered everything
 * that its task does.
 */
function tellsGone(
  { gone }: DatasetRecord,
  execution: ExecutionRecord,
  { outcomes, errors }: ProgressRecord,
): boolean {
  if (gone === 'never' || execution.status !== 'succeeded') return false
  if (gone === 'always') return true
  // A page that is no more is an answer; one that could not be read is none.
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
  try {
    const { columns, media } = compileRecipe(parseRunRecipe(recipe))
    return { columns, ...(media.length > 0 && { media }) }
  } catch (error) {
    // A recipe that is no longer valid has failed its execution, so that there are no rows either.
    if (error instanceof PlatformError) return { columns: [] }
    throw error
  }
}
