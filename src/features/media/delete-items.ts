import { mediaId, mediaTargets } from '../../engine/media/link-media.ts'
import { readRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { Row } from '../../kernel/json.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import { retryOrBusy } from '../../records/retry.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import type { Core } from '../core.ts'
import { recipeOf } from '../executions/records.ts'
import { openBase } from '../limits/stored-bytes.ts'
import { DamagedRows, RowReader } from '../results/row-reader.ts'
import type { RowPosition } from '../results/row-reader.ts'
import { mediaBlob } from './records.ts'

/**
 * Time in ms that is longer than the work on most pages, because a page's rows may refer to the
 * item. A page that takes longer finds its bytes gone, and is read again.
 */
export const ERASE_DELAY_MS = 600_000
/** Rows that are read at once. */
const ROWS = 200

/**
 * Deletes a media item: its record at once, and its bytes by a job some minutes later. `data`: the
 * answer, which is committed with it. `false`: there is no such item.
 */
export async function deleteItem(
  { records, clock }: Pick<Core, 'records' | 'clock'>,
  account: string,
  id: string,
  data: object,
  preconditions?: Preconditions,
): Promise<boolean> {
  // Opens the total of earlier bytes first. It may include the item, whose bytes can then be
  // subtracted.
  await openBase(records, account)
  const done = await retryOrBusy('The media item', async () => {
    const [stored, deleted] = await Promise.all([
      records.media.get(account, id),
      records.mediaDeletions.get(account, id),
    ])
    if (!stored) return 'absent'
    const generation = stored.value.generation ?? 0
    const change = new Change()
    records.media.remove(change, account, stored)
    records.mediaTimes.drop(change, account, stored.value.firstSeenAt, id)
    records.storedBytes.add(change, account, -stored.value.bytes)
    if (deleted) records.mediaDeletions.require(change, account, deleted)
    else records.mediaDeletions.requireAbsent(change, account, id)
    const count = Math.max(generation, deleted?.value.count ?? 0) + 1
    records.mediaDeletions.put(change, account, { id, count })
    const blob = mediaBlob(stored.value)
    records.outbox.put(change, SYSTEM, {
      id: `media-erase:${account}:${blob}`,
      kind: 'media-erase',
      data: { account, media: id, blob },
      at: clock.now() + ERASE_DELAY_MS,
    })
    return (await commitWithPreconditions(records, change, preconditions, data)) && 'deleted'
  })
  return done === 'deleted'
}

/**
 * Deletes the items that the rows of an execution name, if this was requested, and stores the end
 * with the execution. A repetition deletes the remaining ones. Damaged rows, which `verify`
 * reports, are skipped.
 */
export async function deleteItemsOf(
  core: Pick<Core, 'records' | 'blobs' | 'clock' | 'logger'>,
  account: string,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const { records, clock } = core
  const execution = await records.executions.get(account, id)
  if (execution?.value.mediaDeletion?.finishedAt !== null) return
  const { media: paths } = readRecipe(recipeOf(execution.value)).facts
  if (paths.length > 0)
    for await (const rows of readableRows(core, account, id))
      for (const { sha256 } of mediaTargets(rows, paths)) {
        signal.throwIfAborted()
        const item = mediaId(sha256)
        await deleteItem(core, account, item, { id: item })
      }
  await retryOrBusy('The execution', async () => {
    const stored = await records.executions.get(account, id)
    if (stored?.value.mediaDeletion?.finishedAt !== null) return true
    const change = new Change()
    records.executions.update(change, account, stored, {
      ...stored.value,
      mediaDeletion: { ...stored.value.mediaDeletion, finishedAt: clock.now() },
    })
    return records.commit(change)
  })
}

/** The rows of an execution, without those of damaged segments. */
async function* readableRows(
  { records, blobs, logger }: Pick<Core, 'records' | 'blobs' | 'logger'>,
  account: string,
  execution: string,
): AsyncGenerator<readonly Row[]> {
  const reader = new RowReader(records, blobs, account, execution)
  let position: RowPosition | null = [0, 0]
  for (let count = ROWS; position !== null;) {
    const [segment, row]: RowPosition = position
    try {
      const { rows, next } = await reader.slice([segment, row], count)
      yield rows
      if (next?.[0] !== segment) count = ROWS
      position = next
    } catch (error) {
      if (!(error instanceof DamagedRows || error instanceof SyntaxError)) throw error
      if (count > 1) {
        // The damaged segment may be a later one of the slice. So the rows are read one by one,
        // because a single row is in one segment.
        count = 1
        continue
      }
      logger.warn('Damaged rows cannot say which media they name', { execution, error })
      count = ROWS
      position = [segment + 1, 0]
    }
  }
}
