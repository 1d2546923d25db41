import type { Blobs } from '../ports/blobs.ts'
import { eachPage } from '../records/paginate.ts'
import type { Records } from '../records/records.ts'
import { rowsFolder } from '../records/row-blobs.ts'

/**
 * Deletes the blobs that commits which failed have left behind. Of a finished execution only: it
 * gets no more segments and keeps no more pages. Those of cached pages go when none of them is of
 * use any longer. Repeating it does no harm.
 */
export async function sweepBlobs(
  records: Records,
  blobs: Blobs,
  account: string,
  execution: string,
  signal: AbortSignal,
): Promise<void> {
  const stored = await records.executions.get(account, execution)
  if (stored?.value.finishedAt == null) return
  const named = await blobs.list(rowsFolder(execution))
  if (named.length === 0) return
  const kept = new Set<string>()
  for await (const page of eachPage(records.segments, account, [execution]))
    for (const { value } of page) kept.add(value.blob)
  for await (const page of eachPage(records.keptPages, account, [execution]))
    for (const { value } of page) kept.add(value.blob)
  for await (const page of eachPage(records.cacheBlobs, account, [execution]))
    for (const { value } of page) kept.add(value.blob)
  for (const name of named) {
    signal.throwIfAborted()
    if (!kept.has(name)) await blobs.remove(name)
  }
}
