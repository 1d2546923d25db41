import { conflict, notFound } from '../../kernel/errors.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Stored } from '../../records/collection.ts'
import { retryOrBusy } from '../../records/retry.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import type { Core } from '../core.ts'
import { bytesOf, openBase } from '../limits/stored-bytes.ts'
import type { Records } from '../records.ts'
import { executionOf } from './execution.ts'
import type { Execution } from './execution.ts'
import { isFinal } from './lifecycle.ts'
import { emptyProgress } from './records.ts'
import type { ExecutionRecord, ProgressRecord } from './records.ts'
import { requireMerged } from './retire.ts'

/** An execution before its rows or its media are deleted. */
interface StoredExecution {
  readonly account: string
  readonly stored: Stored<ExecutionRecord>
  readonly progress: Stored<ProgressRecord> | null
}

/** The records that a deletion writes. */
interface Left {
  readonly execution: ExecutionRecord
  readonly progress: ProgressRecord | null
}

/**
 * Deletes the rows or the media of a finished execution. The execution stays, with its receipt and
 * its payments. One commit marks the part as deleted; a job then erases its data. A second deletion
 * changes nothing.
 *
 * @throws {PlatformError} 409 for an unfinished execution, for rows that a dataset waits for, and
 *   for media whose rows are deleted
 */
export async function deletePart(
  { records, clock }: Pick<Core, 'records' | 'clock'>,
  account: string,
  id: string,
  part: 'rows' | 'media',
  preconditions: Preconditions | undefined,
): Promise<Execution> {
  return retryOrBusy('The execution', async () => {
    const [stored, progress] = await Promise.all([
      records.executions.get(account, id),
      records.progress.get(account, id),
    ])
    if (!stored) throw notFound('Execution')
    const show = (execution: ExecutionRecord, counters: ProgressRecord | null): Execution =>
      executionOf(execution, counters ?? emptyProgress(id))
    preconditions?.expect(show(stored.value, progress?.value ?? null))
    const { status } = stored.value
    if (!isFinal(status))
      throw conflict(`The execution is ${status}; cancel it, then delete its ${part}`)
    const change = new Change()
    const current = { account, stored, progress }
    const now = clock.now()
    const left =
      part === 'rows'
        ? await withoutRows(records, change, current, now)
        : withoutMedia(records, change, current, now)
    if (left) {
      records.executions.update(change, account, stored, left.execution)
      if (progress && left.progress)
        records.progress.update(change, account, progress, left.progress)
    }
    const data = left
      ? show(left.execution, left.progress)
      : show(stored.value, progress?.value ?? null)
    return (await commitWithPreconditions(records, change, preconditions, data)) && data
  })
}

/** `null`: its rows were deleted before. */
async function withoutRows(
  records: Records,
  change: Change,
  { account, stored, progress }: StoredExecution,
  now: number,
): Promise<Left | null> {
  const { value: execution } = stored
  if (execution.rowsDeletedAt !== undefined) return null
  await requireMerged(records, account, execution)
  // Opens the total of earlier bytes first. It may include these bytes, and they can then be
  // subtracted.
  await openBase(records, account)
  const bytes = progress?.value.rowBytes ?? 0
  records.storedBytes.add(change, account, -bytes)
  records.outbox.put(change, SYSTEM, {
    id: `rows-erase:${execution.id}`,
    kind: 'rows-erase',
    data: { account, execution: execution.id },
    at: now,
  })
  return {
    execution: { ...execution, rowsDeletedAt: now },
    progress: progress && withoutRowBytes(progress.value),
  }
}

function withoutRowBytes({
  rowBytes: _rowBytes,
  countedStored: _counted,
  ...progress
}: ProgressRecord): ProgressRecord {
  const rest = bytesOf(progress)
  return rest === 0 ? progress : { ...progress, countedStored: rest }
}

/** `null`: their deletion was requested before. */
function withoutMedia(
  records: Records,
  change: Change,
  { account, stored, progress }: StoredExecution,
  now: number,
): Left | null {
  const { value: execution } = stored
  if (execution.mediaDeletion) return null
  if (execution.rowsDeletedAt !== undefined)
    throw conflict('The rows that named its media were deleted; delete the media by their ids')
  records.outbox.put(change, SYSTEM, {
    id: `execution-media:${execution.id}`,
    kind: 'execution-media',
    data: { account, execution: execution.id },
    at: now,
  })
  return {
    execution: { ...execution, mediaDeletion: { requestedAt: now, finishedAt: null } },
    progress: progress?.value ?? null,
  }
}
