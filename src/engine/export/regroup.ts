import { joined } from '../../kernel/joined.ts'

const CHUNK_BYTES = 65_536

/** The same bytes in chunks of about 64 KiB: fewer are costly to carry, more are held in memory. What fails takes the unfinished chunk with it. */
export async function* regroup(chunks: AsyncIterable<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let pending: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const chunk of chunks) {
    let rest = chunk
    while (length + rest.length >= CHUNK_BYTES) {
      const fill = CHUNK_BYTES - length
      pending.push(rest.subarray(0, fill))
      rest = rest.subarray(fill)
      yield joined(pending, CHUNK_BYTES)
      pending = []
      length = 0
    }
    if (rest.length > 0) pending.push(rest)
    length += rest.length
  }
  if (length > 0) yield joined(pending, length)
}
