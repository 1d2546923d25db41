import type { RowsPart } from '../../ports/row-work.ts'
import type { PartSource } from './format.ts'
import { regroup } from './regroup.ts'
import { TextBytes } from './text-bytes.ts'

const SPARE_BYTES = 16_384
const encoder = new TextEncoder()

/**
 * Gives what makes rows a part of a text. What a part took is what the next one is thought to take,
 * so that it is seldom moved while it grows.
 */
export function textParts<R>(
  row: (row: R, index: number) => string,
): (rows: Iterable<R>, first: number) => RowsPart {
  let expected = 0
  return (rows, first) => {
    const bytes = new TextBytes(Infinity, expected)
    let index = first
    for (const one of rows) bytes.push(row(one, index++))
    const whole = bytes.rest()
    expected = (whole?.length ?? 0) + SPARE_BYTES
    return { chunks: whole ? [whole] : [], rows: index - first }
  }
}

/** Parts of a text between a head and a tail. */
export function assembleText(
  head: string,
  parts: PartSource,
  tail: (rows: number) => string,
): AsyncIterable<Uint8Array<ArrayBuffer>> {
  return regroup(between(head, parts, tail))
}

async function* between(
  head: string,
  parts: PartSource,
  tail: (rows: number) => string,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield encoder.encode(head)
  let rows = 0
  for (
    let part = await parts.next(0, Infinity);
    part !== null;
    part = await parts.next(rows, Infinity)
  ) {
    rows += part.rows
    yield* part.chunks
  }
  yield encoder.encode(tail(rows))
}
