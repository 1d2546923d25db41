import { joinedInSlices } from '../../kernel/joined-in-slices.ts'
import type { Row } from '../../kernel/json.ts'
import { jsonPieces, jsonWeight } from '../../kernel/json-pieces.ts'
import { Pace } from '../../kernel/pace.ts'
import { rowKey } from '../../kernel/row-key.ts'
import type { PageOutcome } from '../visit/outcome.ts'

/** Characters that are encoded at once. */
const PIECE = 65_536
/** A row up to this many characters is encoded in one step. */
const AT_ONCE = 1_000_000

const encoder = new TextEncoder()

/** Encodes rows as lines of `[seq, row]`, in slices, because there may be many rows or long ones. */
export async function rowLines(
  rows: readonly (readonly [number, Row])[],
  pace = new Pace(),
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  let text = ''
  const encode = (): Promise<void> | null => {
    const part = encoder.encode(text)
    parts.push(part)
    length += part.length
    text = ''
    return pace.step()
  }
  for (const [at, row] of rows.entries()) {
    if (at > 0) text += '\n'
    const isLong = jsonWeight(row, AT_ONCE) >= AT_ONCE
    for (const piece of isLong ? jsonPieces(row) : [JSON.stringify(row)]) {
      text += piece
      const rest = text.length < PIECE ? null : encode()
      if (rest) await rest
    }
  }
  await encode()
  return joinedInSlices(parts, length, pace)
}

/** The unique key of each row. */
export type RowKeys = ReadonlyMap<Row, string>

/**
 * Computes the keys of all rows that must be unique. It works in slices, because there may be many
 * rows or long ones.
 */
export async function rowKeys(
  outcomes: readonly PageOutcome[],
  unique: readonly string[] | null,
  pace = new Pace(),
): Promise<RowKeys> {
  const keys = new Map<Row, string>()
  if (unique === null) return keys
  for (const { rows } of outcomes)
    for (const row of rows) keys.set(row, await rowKey(row, unique, pace))
  return keys
}
