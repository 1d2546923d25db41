import type { FrontierRecord } from '../../features/executions/records.ts'

/** Bytes of a page in memory, besides its texts. */
const BYTES_OF_PAGE = 400
/** Arrays whose first entries are gone are cut when so many are, that of the parts when half is. */
const CUT = 256

/** The pages of one host that wait, in the order of discovery: the first in memory, and numbers. */
export class HostPages {
  readonly name: string
  /** True while it is among the hosts that are ready, or that rest. */
  isPlaced = false
  /** True while pages of it are read from the store. */
  isRead = false
  #pages: FrontierRecord[] = []
  #firstPage = 0
  /** Numbers of the pages that only the store has, as pairs: the first and the last of each part. */
  #parts: number[] = []
  #firstPart = 0

  constructor(name: string) {
    this.name = name
  }

  get first(): FrontierRecord | undefined {
    return this.#pages[this.#firstPage]
  }

  /** Number of pages in memory. */
  get length(): number {
    return this.#pages.length - this.#firstPage
  }

  /** True if the store has more pages than memory. */
  get hasMore(): boolean {
    return this.#firstPart < this.#parts.length
  }

  push(page: FrontierRecord): void {
    this.#pages.push(page)
  }

  shift(): FrontierRecord | undefined {
    const page = this.first
    if (page === undefined) return undefined
    this.#firstPage++
    if (this.#firstPage === this.#pages.length) {
      this.#pages = []
      this.#firstPage = 0
    } else if (this.#firstPage === CUT) {
      this.#pages = this.#pages.slice(CUT)
      this.#firstPage = 0
    }
    return page
  }

  /** Leaves a page to the store. Returns `false` if its number only continues the last part. */
  leave(seq: number): boolean {
    const last = this.#parts.length - 1
    if (this.#parts[last] === seq - 1) {
      this.#parts[last] = seq
      return false
    }
    this.#parts.push(seq, seq)
    return true
  }

  /** Takes the numbers of the next pages, at most `most`. `parts`: how many parts ended. */
  takeNumbers(most: number): { readonly seqs: readonly number[]; readonly parts: number } {
    const seqs: number[] = []
    let parts = 0
    while (seqs.length < most && this.hasMore) {
      const seq = this.#parts[this.#firstPart] ?? 0
      seqs.push(seq)
      if (seq < (this.#parts[this.#firstPart + 1] ?? 0)) this.#parts[this.#firstPart] = seq + 1
      else {
        this.#firstPart += 2
        parts++
      }
    }
    if (!this.hasMore) {
      this.#parts = []
      this.#firstPart = 0
    } else if (this.#firstPart >= CUT && 2 * this.#firstPart >= this.#parts.length) {
      this.#parts = this.#parts.slice(this.#firstPart)
      this.#firstPart = 0
    }
    return { seqs, parts }
  }
}

/** About how many bytes of memory a page takes. */
export function bytesOfPage({ url, foundOn = '', carried }: FrontierRecord): number {
  const carriedLength = carried ? JSON.stringify(carried).length : 0
  return BYTES_OF_PAGE + url.length + foundOn.length + carriedLength
}
