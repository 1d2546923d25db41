import { Pace } from './pace.ts'

/** Bytes that are copied at once: the pages of new memory cost more than the copying. */
const AT_ONCE = 1_048_576

/**
 * Joins parts, whose total length is given, in slices, because they may be tens of megabytes. The
 * result is always a copy.
 */
export async function joinedInSlices(
  parts: readonly Uint8Array[],
  length: number,
  pace = new Pace(),
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length)
  let index = 0
  for (const part of parts) {
    for (let from = 0; from < part.length; from += AT_ONCE) {
      const piece = part.subarray(from, from + AT_ONCE)
      bytes.set(piece, index)
      index += piece.length
      const rest = pace.step()
      if (rest) await rest
    }
  }
  return bytes
}
