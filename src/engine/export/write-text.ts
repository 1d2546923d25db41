const CHUNK_CHARACTERS = 65_536

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
  const encoder = new TextEncoder()
  let text = parts.head
  let written = 0
  for await (const batch of batches) {
    for (const row of batch) {
      text += parts.row(row, written++)
      if (text.length >= CHUNK_CHARACTERS) {
        yield encoder.encode(text)
        text = ''
      }
    }
  }
  text += parts.tail(written)
  if (text !== '') yield encoder.encode(text)
}
