import type { PartSize } from '../../engine/export/format.ts'
import type { ColumnType, RowBlock } from '../../ports/row-work.ts'
import type { ItemRecord } from '../../records/dataset-records.ts'
import type { Records } from '../../records/records.ts'
import { BlockBuilder } from '../common/block-builder.ts'
import { isoTime } from '../iso-time.ts'
import { MergeLog } from './merge-log.ts'
import { readItems } from './read-items.ts'
import type { ItemFilter } from './read-items.ts'

/**
 * Columns beside those of the rows, for files that ask for them by name. A column of the rows with
 * such a name goes first.
 */
export const SEEN_COLUMNS: ReadonlyMap<string, ColumnType> = new Map([
  ['_firstSeenAt', 'date'],
  ['_lastSeenAt', 'date'],
  ['_state', 'text'],
])

/** Items that are read at once: at first, and at most. */
const FIRST = 25
const MOST = 500
/** Characters of items that are read at once, or so. */
const AT_ONCE = 2_000_000
/** Characters that become bytes at once. */
const PIECE = 65_536
const encoder = new TextEncoder()

/**
 * All items of a dataset as they are stored, in blocks of about that size: their rows are the
 * member `values`. What merges move meanwhile is met as it is then.
 */
export async function* exportItems(
  records: Records,
  account: string,
  dataset: string,
  filter: ItemFilter,
  columns: readonly string[],
  size: PartSize,
): AsyncGenerator<RowBlock> {
  const read = readItems(records, account, dataset, filter)
  const withSeen = columns.some((column) => SEEN_COLUMNS.has(column))
  const log = new MergeLog(records, account, dataset)
  const block = new BlockBuilder(size)
  const { Pace } = await import('../../kernel/pace.ts')
  const pace = new Pace()
  let count = FIRST
  for (let after: Parameters<typeof read>[0] = null; ;) {
    const found = await read(after, count)
    // First, as it costs nothing before somebody looks at the values.
    const stored = found.map(
      ({ item: { stored: item } }) => item.json ?? JSON.stringify(item.value),
    )
    if (withSeen) await log.learn(found.flatMap(({ item }) => [item.stored.value.first, item.last]))
    const lines = found.map(
      ({ item }, at) =>
        `[${withSeen ? JSON.stringify(seenColumns(item.stored.value, item.last, log)) : '0'},${stored[at]}]\n`,
    )
    for (const body of bytesOf(lines)) {
      for (let at = 0; at < body.length;) {
        at = block.take(body, at).end
        if (block.isFull) yield block.build()
      }
      const rest = pace.step()
      if (rest) await rest
    }
    const last = found.at(-1)
    if (!last) break
    after = last.position
    // Items may be megabytes each: no more are held than fit.
    const longest = lines.reduce((most, { length }) => Math.max(most, length), 1)
    count = Math.max(1, Math.min(MOST, Math.floor(AT_ONCE / longest)))
  }
  if (block.rows > 0) yield block.build()
}

/** Lines as bytes, in pieces of whole lines: all of them together may be longer than a text can be. */
function* bytesOf(lines: readonly string[]): Generator<Uint8Array> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length < PIECE) continue
    yield encoder.encode(text)
    text = ''
  }
  if (text !== '') yield encoder.encode(text)
}

function seenColumns({ first, gone }: ItemRecord, last: number, log: MergeLog): object {
  return {
    _firstSeenAt: isoTime(log.of(first).at),
    _lastSeenAt: isoTime(log.of(last).at),
    _state: gone ? 'gone' : 'present',
  }
}
