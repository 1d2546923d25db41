import { replaceEach } from '../../../kernel/text/long-text.ts'
/**
 * Maximum characters before each line, such as `> - `. Lines that are nested deeper stay at the
 * last level, because prefixes would grow with depth.
 */
const MOST_PREFIX = 16

interface Container {
  readonly rest: string
  readonly first: string
  readonly blocks: number
}

/** Writes blocks one below another, also in quotes and list items. */
export class BlockWriter {
  readonly #parts: string[] = []
  #blocks = 0
  readonly #containers: Container[] = []
  /** Prefix of the next line: the markers of the items that begin there. */
  #first = ''
  /** Prefix of each line after that. */
  #rest = ''
  /** Prefix of the blank line before the next block, or `null` if there is no block before. */
  #gap: string | null = null
  #isTight = false
  /** The list that ended last: its sign, and the number of blocks at that time. */
  #ended = { sign: '', blocks: 0, depth: 0 }

  /** Writes a block of one or more lines. */
  write(block: string): void {
    if (this.#gap !== null) this.#parts.push(this.#isTight ? '\n' : `\n${blank(this.#gap)}\n`)
    this.#isTight = false
    this.#blocks++
    this.#parts.push(this.#first, this.#rest === '' ? block : this.#prefixed(block))
    this.#first = this.#rest
    this.#gap = this.#rest
  }

  /** Writes a thematic break. After the marker of an item it uses other marks than the marker. */
  rule(): void {
    this.write(this.#first.includes('-') ? '***' : '---')
  }

  /** Call this at the end of a list whose items have this sign. */
  endList(sign: string): void {
    this.#ended = { sign, blocks: this.#blocks, depth: this.#containers.length }
  }

  /** True if the last block is a list with this sign. */
  endsWith(sign: string): boolean {
    const { sign: last, blocks, depth } = this.#ended
    return last === sign && blocks === this.#blocks && depth === this.#containers.length
  }

  /** How many blocks are written. */
  get count(): number {
    return this.#blocks
  }

  quote(): void {
    this.#enter('> ', '> ')
  }

  /** Begins an item with its marker. `isTight`: no blank line before it. */
  item(marker: string, isTight: boolean): void {
    this.#enter(marker, ' '.repeat(marker.length))
    this.#isTight = isTight
  }

  /** Continues an item that has ended. `width`: the width of its marker. */
  resume(width: number): void {
    this.#enter(' '.repeat(width), ' '.repeat(width))
  }

  /**
   * Ends the innermost quote or item.
   *
   * @returns True if anything was written in it
   */
  leave(): boolean {
    const container = this.#containers.pop()
    if (container === undefined) return false
    const isFilled = this.#blocks > container.blocks
    this.#rest = container.rest
    this.#first = isFilled ? container.rest : container.first
    if (this.#gap !== null) this.#gap = isFilled ? container.rest : this.#gap
    this.#isTight = false
    return isFilled
  }

  text(): string {
    return this.#parts.join('').trim()
  }

  #prefixed(block: string): string {
    const empty = `\n${blank(this.#rest)}`
    return replaceEach(block, /\n+/g, (run) => `${empty.repeat(run.length - 1)}\n${this.#rest}`)
  }

  #enter(first: string, rest: string): void {
    this.#containers.push({ rest: this.#rest, first: this.#first, blocks: this.#blocks })
    const fits = this.#rest.length + rest.length <= MOST_PREFIX
    // Beyond the maximum depth, the marker replaces the last one.
    this.#first = fits
      ? this.#first + first
      : this.#first.slice(0, this.#first.length - first.length) + first
    if (fits) this.#rest += rest
  }
}

/** Shortens `> > ` to `>>`. */
function blank(prefix: string): string {
  return prefix.includes('>') ? prefix.replace(/> /g, '>').trimEnd() : ''
}
