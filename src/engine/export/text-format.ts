import type { RowsPart } from '../../ports/row-work.ts'
import type { ExportFormat, PartSize, PartSource } from './format.ts'
import { regroup } from './regroup.ts'
import { TextBytes } from './text-bytes.ts'

const SPARE_BYTES = 16_384
const encoder = new TextEncoder()

/** A part of a text: a few milliseconds of work. */
export const TEXT_PART: PartSize = { rows: 4_000, bytes: 262_144 }

/** Numbers the rows of a text from 0, to the end of the file. */
type Assembled = Pick<ExportFormat, 'assemble'>

/** Gives what makes rows a part of a text. What a part took is what the next one is thought to take, so that it is seldom moved while it grows. */
export function textParts<R>(row: (row: R, index: number) => string): (rows: Iterable<R>, first: number) => RowsPart {
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
export function assembleText(head: string, parts: PartSource, tail: (rows: number) => string): AsyncIterable<Uint8Array<ArrayBuffer>> {
  return regroup(between(head, parts, tail))
}

async function* between(head: string, parts: PartSource, tail: (rows: number) => string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield encoder.encode(head)
  let rows = 0
  for (let part = await parts.next(0, Infinity); part !== null; part = await parts.next(rows, Infinity)) {
    rows += part.rows
    yield* part.chunks
  }
  yield encoder.encode(tail(rows))
}

/** A text format whose head depends on the columns alone. */
export function textAssembly(head: (columns: Parameters<ExportFormat['assemble']>[0]) => string, tail: (rows: number) => string): Assembled {
  return { assemble: (columns, parts) => assembleText(head(columns), parts, tail) }
}
