/** Parts as one, of so many bytes together. A lone part is given as it is. */
export function joined<T extends Uint8Array>(
  parts: readonly T[],
  length: number,
): T | Uint8Array<ArrayBuffer> {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
