import type { NotedPart, PartSize, PartSource } from '../../engine/export/format.ts'
import { addType } from '../../engine/export/infer-columns.ts'
import { endOfLines } from '../../engine/export/row-lines.ts'
import { PlatformError } from '../../kernel/errors.ts'
import { PageFailure } from '../../kernel/failures.ts'
import type {
  Column,
  ExportColumnType,
  MediaTarget,
  NamedRows,
  OpenRows,
  RowBlock,
  RowsPart,
  RowsQuestion,
} from '../../ports/row-work.ts'

/** Makes fresh links to media items. */
export type SignMedia = (
  targets: readonly MediaTarget[],
) => Promise<readonly (readonly [MediaTarget, string])[]>

/** Options of {@link RowParts}. */
export interface RowPartsOptions {
  readonly blocks: AsyncIterable<RowBlock>
  /** Opens the workers that convert rows. */
  readonly rows: OpenRows
  /** Absent: the rows have no media. */
  readonly sign?: SignMedia | undefined
}

/** A part that is being converted. */
interface Ahead {
  readonly block: RowBlock
  readonly first: number
  readonly part: Promise<RowsPart>
}

/**
 * Limit on cells that are converted at once. Rows with many columns need much memory, even if they
 * are small when stored.
 */
const MOST_CELLS = 200_000

/** The size of a part of rows with a number of columns. */
export function partSizeOf({ rows, bytes }: PartSize, columns: number): PartSize {
  return { bytes, rows: Math.max(1, Math.min(rows, Math.floor(MOST_CELLS / Math.max(1, columns)))) }
}

/**
 * Parts of a file, converted from stored rows by workers. The next part is started ahead of its
 * request, so that a thread does not wait for this one.
 */
export class RowParts implements PartSource {
  readonly #blocks: AsyncIterator<RowBlock>
  readonly #options: RowPartsOptions
  readonly #left = new AbortController()
  /** Rows that were read and not converted yet. */
  readonly #back: RowBlock[] = []
  #ahead: Promise<Ahead | null> | null = null

  constructor(options: RowPartsOptions) {
    this.#options = options
    this.#blocks = options.blocks[Symbol.asyncIterator]()
  }

  async next(first: number, most: number): Promise<RowsPart | null> {
    const begun = await this.#begun(first, most)
    if (begun === null) return null
    const { block, part } = begun
    if (block.rows < most) this.#ahead = handled(this.#begin(first + block.rows, most - block.rows))
    return part
  }

  async end(parts: readonly NotedPart[]): Promise<RowsPart> {
    const { end } = await askRows(this.#options.rows, { ask: 'end', parts }, this.#left.signal)
    return required(end)
  }

  /** Stops the work in progress. */
  async close(): Promise<void> {
    this.#left.abort()
    await this.#blocks.return?.()
  }

  /** Returns the part that was started ahead, if it is this one. */
  async #begun(first: number, most: number): Promise<Ahead | null> {
    const ahead = await this.#ahead
    this.#ahead = null
    if (ahead === null || (ahead.first === first && ahead.block.rows <= most))
      return ahead ?? this.#begin(first, most)
    // The caller has started a new sheet, in which rows have other numbers.
    ahead.part.catch(() => {})
    this.#back.unshift(ahead.block)
    return this.#begin(first, most)
  }

  async #begin(first: number, most: number): Promise<Ahead | null> {
    const block = await this.#take(most)
    return block && { block, first, part: handled(this.#convert(block, first)) }
  }

  /** Takes the next block, or the wanted part of it. */
  async #take(most: number): Promise<RowBlock | null> {
    const next = this.#back.shift() ?? (await nextOf(this.#blocks))
    if (next === null || next.rows <= most) return next
    const end = endOfLines(next.body, most)
    this.#back.unshift({ body: next.body.subarray(end), rows: next.rows - most })
    return { body: next.body.subarray(0, end), rows: most }
  }

  async #convert(block: RowBlock, first: number): Promise<RowsPart> {
    const { rows, sign } = this.#options
    const { signal } = this.#left
    if (!sign) return required((await askRows(rows, { ask: 'part', block, first }, signal)).part)
    const { media } = await askRows(rows, { ask: 'media', block }, signal)
    const links = await sign(required(media))
    return required((await askRows(rows, { ask: 'part', block, first, links }, signal)).part)
  }
}

/** Completes the types of all columns. Unknown types are derived from all values. */
export async function typesOfRows(
  blocks: AsyncIterable<RowBlock>,
  rows: OpenRows,
  columns: readonly Column[],
): Promise<readonly Column[]> {
  const open = columns.filter(({ type }) => type === null).map(({ name }) => name)
  const typeByName = new Map<string, ExportColumnType>()
  if (open.length > 0) {
    for await (const block of blocks) {
      const { types } = await askRows(rows, { ask: 'types', block })
      for (const [name, type] of Object.entries(required(types))) addType(typeByName, name, type)
      if (open.every((name) => typeByName.get(name) === 'json')) break
    }
  }
  return columns.map(({ name, type }) => ({ name, type: type ?? typeByName.get(name) ?? 'text' }))
}

/** @throws {PlatformError} 422 if the rows took too much time or memory */
async function askRows(
  rows: OpenRows,
  question: RowsQuestion,
  signal?: AbortSignal,
): Promise<NamedRows> {
  try {
    return await rows.ask(question, signal)
  } catch (error) {
    if (!(error instanceof PageFailure)) throw error
    throw new PlatformError(
      'UNPROCESSABLE_CONTENT',
      `${error.message}. Ask for fewer columns by fields, or for another format`,
      { cause: error },
    )
  }
}

async function nextOf(blocks: AsyncIterator<RowBlock>): Promise<RowBlock | null> {
  const { done, value } = await blocks.next()
  return done ? null : value
}

function required<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Error('The rows were not converted')
  return answer
}

/** Marks a rejection as handled. A later `await` still sees it. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
