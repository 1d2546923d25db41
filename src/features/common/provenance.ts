import type { SourceRun } from '../../ports/page-processor.ts'

/** The origin of the rows of one page, as stored beside them. */
export interface PageProvenance {
  /** Number of the page's visit in the receipt, which has its URL. */
  readonly seq: number
  /** When the page was requested, in Unix milliseconds. `null`: not known. */
  readonly fetchedAt: number | null
  /** {@link bodyDigest} of the page. `null`: its rows were not read from a body. */
  readonly digest: string | null
  /** The sources of its rows, in their order. Empty codes: not known. */
  readonly sources: readonly SourceRun[]
}

/**
 * Number of bytes of a digest. With 128 bits, no two pages have the same digest by chance, however
 * many there are.
 */
const DIGEST_BYTES = 16

/**
 * The first 128 bits of the SHA-256 of a page's body, in lower-case hex. `whole`: the full SHA-256,
 * if the thread that read the page has computed it.
 */
export async function bodyDigest(body: Uint8Array, whole?: string): Promise<string> {
  if (whole !== undefined) return whole.slice(0, 2 * DIGEST_BYTES)
  const { buffer, byteOffset, byteLength } = body
  // Only a shared or resizable buffer is copied, because a copy costs half as much as the digest.
  const bytes =
    buffer instanceof ArrayBuffer && !buffer.resizable
      ? new Uint8Array(buffer, byteOffset, byteLength)
      : body.slice()
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return hexOf(new Uint8Array(digest, 0, DIGEST_BYTES))
}

/**
 * Encodes the provenance of a segment's rows in about 21 bytes a page: codes that several pages
 * share are written once, and times are differences to the page before.
 *
 * All numbers are LEB128, and differences are zigzag. First the number of different codes, and each
 * with its length. Then for each page: the difference of its `seq`; the difference of its time,
 * with a last bit that says whether a digest follows; the digest; for each run its rows, with a
 * last bit that says whether it is the page's last, and the index of its codes.
 */
export function encodeProvenance(pages: readonly PageProvenance[]): Uint8Array<ArrayBuffer> {
  const table = new Map<string, number>()
  for (const { sources } of pages)
    for (const [codes] of sources) if (!table.has(codes)) table.set(codes, table.size)
  const bytes: number[] = []
  const write = (value: number): void => {
    let rest = value
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push(128 + (rest % 128))
    bytes.push(rest)
  }
  write(table.size)
  for (const codes of table.keys()) {
    write(codes.length)
    for (let position = 0; position < codes.length; position++)
      bytes.push(codes.charCodeAt(position))
  }
  let [seqBefore, timeBefore] = [0, 0]
  for (const { seq, fetchedAt, digest, sources } of pages) {
    const time = fetchedAt ?? 0
    write(zigzag(seq - seqBefore))
    write(2 * zigzag(time - timeBefore) + (digest === null ? 0 : 1))
    seqBefore = seq
    timeBefore = time
    if (digest !== null)
      for (let position = 0; position < 2 * DIGEST_BYTES; position += 2)
        bytes.push(Number.parseInt(digest.slice(position, position + 2), 16))
    for (const [index, [codes, rows]] of sources.entries()) {
      write(2 * rows + (index === sources.length - 1 ? 1 : 0))
      write(table.get(codes) ?? 0)
    }
  }
  return Uint8Array.from(bytes)
}

/**
 * The inverse of {@link encodeProvenance}.
 *
 * @throws {Error} for bytes that it has not written
 */
export function decodeProvenance(bytes: Uint8Array): PageProvenance[] {
  let position = 0
  const take = (count: number): Uint8Array => {
    if (position + count > bytes.length) throw new Error('The provenance of rows is damaged')
    position += count
    return bytes.subarray(position - count, position)
  }
  const read = (): number => {
    let [value, unit] = [0, 1]
    for (;;) {
      const [byte = 0] = take(1)
      value += (byte % 128) * unit
      if (byte < 128) return value
      unit *= 128
    }
  }
  const table = Array.from({ length: read() }, () => String.fromCharCode(...take(read())))
  const pages: PageProvenance[] = []
  let [seq, time] = [0, 0]
  while (position < bytes.length) {
    seq += unzigzag(read())
    const head = read()
    time += unzigzag(Math.floor(head / 2))
    const digest = head % 2 === 0 ? null : hexOf(take(DIGEST_BYTES))
    const sources: SourceRun[] = []
    for (let isLast = false; !isLast;) {
      const run = read()
      isLast = run % 2 === 1
      const codes = table[read()]
      if (codes === undefined) throw new Error('The provenance of rows is damaged')
      sources.push([codes, Math.floor(run / 2)])
    }
    pages.push({ seq, fetchedAt: time === 0 ? null : time, digest, sources })
  }
  return pages
}

/** Maps small numbers of both signs to small numbers without a sign: 0, -1, 1, -2 become 0, 1, 2, 3. */
function zigzag(difference: number): number {
  return difference < 0 ? -2 * difference - 1 : 2 * difference
}

function unzigzag(number: number): number {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2
}

function hexOf(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return hex
}
