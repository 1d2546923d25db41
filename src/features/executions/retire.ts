import { conflict } from '../../kernel/errors.ts'
import { countDeleted, countErased } from './count-deleted.ts'
import { planOf } from '../ledger/plans.ts'
import { bytesOf, openBase } from '../limits/stored-bytes.ts'
import type { KeyPart } from '../../kernel/key.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Collection, Stored } from '../../records/collection.ts'
import { eachPage, FEW } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import { rowsFolder } from './records.ts'
import { sweepBlobs } from './sweep.ts'
import type { ExecutionRecord } from './records.ts'
import type { Core } from '../core.ts'
import { DAY_MS } from '../../kernel/time.ts'

const BATCH = 250
/** Time in ms that is longer than the work on one page. */
const ERASE_DELAY_MS = 600_000
/** Time in ms until the job checks again whether the media of deleted rows are deleted. */
const MEDIA_WAIT_MS = 60_000

/**
 * Deletes finished executions that are older than the account's plan keeps them. Each is deleted in
 * one commit, after which no read finds it or any part of it. Its remaining data is erased
 * afterwards; a crash only delays that. The call is idempotent.
 */
export async function retireExecutions(
  core: Core,
  account: string,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const { records, tariff } = core
  await eraseRetired(core, account, now, signal)
  const subscription = await records.subscriptions.get(account)
  const { retentionDays = null } = planOf(tariff, subscription?.value.plan)
  if (retentionDays === null) return
  const until = now - retentionDays * DAY_MS
  const isOver = ({ finishedAt }: ExecutionRecord): boolean =>
    finishedAt !== null && finishedAt < until
  for await (const page of eachPage(records.executions, account, [], FEW)) {
    for (const stored of page) {
      signal.throwIfAborted()
      // Executions are listed in order of creation, and no execution ends before it is created.
      if (stored.value.createdAt >= until) return
      if (!isOver(stored.value) || isDeletingMedia(stored.value)) continue
      if (await waitsToMerge(records, account, stored.value)) continue
      const change = new Change()
      await bury(records, change, account, stored, now)
      // The account's plan may change to one that keeps the execution, so the commit depends on the
      // subscription.
      if (subscription) records.subscriptions.require(change, account, subscription)
      else records.subscriptions.requireAbsent(change, account)
      if (!(await records.commit(change))) return
      await eraseExecution(core, account, stored.value.id, signal)
    }
  }
}

/** True if its rows wait to be merged into a dataset. */
async function waitsToMerge(
  records: Records,
  account: string,
  { id, datasetId, finishedAt }: ExecutionRecord,
): Promise<boolean> {
  return (
    datasetId != null &&
    finishedAt !== null &&
    (await records.pendingMerges.get(account, datasetId, finishedAt, id)) !== null
  )
}

/** @throws {PlatformError} 409 while a dataset waits for the rows of an execution */
export async function requireMerged(
  records: Records,
  account: string,
  execution: ExecutionRecord,
): Promise<void> {
  if (await waitsToMerge(records, account, execution))
    throw conflict('Its rows are still being merged into its dataset; try again in a minute')
}

/** True while a job deletes the media that its rows name. The job needs the rows. */
export function isDeletingMedia({ mediaDeletion }: ExecutionRecord): boolean {
  return mediaDeletion?.finishedAt === null
}

/**
 * Adds the deletion of a finished execution to a commit, when its owner asks for it.
 * `execution-erase` erases its data later, because a worker that was at a page during the
 * cancellation may write one more blob, which no commit names.
 *
 * @throws {PlatformError} 409 while a dataset waits for its rows, or its media are being deleted
 */
export async function deleteExecution(
  { records }: Core,
  change: Change,
  account: string,
  stored: Stored<ExecutionRecord>,
  now: number,
): Promise<void> {
  const { id } = stored.value
  await requireMerged(records, account, stored.value)
  if (isDeletingMedia(stored.value))
    throw conflict('Its media are still being deleted; try again in a minute')
  await bury(records, change, account, stored, now + ERASE_DELAY_MS)
  records.outbox.put(change, SYSTEM, {
    id: `execution-erase:${id}`,
    kind: 'execution-erase',
    data: { account, execution: id },
    at: now + ERASE_DELAY_MS,
  })
}

/** Adds the end of a finished execution to a commit, after which no read finds it. */
async function bury(
  records: Records,
  change: Change,
  account: string,
  stored: Stored<ExecutionRecord>,
  eraseAt: number,
): Promise<void> {
  const { id, startedBy } = stored.value
  // Opens the total of earlier executions first. It may include this execution, and its bytes can
  // then be subtracted.
  await openBase(records, account)
  const progress = await records.progress.get(account, id)
  if (progress) records.storedBytes.add(change, account, -bytesOf(progress.value))
  countDeleted(records, change, account, stored.value, progress?.value ?? null)
  records.executions.remove(change, account, stored)
  records.progress.drop(change, account, id)
  records.retired.put(change, account, {
    execution: id,
    eraseAt,
    ...(startedBy && { startedBy }),
  })
}

async function eraseRetired(
  core: Core,
  account: string,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  for await (const page of eachPage(core.records.retired, account))
    for (const { value } of page)
      if ((value.eraseAt ?? 0) <= now) await eraseExecution(core, account, value.execution, signal)
}

/**
 * Erases an execution's rows, its kept and cached pages, blobs that failed commits have left, its
 * receipt, and records that a worker may have left. The ledger keeps every entry.
 */
export async function eraseExecution(
  { records, blobs }: Pick<Core, 'records' | 'blobs'>,
  account: string,
  execution: string,
  signal: AbortSignal,
): Promise<void> {
  for (const name of await blobs.list(rowsFolder(execution))) {
    signal.throwIfAborted()
    await blobs.remove(name)
  }
  for (const collection of [
    records.segments,
    records.keptPages,
    records.cacheBlobs,
    records.frontier,
    records.seenUrls,
    records.seenRows,
    records.settled,
    records.moves,
    records.foundStarts,
    records.fences,
    records.heartbeats,
  ])
    await empty(records, collection, account, [execution], signal)
  await eraseVisits(records, account, execution, signal)
  await eraseIndex(records, account, execution, signal)
  const change = new Change()
  records.retired.drop(change, account, execution)
  records.indexedRuns.drop(change, account, execution)
  await records.commit(change)
}

/** Erases the index by which agents search an execution's pages. It is made from its rows. */
async function eraseIndex(
  records: Records,
  account: string,
  execution: string,
  signal: AbortSignal,
): Promise<void> {
  const indexed = await records.indexedRuns.get(account, execution)
  if (indexed)
    for (const collection of [records.foundBy, records.excerpts])
      await empty(records, collection, account, [indexed.value.at, execution], signal)
}

/**
 * Erases the rows of an execution after a caller has deleted them. The index of its pages is erased
 * at once. The blobs are erased when no download of them can still be running, and the media that
 * they name are deleted. Returns when to continue; `null` at the end. The call is idempotent.
 */
export async function eraseRows(
  { records, blobs }: Pick<Core, 'records' | 'blobs'>,
  account: string,
  execution: string,
  now: number,
  signal: AbortSignal,
): Promise<number | null> {
  const stored = await records.executions.get(account, execution)
  // A job may be delivered twice, and may erase only data that was deleted before.
  if (stored?.value.rowsDeletedAt === undefined) return null
  await eraseIndex(records, account, execution, signal)
  const eraseAt = stored.value.rowsDeletedAt + ERASE_DELAY_MS
  if (now < eraseAt) return eraseAt
  if (isDeletingMedia(stored.value)) return now + MEDIA_WAIT_MS
  await empty(records, records.segments, account, [execution], signal)
  // After their segments are deleted, the blobs are like those of failed commits.
  await sweepBlobs(records, blobs, account, execution, signal)
  return null
}

/**
 * Deletes the visits of a deleted execution. Their usage counters stay, and are stored for
 * `verify`.
 */
async function eraseVisits(
  records: Records,
  account: string,
  execution: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const [retired, rest] = await Promise.all([
      records.retired.get(account, execution),
      records.visits.list(account, { within: [execution], limit: BATCH }),
    ])
    if (rest.length === 0) return
    const change = new Change()
    // The commit checks each visit, because another delivery of the job must not store their usage
    // again.
    for (const visit of rest) records.visits.remove(change, account, visit)
    const visits = rest.map(({ value }) => value)
    countErased(records, change, account, visits, retired?.value.startedBy)
    await records.commit(change)
  }
}

/** Deletes the records of a collection without indexes whose ids begin with a prefix. */
async function empty(
  records: Records,
  collection: Pick<Collection<unknown>, 'list' | 'drop'>,
  account: string,
  within: readonly KeyPart[],
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const rest = await collection.list(account, { within, limit: BATCH })
    if (rest.length === 0) return
    const change = new Change()
    for (const { id } of rest) collection.drop(change, account, ...id)
    await records.commit(change)
  }
}
