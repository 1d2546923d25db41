import type { ItemRecord } from './records.ts'
import { isoTime } from '../common/time.ts'
import type { ItemFilter } from './items.ts'
import type { PartSize } from '../../engine/export/format.ts'
import type { ExportColumnType, RowBlock } from '../../ports/row-work.ts'
import type { Records } from '../records.ts'
import { BlockBuilder } from '../common/block-builder.ts'
import { MergeLog, readItems } from './items.ts'

/**
 * Extra columns that an export may ask for by name. A column of the rows with the same name takes
 * precedence.
 */
export const SEEN_COLUMNS: ReadonlyMap<string, ExportColumnType> = new Map([
  ['_firstSeenAt', 'date'],
  ['_lastSeenAt', 'date'],
  ['_state', 'text'],
])

/**
 * Number of items in a read. The first read is small, because its items may have any size; the
 * other number is the maximum.
 */
const FIRST = 4
const MOST = 500
/** Approximate number of characters of items in one read. */
const AT_ONCE = 2_000_000
/** Number of characters that are encoded at once. */
const PIECE = 65_536
const encoder = new TextEncoder()

/**
 * All items of a dataset as stored, in blocks of about `size`. The rows are the member `values`. If
 * a merge changes items during the export, the export has the state at the time of each read.
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
    const page = await read(after, count)
    // The items are serialised before `learn`, because their stored text is available only until
    // the values are read.
    const stored: string[] = []
    for (const { item } of page) {
      stored.push(item.stored.json ?? JSON.stringify(item.stored.value))
      const rest = pace.step()
      if (rest) await rest
    }
    if (withSeen) {
      const merges: number[] = []
      for (const { item } of page) {
        merges.push(item.stored.value.first, item.last)
        const rest = pace.step()
        if (rest) await rest
      }
      await log.learn(merges)
    }
    const lines = page.map(
      ({ item }, index) =>
        `[${withSeen ? JSON.stringify(seenColumns(item.stored.value, item.last, log)) : '0'},${stored[index]}]\n`,
    )
    for (const body of bytesOf(lines)) {
      for (let index = 0; index < body.length;) {
        index = block.take(body, index).end
        if (block.isFull) yield block.build()
      }
      const rest = pace.step()
      if (rest) await rest
    }
    const last = page.at(-1)
    if (!last) break
    after = last.position
    // An item may have megabytes, so a read has only as many items as fit the memory for one block.
    const longest = lines.reduce((most, { length }) => Math.max(most, length), 1)
    count = Math.max(1, Math.min(MOST, Math.floor(AT_ONCE / longest)))
  }
  if (block.rows > 0) yield block.build()
}

/**
 * Encodes lines in pieces of whole lines, because all lines together may exceed the maximum length
 * of a string.
 */
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
