import type { Row } from '../../kernel/json.ts'
import { jsonPieces, jsonWeight } from '../../kernel/json-pieces.ts'
import { Pace } from '../../kernel/pace.ts'
import { TextWriter } from '../../kernel/text/text-writer.ts'
import { rowKey } from '../../kernel/short-key.ts'
import { encodeProvenance } from '../../features/common/provenance.ts'
import type { PageProvenance } from '../../features/common/provenance.ts'
import type { VisitOutcome } from '../visit/outcome.ts'

/** Characters that are encoded at once. */
const PIECE = 65_536
/** A row up to this many characters is encoded in one step. */
const AT_ONCE = 1_000_000

/** For each row: its number, brackets and line feed. */
const ROW_MARGIN = 16

/** The bytes of a segment. `provenance`: how many of them, at the end, are not rows. */
export interface SegmentBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly provenance: number
}

/** Encodes rows, and after them their provenance. */
export async function segmentOf(
  rows: readonly (readonly [number, Row])[],
  provenance: readonly PageProvenance[],
): Promise<SegmentBytes> {
  const tail = encodeProvenance(provenance)
  return { bytes: await rowLines(rows, new Pace(), tail), provenance: tail.length }
}

/**
 * Encodes rows as lines of `[seq, row]`, in slices, because there may be many rows or long ones.
 * `tail`: bytes that follow.
 */
export async function rowLines(
  rows: readonly (readonly [number, Row])[],
  pace = new Pace(),
  tail = new Uint8Array(),
): Promise<Uint8Array<ArrayBuffer>> {
  const weights: number[] = []
  for (const [, row] of rows) {
    weights.push(jsonWeight(row, AT_ONCE))
    const rest = pace.step()
    if (rest) await rest
  }
  const writer = new TextWriter(
    weights.reduce((sum, weight) => sum + weight, 0) + rows.length * ROW_MARGIN + tail.length,
  )
  let text = ''
  const flush = (): Promise<void> | null => {
    writer.write(text)
    text = ''
    return pace.step()
  }
  for (const [index, row] of rows.entries()) {
    if (index > 0) text += '\n'
    const isLong = (weights[index] ?? 0) >= AT_ONCE
    for (const piece of isLong ? jsonPieces(row) : [JSON.stringify(row)]) {
      if (piece.length < PIECE) text += piece
      else {
        // Joining this with the text before it would make one more copy.
        writer.write(text)
        text = piece
      }
      const rest = text.length < PIECE ? null : flush()
      if (rest) await rest
    }
  }
  await flush()
  writer.writeBytes(tail)
  return writer.joined(pace)
}

/** The unique key of each row. */
export type RowKeys = ReadonlyMap<Row, string>

/**
 * Computes the keys of all rows that must be unique. It works in slices, because there may be many
 * rows or long ones.
 */
export async function rowKeys(
  outcomes: readonly VisitOutcome[],
  unique: readonly string[] | null,
  pace = new Pace(),
): Promise<RowKeys> {
  const keys = new Map<Row, string>()
  if (unique === null) return keys
  for (const { rows } of outcomes)
    for (const row of rows) keys.set(row, await rowKey(row, unique, pace))
  return keys
}
