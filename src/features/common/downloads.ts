import { COMPRESSIBLE_TYPES, EXPORT_TYPES, formatOf } from '../../engine/export/formats.ts'
import type { RawAnswer } from '../../kernel/http/route.ts'
import type { ExportFormat, PartSize } from '../../engine/export/format.ts'
import type {
  Column,
  ColumnType,
  OpenRows,
  RowBlock,
  RowsMedia,
  RowsSpec,
} from '../../ports/row-work.ts'
import type { PagesOf } from '../ledger/account-plan.ts'
import type { SignMedia } from './row-parts.ts'
import type { Shares } from '../limits/shares.ts'
import { badRequest } from '../../kernel/errors.ts'

const exampleRows = [
  { title: 'Fountain pen', price: 24.5 },
  { title: 'Ink, blue', price: null },
]

/** Sample files by format, for the documentation. Binary formats have none. */
const FILE_EXAMPLES: Readonly<Record<string, string>> = {
  csv: 'title,price\r\nFountain pen,24.5\r\n"Ink, blue",\r\n',
  jsonl: exampleRows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  json: JSON.stringify(exampleRows),
  xml:
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<rows xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n' +
    '<row><title>Fountain pen</title><price>24.5</price></row>\n' +
    '<row><title>Ink, blue</title><price xsi:nil="true"/></row>\n</rows>\n',
  html:
    '<table><thead><tr><th scope="col">title</th><th class="n" scope="col">price</th></tr>' +
    '</thead><tbody><tr><td>Fountain pen</td><td class="n">24.5</td></tr></tbody></table>',
}

/** Response description of an export, for the route's row. */
export const EXPORT_ANSWER: RawAnswer = {
  contents: Object.fromEntries(
    Object.entries(EXPORT_TYPES).map(([format, type]) => [type, FILE_EXAMPLES[format] ?? null]),
  ),
  compressible: COMPRESSIBLE_TYPES,
  headers: {
    'Content-Disposition': 'Name of the file (RFC 6266).',
    'Content-Encoding':
      '`gzip`, if `Accept-Encoding` allows it and the format is not already compressed.',
    Vary: '`Accept-Encoding`.',
  },
}

/** The response with an export. */
export function downloadOf({ name, contentType, body }: ExportFile): Response {
  return new Response(body, {
    headers: {
      'Content-Type': contentType,
      'Content-Disposition': attachment(name),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  })
}

/** An export, generated while it is read. */
export interface ExportFile {
  readonly name: string
  readonly contentType: string
  /** Errors if the rest cannot be generated. Cancelling it stops the work. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** Input of {@link exportRows}. */
interface RowsToExport extends PullStreamOptions {
  /** Name of the format. Absent: CSV. */
  readonly format: string | undefined
  readonly columns: readonly string[]
  /**
   * Types of columns, if they are certain. A format that needs the type of every column reads all
   * rows once more to find the others.
   */
  readonly types?: ReadonlyMap<string, ColumnType>
  /** Title of the rows, for the file name. */
  readonly title: string
  /** Used if the title gives no file name. */
  readonly id: string
  /**
   * Returns the stored rows in blocks of about `size`. Nothing is read before the file is. Each
   * call starts at the first row.
   */
  blocks(size: PartSize): AsyncIterable<RowBlock>
  /** See {@link RowsSpec}. */
  readonly member?: string
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

/** Reads all rows if they are few. `null`: there are too many. */
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

/** The account of a stream, and the semaphores it shares with others. */
interface PullStreamOptions {
  readonly account: string
  readonly shares: Shares
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
  { account, shares }: PullStreamOptions,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const leave = await shares.downloads.enter(account)
  const iterator = chunks[Symbol.asyncIterator]()
  const next = async (): Promise<IteratorResult<Uint8Array<ArrayBuffer>>> => {
    try {
      return await shares.pieces.run(account, () => iterator.next())
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
 * The wanted columns, in the wanted order. All columns if none are named.
 *
 * @throws {PlatformError} 400 at `fields`, for an unknown column and for one named twice
 */
export function chooseColumns(
  known: readonly string[],
  fields: readonly string[] | undefined,
): readonly string[] {
  if (fields === undefined) return known
  const unknown = fields.filter((field) => !known.includes(field))
  if (unknown.length > 0)
    throw badRequest([
      { path: 'fields', message: `unknown: ${unknown.join(', ')}; columns: ${known.join(', ')}` },
    ])
  if (new Set(fields).size < fields.length)
    throw badRequest([{ path: 'fields', message: 'names a column twice' }])
  return fields
}

const MAX_LENGTH = 80
/**
 * Characters not allowed in file names: control characters, special characters of paths and shells,
 * and characters that reverse text (Unicode bidi).
 */
const UNFIT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu

/** A file name for a download: the title first, an id that keeps it unique, the extension. */
export function fileName(title: string, id: string, extension: string): string {
  const fit = title
    .toWellFormed()
    .replace(UNFIT, ' ')
    .replace(/\s+/g, '-')
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '')
  const short = [...fit].slice(0, MAX_LENGTH).join('')
  return `${short === '' ? 'results' : short}-${id}.${extension}`
}

/** `Content-Disposition` of a download (RFC 6266), with the name in ASCII and in full (RFC 8187). */
export function attachment(name: string): string {
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\w.() -]+/g, '_')
  const full = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${full}`
}

const API = '/api/v1/'

/** The URL at which the service is mounted: a request's URL up to the API's path. */
export function linkBase(url: string): string {
  const at = url.indexOf(API)
  return at < 0 ? '' : url.slice(0, at)
}
