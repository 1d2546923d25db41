import { formatOf } from '../../engine/export/formats.ts'
import type { ExportFormat, PartSize } from '../../engine/export/format.ts'
import type {
  Column,
  ExportColumnType,
  OpenRows,
  RowBlock,
  RowsMedia,
  RowsSpec,
} from '../../ports/row-work.ts'
import type { PagesOf } from '../ledger/account-plan.ts'
import type { SignMedia } from './row-parts.ts'
import type { Shares } from '../limits/shares.ts'
import { badRequest } from '../../kernel/errors.ts'
import { fileName } from './downloads.ts'
import type { ExportFile } from './downloads.ts'

/** Input of {@link exportRows}. */
interface RowsToExport extends PullStreamOptions {
  /** Name of the format. Absent: CSV. */
  readonly format: string | undefined
  readonly columns: readonly string[]
  /**
   * Types of columns, if they are certain. For other columns, a format that needs the type of every
   * column reads all rows once more.
   */
  readonly types?: ReadonlyMap<string, ExportColumnType>
  /** Title of the rows, for the file name. */
  readonly title: string
  /** Used if the title gives no file name. */
  readonly id: string
  /**
   * Returns the stored rows in blocks of about `size`. Nothing is read until the file is read. Each
   * call starts at the first row.
   */
  blocks(size: PartSize): AsyncIterable<RowBlock>
  /** See {@link RowsSpec}. */
  readonly member?: string
  /** See {@link RowsSpec}. */
  readonly beside?: boolean
  /** Absent: the rows have no media. */
  readonly media?: RowsMedia & { readonly sign: SignMedia }
  /** Opens the workers that convert rows. */
  readonly pagesOf: PagesOf
}

/**
 * Limit on rows that are converted on the serving thread in one step: less than a millisecond or
 * two of work, for which no thread is started.
 */
const SMALL = { bytes: 16_384, cells: 5_000 }

/**
 * Writes rows as a file.
 *
 * @throws {PlatformError} 400 for an unknown format, with the known ones; 422 if the first rows
 *   take too much time or memory; 429 if the account has as many downloads as it may
 */
export async function exportRows(source: RowsToExport): Promise<ExportFile> {
  const format = formatOf(source.format)
  return {
    name: fileName(source.title, source.id, format.extension),
    contentType: format.contentType,
    body: await pullStream(chunksOf(format, source), source),
  }
}

async function* chunksOf(
  format: ExportFormat,
  source: RowsToExport,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { RowParts, partSizeOf, typesOfRows } = await import('./row-parts.ts')
  const { types, member, beside, media } = source
  const size = partSizeOf(format.partSize, source.columns.length)
  const small = await smallBlocks(source, size)
  const blocks = (): AsyncIterable<RowBlock> => (small ? listed(small) : source.blocks(size))
  const open = small ? openHere : await openApart(source)
  const opened = (columns: readonly Column[]): OpenRows =>
    open({
      format: format.name,
      columns,
      ...(member !== undefined && { member }),
      ...(beside === true && { beside }),
      ...(media && { media: { paths: media.paths, flat: media.flat } }),
    })

  let columns: readonly Column[] = source.columns.map((name) => ({
    name,
    type: types?.get(name) ?? null,
  }))
  if (format.needsTypes) {
    const rows = opened(columns)
    columns = await typesOfRows(blocks(), rows, columns).finally(() => rows.close())
  }
  const rows = opened(columns)
  const parts = new RowParts({ blocks: blocks(), rows, sign: media?.sign })
  try {
    yield* format.assemble(columns, parts)
  } finally {
    await parts.close()
    rows.close()
  }
}

/** Reads all rows if they are few. `null`: there are too many. */
async function smallBlocks(
  { blocks, columns }: RowsToExport,
  size: PartSize,
): Promise<readonly RowBlock[] | null> {
  const blockList: RowBlock[] = []
  let bytes = 0
  let rows = 0
  for await (const block of blocks({ bytes: Math.min(size.bytes, SMALL.bytes), rows: size.rows })) {
    blockList.push(block)
    bytes += block.body.length
    rows += block.rows
    if (bytes > SMALL.bytes || rows * columns.length > SMALL.cells) return null
  }
  return blockList
}

async function* listed(blocks: readonly RowBlock[]): AsyncGenerator<RowBlock> {
  yield* blocks
}

async function openApart({
  pagesOf,
  account,
}: RowsToExport): Promise<(spec: RowsSpec) => OpenRows> {
  const pages = await pagesOf(account)
  return (spec) => pages.openRows(spec)
}

function openHere(spec: RowsSpec): OpenRows {
  const opening = import('../../engine/export/open-row-work.ts').then(({ openRowWork }) =>
    openRowWork(spec),
  )
  opening.catch(() => {})
  return { ask: async (question) => (await opening)(question), close: () => {} }
}

/** The account of a stream, and the semaphores that accounts share. */
interface PullStreamOptions {
  readonly account: string
  readonly shares: Shares
  /**
   * True if the stream does not share the permits of downloads. It has its own limit, and would
   * hold a permit nearly all the time.
   */
  readonly isApart?: boolean
}

/**
 * A byte stream that generates a chunk only when its reader pulls, in turns with the downloads of
 * other accounts. The first chunk is generated before the response, so that an early failure can
 * still be an error response. A later failure breaks the stream, because half a file must not look
 * complete. The stream counts as a download until it is read to the end or cancelled.
 *
 * @throws {PlatformError} 429 if the account has as many downloads as it may
 */
export async function pullStream(
  chunks: AsyncIterable<Uint8Array<ArrayBuffer>>,
  { account, shares, isApart = false }: PullStreamOptions,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const leave = await shares.downloads.enter(account)
  const iterator = chunks[Symbol.asyncIterator]()
  const next = async (): Promise<IteratorResult<Uint8Array<ArrayBuffer>>> => {
    try {
      return await (isApart ? iterator.next() : shares.pieces.run(account, () => iterator.next()))
    } catch (error) {
      leave()
      throw error
    }
  }
  let first: IteratorResult<Uint8Array<ArrayBuffer>> | null = await next()
  return shares.stream({
    async next() {
      const result = first ?? (await next())
      first = null
      return result.done ? null : { bytes: result.value }
    },
    leave,
    cancel: async () => void (await iterator.return?.()),
  })
}

/**
 * The wanted columns, in the wanted order. All columns if no column is named.
 *
 * @throws {PlatformError} 400 at `fields`, for an unknown column and for one named twice
 */
export function chooseColumns(
  columns: readonly string[],
  fields: readonly string[] | undefined,
): readonly string[] {
  if (fields === undefined) return columns
  const names = joinedFields(columns, fields)
  const unknown = names.filter((name) => !columns.includes(name))
  if (unknown.length > 0)
    throw badRequest([
      { path: 'fields', message: `unknown: ${unknown.join(', ')}; columns: ${columns.join(', ')}` },
    ])
  if (new Set(names).size < names.length)
    throw badRequest([{ path: 'fields', message: 'names a column twice' }])
  return names
}

/**
 * Joins the parts of names that contain commas, because a query separates its columns by commas. A
 * name in quotes, as in JSON, is one column. Without quotes, a part is a column if it is the name
 * of one, and if the parts after it are columns too.
 */
function joinedFields(columns: readonly string[], fields: readonly string[]): readonly string[] {
  if (!columns.some((name) => name.includes(','))) return fields
  const spellings = columns
    .flatMap((name) =>
      [[name], name.split(','), JSON.stringify(name).split(',')].map((parts) => ({ name, parts })),
    )
    .toSorted((a, b) => a.parts.length - b.parts.length)
  // Goes from the end to the start. For each part it stores a column that begins there, if all
  // later parts are columns too.
  const starts = new Map<number, { readonly name: string; readonly end: number }>()
  for (let index = fields.length - 1; index >= 0; index--)
    for (const { name, parts } of spellings) {
      const end = index + parts.length
      const isHere = parts.every((part, offset) => part === fields[index + offset])
      if (!isHere || (end < fields.length && !starts.has(end))) continue
      starts.set(index, { name, end })
      break
    }
  const names: string[] = []
  for (let start = starts.get(0); start !== undefined; start = starts.get(start.end))
    names.push(start.name)
  return names.length === 0 ? fields : names
}
