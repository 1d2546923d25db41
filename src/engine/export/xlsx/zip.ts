const encoder = new TextEncoder()
const DOS_DAY = 0x21
const UTF8_NAMES_SIZES_AFTER = 0x0808
const DEFLATE = 8
const GZIP_HEAD = 10
const GZIP_TAIL = 8
const MOST_BYTES = 0xffff_ffff

interface Entry {
  readonly name: Uint8Array
  readonly offset: number
  readonly crc: number
  readonly packed: number
  readonly size: number
}

/**
 * Writes a ZIP archive (APPNOTE 6.3.3) as a stream: entries in order, the sizes after each entry.
 * An entry and the archive hold at most 4 GiB, the limit of its readers.
 */
export class ZipWriter {
  readonly #entries: Entry[] = []
  #offset = 0

  /**
   * One file of the archive.
   *
   * @throws {RangeError} beyond 4 GiB
   */
  async *file(
    path: string,
    content: AsyncIterable<Uint8Array<ArrayBuffer>>,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const name = encoder.encode(path)
    const offset = this.#offset
    yield this.#counted(
      record(
        [
          [4, 0x04034b50],
          [2, 20],
          [2, UTF8_NAMES_SIZES_AFTER],
          [2, DEFLATE],
          [2, 0],
          [2, DOS_DAY],
          [4, 0],
          [4, 0],
          [4, 0],
          [2, name.length],
          [2, 0],
        ],
        name,
      ),
    )
    let size = 0
    const counted = async function* (): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      for await (const chunk of content) {
        size += chunk.length
        yield chunk
      }
    }
    // A gzip stream is a deflate stream between a head and a tail. The tail has the checksum,
    // which would take as long again to compute here.
    const start = this.#offset
    let tail: Uint8Array<ArrayBuffer> = new Uint8Array()
    let isFirst = true
    for await (const bytes of streamOf(counted()).pipeThrough(new CompressionStream('gzip'))) {
      const held = joined(tail, bytes)
      if (isFirst && held.length < GZIP_HEAD + GZIP_TAIL) {
        tail = held
        continue
      }
      const from = isFirst ? GZIP_HEAD : 0
      isFirst = false
      if (held.length > from + GZIP_TAIL) yield this.#counted(held.slice(from, -GZIP_TAIL))
      tail = held.slice(-GZIP_TAIL)
    }
    const crc = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true)
    const packed = this.#offset - start
    yield this.#counted(
      record([
        [4, 0x08074b50],
        [4, crc],
        [4, packed],
        [4, size],
      ]),
    )
    if (size > MOST_BYTES || this.#offset > MOST_BYTES)
      throw new RangeError('A workbook cannot hold more than 4 GiB')
    this.#entries.push({ name, offset, crc, packed, size })
  }

  /** Returns the end of the archive. Readers refuse an archive without it. */
  end(): Uint8Array<ArrayBuffer> {
    const start = this.#offset
    const parts = this.#entries.map(({ name, offset, crc, packed, size }) =>
      record(
        [
          [4, 0x02014b50],
          [2, 20],
          [2, 20],
          [2, UTF8_NAMES_SIZES_AFTER],
          [2, DEFLATE],
          [2, 0],
          [2, DOS_DAY],
          [4, crc],
          [4, packed],
          [4, size],
          [2, name.length],
          [2, 0],
          [2, 0],
          [2, 0],
          [2, 0],
          [4, 0],
          [4, offset],
        ],
        name,
      ),
    )
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    const count = this.#entries.length
    return joined(
      ...parts,
      record([
        [4, 0x06054b50],
        [2, 0],
        [2, 0],
        [2, count],
        [2, count],
        [4, length],
        [4, start],
        [2, 0],
      ]),
    )
  }

  #counted(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    this.#offset += bytes.length
    return bytes
  }
}

function streamOf(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await iterator.return?.()),
    },
    { highWaterMark: 0 },
  )
}

/** A record: little-endian numbers with the given byte counts, then the bytes after them. */
function record(
  fields: readonly (readonly [bytes: 2 | 4, value: number])[],
  rest: Uint8Array = new Uint8Array(),
): Uint8Array<ArrayBuffer> {
  const head = fields.reduce((sum, [bytes]) => sum + bytes, 0)
  const block = new Uint8Array(head + rest.length)
  const view = new DataView(block.buffer)
  let index = 0
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(index, value, true)
    else view.setUint32(index, value, true)
    index += bytes
  }
  block.set(rest, head)
  return block
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let index = 0
  for (const part of parts) {
    bytes.set(part, index)
    index += part.length
  }
  return bytes
}
