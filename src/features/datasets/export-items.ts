import type { PartSize } from '../../engine/export/format.ts'
import type { ColumnType, RowBlock } from '../../ports/row-work.ts'
import type { ItemRecord } from '../../records/dataset-records.ts'
import type { Records } from '../../records/records.ts'
import { BlockBuilder } from '../common/block-builder.ts'
import { isoTime } from '../iso-time.ts'
import { MergeLog } from './merge-log.ts'
import { readItems } from './read-items.ts'
import type { ItemFilter } from './read-items.ts'

/** Columns beside those of the rows, for files that ask for them by name. A column of the rows with such a name goes first. */
export const SEEN_COLUMNS: ReadonlyMap<string, ColumnType> = new Map([['_firstSeenAt', 'date'], ['_lastSeenAt', 'date'], ['_state', 'text']])

const BATCH = 500
const encoder = new TextEncoder()

/**
 * All items of a dataset as they are stored, in blocks of about that size: their rows are the member `values`. What merges move
 * meanwhile is met as it is then.
 */
export async function* exportItems(records: Records, account: string, dataset: string, filter: ItemFilter, columns: readonly string[], size: PartSize): AsyncGenerator<RowBlock> {
  const read = readItems(records, account, dataset, filter)
  const withSeen = columns.some((column) => SEEN_COLUMNS.has(column))
  const log = new MergeLog(records, account, dataset)
  const block = new BlockBuilder(size)
  for (let after: Parameters<typeof read>[0] = null; ; ) {
    const found = await read(after, BATCH)
    // First, as it costs nothing before somebody looks at the values.
    const stored = found.map(({ item: { stored: item } }) => item.json ?? JSON.stringify(item.value))
    if (withSeen) await log.learn(found.flatMap(({ item }) => [item.stored.value.first, item.last]))
    const beside = found.map(({ item }) => (withSeen ? JSON.stringify(seenColumns(item.stored.value, item.last, log)) : '0'))
    const body = encoder.encode(stored.map((json, at) => `[${beside[at]},${json}]\n`).join(''))
    for (let at = 0; at < body.length; ) {
      at = block.take(body, at).end
      if (block.isFull) yield block.build()
    }
    const last = found.at(-1)
    if (!last) break
    after = last.position
  }
  if (block.rows > 0) yield block.build()
}

function seenColumns({ first, gone }: ItemRecord, last: number, log: MergeLog): object {
  return { _firstSeenAt: isoTime(log.of(first).at), _lastSeenAt: isoTime(log.of(last).at), _state: gone ? 'gone' : 'present' }
}
