import { planOf } from '../ledger/plans.ts'
import { bytesOf, openBase } from '../limits/stored-bytes.ts'
import type { KeyPart } from '../../kernel/key.ts'
import { Change } from '../../records/change.ts'
import type { Collection, Stored } from '../../records/collection.ts'
import { eachPage, FEW } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import { rowsFolder } from './records.ts'
import type { ExecutionRecord } from './records.ts'
import type { Core } from '../core.ts'
import { DAY_MS } from '../../kernel/time.ts'

const BATCH = 250

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
  await eraseRetired(core, account, signal)
  const subscription = await records.subscriptions.get(account)
  const { retentionDays = null } = planOf(tariff, subscription?.value.plan)
  if (retentionDays === null) return
  const until = now - retentionDays * DAY_MS
  const isOver = ({ finishedAt }: ExecutionRecord): boolean =>
    finishedAt !== null && finishedAt < until
  for await (const page of eachPage(records.executions, account, [], FEW)) {
    for (const stored of page) {
      signal.throwIfAborted()
      // Listed in order of creation, and no execution ends before it is created.
      if (stored.value.createdAt >= until) return
      if (!isOver(stored.value) || (await waitsToMerge(records, account, stored.value))) continue
      // Opens the total of earlier executions first: if it counts this one too, the bytes can then
      // be subtracted.
      await openBase(records, account)
      const change = new Change()
      const progress = await records.progress.get(account, stored.value.id)
      if (progress) records.storedBytes.add(change, account, -bytesOf(progress.value))
      bury(records, change, account, stored, await records.retentions.get(account))
      // Another plan may keep the execution, so the commit depends on the subscription.
      if (subscription) records.subscriptions.require(change, account, subscription)
      else records.subscriptions.requireAbsent(change, account)
      if (!(await records.commit(change))) return
      await erase(core, account, stored.value.id, signal)
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

function bury(
  records: Records,
  change: Change,
  account: string,
  stored: Stored<ExecutionRecord>,
  retention: Awaited<ReturnType<Records['retentions']['get']>>,
): void {
  const { id, finishedAt } = stored.value
  records.executions.remove(change, account, stored)
  records.progress.drop(change, account, id)
  records.retired.put(change, account, { execution: id })
  if (retention)
    records.retentions.update(change, account, retention, {
      ...retention.value,
      until: Math.max(retention.value.until, finishedAt ?? 0),
    })
}

async function eraseRetired(core: Core, account: string, signal: AbortSignal): Promise<void> {
  for await (const page of eachPage(core.records.retired, account))
    for (const { value } of page) await erase(core, account, value.execution, signal)
}

/**
 * Erases an execution's rows, its kept and cached pages, blobs that failed commits have left, its
 * receipt, and records that a worker may have left. The ledger keeps every entry.
 */
async function erase(
  { records, blobs }: Core,
  account: string,
  execution: string,
  signal: AbortSignal,
): Promise<void> {
  for (const name of await blobs.list(rowsFolder(execution))) {
    signal.throwIfAborted()
    await blobs.remove(name)
  }
  const {
    segments,
    keptPages,
    cacheBlobs,
    visits,
    frontier,
    seenUrls,
    seenRows,
    settled,
    moves,
    foundStarts,
    fences,
    heartbeats,
  } = records
  for (const collection of [
    segments,
    keptPages,
    cacheBlobs,
    visits,
    frontier,
    seenUrls,
    seenRows,
    settled,
    moves,
    foundStarts,
    fences,
    heartbeats,
  ])
    await empty(records, collection, account, [execution], signal)
  // The index that agents search its pages by.
  const indexed = await records.indexedRuns.get(account, execution)
  if (indexed)
    for (const collection of [records.foundBy, records.excerpts])
      await empty(records, collection, account, [indexed.value.at, execution], signal)
  const change = new Change()
  records.retired.drop(change, account, execution)
  records.indexedRuns.drop(change, account, execution)
  await records.commit(change)
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
    const found = await collection.list(account, { within, limit: BATCH })
    if (found.length === 0) return
    const change = new Change()
    for (const { id } of found) collection.drop(change, account, ...id)
    await records.commit(change)
  }
}
