import { TextBytes } from './text-bytes.ts'

const CHUNK_BYTES = 65_536

/** The parts of a text file of rows. */
export interface TextParts<R> {
  readonly head: string
  readonly row: (row: R, index: number) => string
  readonly tail: (rows: number) => string
}

/**
 * Writes rows as text in chunks of about 64 KiB, whatever the batches they come in. A stream that carries a row at a time
 * costs twenty times as much.
 */
export async function* writeText<R>(batches: AsyncIterable<readonly R[]>, parts: TextParts<R>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const bytes = new TextBytes(CHUNK_BYTES)
  const head = bytes.push(parts.head)
  if (head) yield head
  let written = 0
  for await (const batch of batches) {
    for (const row of batch) {
      const full = bytes.push(parts.row(row, written++))
      if (full) yield full
    }
  }
  const tail = bytes.push(parts.tail(written))
  if (tail) yield tail
  const rest = bytes.rest()
  if (rest) yield rest
}
