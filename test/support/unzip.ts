import { crc32, inflateRawSync } from 'node:zlib'

const END = 0x06054b50
const ENTRY = 0x02014b50

/**
 * The files of an archive, found by its directory; checksums and sizes are held to it.
 *
 * @throws {Error} for one that is not whole
 */
export function unzip(archive: Uint8Array): Map<string, Buffer> {
  const bytes = Buffer.from(archive)
  const end = bytes.length - 22
  if (end < 0 || bytes.readUInt32LE(end) !== END) throw new Error('the archive has no end')
  const files = new Map<string, Buffer>()
  let offset = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(offset) !== ENTRY) throw new Error('the directory is damaged')
    const [crc, packed, size, nameLength, start] = [
      bytes.readUInt32LE(offset + 16),
      bytes.readUInt32LE(offset + 20),
      bytes.readUInt32LE(offset + 24),
      bytes.readUInt16LE(offset + 28),
      bytes.readUInt32LE(offset + 42),
    ]
    const name = bytes.toString('utf8', offset + 46, offset + 46 + nameLength)
    const data = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
    const content = inflateRawSync(bytes.subarray(data, data + packed))
    if (content.length !== size || crc32(content) !== crc) throw new Error(`${name} is damaged`)
    const sizes = [
      bytes.readUInt32LE(data + packed),
      bytes.readUInt32LE(data + packed + 4),
      bytes.readUInt32LE(data + packed + 8),
      bytes.readUInt32LE(data + packed + 12),
    ]
    if (sizes.join() !== [0x08074b50, crc, packed, size].join())
      throw new Error(`${name} is followed by other sizes`)
    files.set(name, content)
    offset += 46 + nameLength
  }
  if (offset !== end) throw new Error('the directory has another length')
  return files
}
