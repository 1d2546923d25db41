const CHUNK_CHARACTERS = 65_536

/**
 * Gathers pieces of text into chunks of about 64 KiB. A stream that carries a row at a time costs twenty times as much
 * as one that carries such chunks.
 */
export async function* chunked(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  let text = ''
  for await (const piece of pieces) {
    text += piece
    if (text.length >= CHUNK_CHARACTERS) {
      yield encoder.encode(text)
      text = ''
    }
  }
  if (text !== '') yield encoder.encode(text)
}

/** Rows a piece of text is made of at a time: bounds memory however many rows one batch has. */
export const ROWS_PER_PIECE = 500

/** Batches of any size as slices of at most {@link ROWS_PER_PIECE} rows. */
export async function* sliced<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<readonly T[]> {
  for await (const batch of batches) {
    for (let at = 0; at < batch.length; at += ROWS_PER_PIECE) yield batch.slice(at, at + ROWS_PER_PIECE)
  }
}
