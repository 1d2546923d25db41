import type { Blobs } from '../../ports/blobs.ts'
import { joined } from '../../kernel/bytes.ts'
import { readFile, writeFile } from './manifest.ts'
import type { BackupFile } from './manifest.ts'

/** Number of characters of one file, before compression. */
const MOST_CHARACTERS = 4_000_000

/** Writes lines into compressed files of some megabytes each: `<prefix>00000001.jsonl.gz`. */
export class LineWriter {
  readonly #to: Blobs
  readonly #prefix: string
  readonly #files: BackupFile[] = []
  #lines: string[] = []
  #characters = 0
  #count = 0

  constructor(to: Blobs, prefix: string) {
    this.#to = to
    this.#prefix = prefix
  }

  async add(line: string): Promise<void> {
    this.#lines.push(line)
    this.#characters += line.length
    this.#count++
    if (this.#characters >= MOST_CHARACTERS) await this.#flush()
  }

  async end(): Promise<{ readonly count: number; readonly files: readonly BackupFile[] }> {
    if (this.#lines.length > 0) await this.#flush()
    return { count: this.#count, files: this.#files }
  }

  async #flush(): Promise<void> {
    const text = this.#lines.join('\n')
    this.#lines = []
    this.#characters = 0
    const number = String(this.#files.length + 1).padStart(8, '0')
    const packed = await through(new TextEncoder().encode(text), new CompressionStream('gzip'))
    this.#files.push(await writeFile(this.#to, `${this.#prefix}${number}.jsonl.gz`, packed))
  }
}

/** Reads the lines of files, in order. Each file is checked before its lines are read. */
export async function* readLines(
  from: Blobs,
  files: readonly BackupFile[],
): AsyncGenerator<string> {
  for (const file of files) {
    const packed = await readFile(from, file)
    const text = new TextDecoder().decode(await through(packed, new DecompressionStream('gzip')))
    yield* text.split('\n')
  }
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  { readable, writable }: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const part of new Blob([bytes]).stream().pipeThrough({ readable, writable })) {
    parts.push(part)
    size += part.length
  }
  return joined(parts, size)
}
