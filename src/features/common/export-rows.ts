import type { ExportFormat, PartSize } from '../../engine/export/format.ts'
import { formatOf } from '../../engine/export/formats.ts'
import type {
  Column,
  ColumnType,
  OpenRows,
  RowBlock,
  RowsMedia,
  RowsSpec,
} from '../../ports/row-work.ts'
import type { PagesOf } from './account-pages.ts'
import { fileName } from './file-name.ts'
import { pullStream } from './pull-stream.ts'
import type { PullStreamOptions } from './pull-stream.ts'
import type { SignMedia } from './row-parts.ts'

/** Rows as a file, made while it is read. */
export interface ExportFile {
  readonly name: string
  readonly contentType: string
  /** Breaks with an error if the rest cannot be made. Cancelling it stops the work. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** What {@link exportRows} writes. */
export interface RowsToExport extends PullStreamOptions {
  /** Name of the format; absent: CSV. */
  readonly format: string | undefined
  readonly columns: readonly string[]
  /**
   * What columns hold, where that is certain. A format that must know of every column reads all
   * rows once more to find out the rest.
   */
  readonly types?: ReadonlyMap<string, ColumnType>
  /** What the rows are called, for the file's name. */
  readonly title: string
  /** Stands for the title where that gives no name. */
  readonly id: string
  /**
   * Rows as they are stored, in blocks of about this size; not read before the file is. Each call
   * begins at the first row.
   */
  blocks(size: PartSize): AsyncIterable<RowBlock>
  /** See {@link RowsSpec}. */
  readonly member?: string
  /** Absent: the rows have no media. */
  readonly media?: RowsMedia & { readonly sign: SignMedia }
  /** Whoever converts rows. */
  readonly pagesOf: PagesOf
}

/**
 * Rows that are converted on the thread that serves, in one go: less than a millisecond or two of
 * work, for which no thread is started.
 */
const SMALL = { bytes: 16_384, cells: 5_000 }

/**
 * Writes rows as a file.
 *
 * @throws {PlatformError} 400 for an unknown format, with the known ones; 422 where the first of
 *   them take too much; 429 where the account has as many downloads as it may
 */
export async function exportRows(wanted: RowsToExport): Promise<ExportFile> {
  const format = formatOf(wanted.format)
  return {
    name: fileName(wanted.title, wanted.id, format.extension),
    contentType: format.contentType,
    body: await pullStream(chunksOf(format, wanted), wanted),
  }
}

async function* chunksOf(
  format: ExportFormat,
  wanted: RowsToExport,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { RowParts, partSizeOf, typesOfRows } = await import('./row-parts.ts')
  const { types, member, media } = wanted
  const size = partSizeOf(format.partSize, wanted.columns.length)
  const small = await smallBlocks(wanted, size)
  const blocks = (): AsyncIterable<RowBlock> => (small ? listed(small) : wanted.blocks(size))
  const open = small ? openHere : await openApart(wanted)
  const opened = (columns: readonly Column[]): OpenRows =>
    open({
      format: format.name,
      columns,
      ...(member !== undefined && { member }),
      ...(media && { media: { paths: media.paths, flat: media.flat } }),
    })

  let columns: readonly Column[] = wanted.columns.map((name) => ({
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

/** All rows, if they are few; `null`: they are not. */
async function smallBlocks(
  { blocks, columns }: RowsToExport,
  size: PartSize,
): Promise<readonly RowBlock[] | null> {
  const found: RowBlock[] = []
  let bytes = 0
  let rows = 0
  for await (const block of blocks({ bytes: Math.min(size.bytes, SMALL.bytes), rows: size.rows })) {
    found.push(block)
    bytes += block.body.length
    rows += block.rows
    if (bytes > SMALL.bytes || rows * columns.length > SMALL.cells) return null
  }
  return found
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
