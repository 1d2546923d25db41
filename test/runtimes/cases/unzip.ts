const END = 0x06054b50
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30

/**
 * The files of a zip, inflated by the runtime's own code: packed sizes differ from one zlib to the
 * next, contents do not.
 */
export async function unzip(bytes: Uint8Array<ArrayBuffer>): Promise<Record<string, string>> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.byteLength - 22
  while (end > 0 && view.getUint32(end, true) !== END) end--
  const files: Record<string, string> = {}
  let offset = view.getUint32(end + 16, true)
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const packed = view.getUint32(offset + 20, true)
    const nameBytes = view.getUint16(offset + 28, true)
    const local = view.getUint32(offset + 42, true)
    const name = new TextDecoder().decode(
      bytes.subarray(offset + ENTRY_BYTES, offset + ENTRY_BYTES + nameBytes),
    )
    const from =
      local + LOCAL_BYTES + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
    const content = bytes.slice(from, from + packed)
    files[name] =
      view.getUint16(offset + 10, true) === 0
        ? new TextDecoder().decode(content)
        : await new Response(
            new Blob([content]).stream().pipeThrough(new DecompressionStream('deflate-raw')),
          ).text()
    offset +=
      ENTRY_BYTES +
      nameBytes +
      view.getUint16(offset + 30, true) +
      view.getUint16(offset + 32, true)
  }
  return files
}
