import type { ColumnType } from '../../engine/export/column.ts'
import type { Row } from '../../kernel/json.ts'
import type { Records } from '../../records/records.ts'
import { isoTime } from '../iso-time.ts'
import { MergeLog } from './merge-log.ts'
import { readItems } from './read-items.ts'
import type { ItemFilter, SeenItem } from './read-items.ts'

/** Columns beside those of the rows, for files that ask for them by name. A column of the rows with such a name goes first. */
export const SEEN_COLUMNS: ReadonlyMap<string, ColumnType> = new Map([['_firstSeenAt', 'date'], ['_lastSeenAt', 'date'], ['_state', 'text']])

const BATCH = 500

/** All items of a dataset as rows, a batch at a time. What merges move meanwhile is met as it is then. */
export async function* exportItems(records: Records, account: string, dataset: string, filter: ItemFilter, columns: readonly string[]): AsyncGenerator<readonly Row[]> {
  const read = readItems(records, account, dataset, filter)
  const withSeen = columns.some((column) => SEEN_COLUMNS.has(column))
  const log = new MergeLog(records, account, dataset)
  for (let after: Parameters<typeof read>[0] = null; ; ) {
    const found = await read(after, BATCH)
    if (withSeen) await log.learn(found.flatMap(({ item }) => [item.item.first, item.last]))
    yield found.map(({ item }) => (withSeen ? { ...seenColumns(item, log), ...item.item.values } : item.item.values))
    const last = found.at(-1)
    if (!last) return
    after = last.position
  }
}

function seenColumns({ item, last }: SeenItem, log: MergeLog): Row {
  return { _firstSeenAt: isoTime(log.of(item.first).at), _lastSeenAt: isoTime(log.of(last).at), _state: item.gone ? 'gone' : 'present' }
}
