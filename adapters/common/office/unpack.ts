import JSZip from 'jszip'
import type { WorkBudget } from '../../../src/ports/page-limits.ts'

/** The costs of reading the parts of an archive. */
export interface PartCosts {
  /** Steps for each tag. An element without content has one tag, an element with content has two. */
  readonly tagSteps: number
  /** Bytes for each tag, if the reader makes a tree of the part. */
  readonly tagBytes: number
}

/** Pictures, films and embedded files, of which nothing is read. */
const UNREAD = /(?:^|\/)(?:media|embeddings)\//
/** Steps for an entry of the archive, for ten microseconds of work. */
const ENTRY_STEPS = 400
/**
 * Number of unpacked bytes that cost one step, and number that cost one byte, because their text is
 * not kept.
 */
const BYTES_OF_STEP = 4
const BYTES_OF_BYTE = 16
const TAG = '<'.charCodeAt(0)

/**
 * Returns an archive with the same parts, unpacked, so that its reader unpacks nothing. An archive
 * of a few kilobytes can hold gigabytes, and may state a wrong size. Each piece is paid for when it
 * is unpacked. Parts that nobody reads are left out.
 *
 * @param replaced returns `null`, or the replacement of a part after the budget is used up. The
 *   archive then has the parts before it. These parts are unpacked last, in the order of their
 *   numbers.
 * @throws {PageTooCostly} if the budget is used up at any other part
 * @throws {Error} if the archive is damaged
 */
export async function unpack(
  body: Uint8Array,
  budget: WorkBudget,
  costs: PartCosts,
  replaced: (name: string) => string | null = () => null,
): Promise<Uint8Array<ArrayBuffer>> {
  const packed = await JSZip.loadAsync(body)
  const names = Object.keys(packed.files)
  budget.work(ENTRY_STEPS * names.length)
  const unpacked = new JSZip()
  const read = names.filter((name) => packed.files[name]?.dir === false && !UNREAD.test(name))
  const [last, first] = [
    read.filter((name) => replaced(name) !== null),
    read.filter((name) => replaced(name) === null),
  ]
  for (const name of [...first, ...last.toSorted(byNumber)]) {
    const substitute = replaced(name)
    const part =
      budget.overrun === null || substitute === null
        ? await partOf(packed, name, budget, costs, substitute !== null)
        : null
    unpacked.file(name, part ?? substitute ?? '', { createFolders: false })
  }
  return new Uint8Array(await unpacked.generateAsync({ type: 'arraybuffer', compression: 'STORE' }))
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

/** The bytes of a part. `null`: the budget is used up, and the part may be left out. */
function partOf(
  packed: JSZip,
  name: string,
  budget: WorkBudget,
  { tagSteps, tagBytes }: PartCosts,
  isOptional: boolean,
): Promise<Uint8Array | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>()
  const chunks: Uint8Array[] = []
  let isOver = false
  const stream = packed.file(name)?.nodeStream()
  stream?.on('data', (chunk: Uint8Array) => {
    if (isOver) return
    try {
      const tags = countOf(chunk, TAG)
      budget.work(Math.ceil(chunk.length / BYTES_OF_STEP) + tagSteps * tags)
      budget.make(Math.ceil(chunk.length / BYTES_OF_BYTE) + tagBytes * tags)
      chunks.push(chunk)
    } catch (error) {
      isOver = true
      stream.pause()
      if (isOptional && budget.overrun !== null) resolve(null)
      else reject(error)
    }
  })
  stream?.on('error', reject)
  stream?.on('end', () => resolve(joined(chunks)))
  return promise
}

function countOf(bytes: Uint8Array, value: number): number {
  let count = 0
  for (const byte of bytes) if (byte === value) count++
  return count
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let start = 0
  for (const chunk of chunks) {
    whole.set(chunk, start)
    start += chunk.length
  }
  return whole
}
