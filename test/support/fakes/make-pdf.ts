import { deflateSync } from 'node:zlib'

/** An object of a PDF: its dictionary, and a stream if it has one. */
export interface PdfObject {
  readonly dictionary: string
  readonly stream?: string
}

/** The metadata of a PDF, and other options of its bytes. */
export interface PdfParts {
  readonly info?: Readonly<Record<string, string>>
  /** Streams are compressed unless this is false. */
  readonly packed?: boolean
  /** Entries of the trailer, such as those of a file with a password. */
  readonly trailer?: string
}

/** Writes objects, numbered from 1, as a file (ISO 32000-2, 7.5). */
export function makePdfOf(
  objects: readonly PdfObject[],
  root: number,
  { info = {}, packed = true, trailer = '' }: PdfParts = {},
): Uint8Array {
  const all = [
    ...objects,
    {
      dictionary: Object.entries(info)
        .map(([name, value]) => `/${name} (${value})`)
        .join(' '),
    },
  ]
  let file = '%PDF-1.7\n'
  const offsets = all.map(({ dictionary, stream }, index) => {
    const start = file.length
    const bytes =
      stream === undefined
        ? null
        : packed
          ? deflateSync(Buffer.from(stream, 'latin1')).toString('latin1')
          : stream
    file +=
      `${index + 1} 0 obj\n<< ${dictionary}` +
      (bytes === null ? '' : ` /Length ${bytes.length}${packed ? ' /Filter /FlateDecode' : ''}`) +
      ` >>\n${bytes === null ? '' : `stream\n${bytes}\nendstream\n`}endobj\n`
    return start
  })
  const table = file.length
  file +=
    `xref\n0 ${all.length + 1}\n0000000000 65535 f \n` +
    offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('') +
    `trailer\n<< /Size ${all.length + 1} /Root ${root} 0 R /Info ${all.length} 0 R ${trailer}` +
    ` >>\nstartxref\n${table}\n%%EOF\n`
  return new Uint8Array(Buffer.from(file, 'latin1'))
}

/** A line of a page: its text, and the size of its letters. */
export type PdfLine = string | readonly [text: string, size: number]

/** A file with these pages, each a list of lines; an empty line leaves a gap. */
export function makePdf(pages: readonly (readonly PdfLine[])[], parts?: PdfParts): Uint8Array {
  return makePdfOf(objectsOf(pages.map(contentOf)), 3, parts)
}

/** A file with pages of this content, as operators. */
export function objectsOf(contents: readonly string[], resources = ''): PdfObject[] {
  const first = 4
  return [
    { dictionary: '/Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding' },
    {
      dictionary:
        `/Type /Pages /Count ${contents.length} /Kids [` +
        `${contents.map((_, index) => `${first + 2 * index} 0 R`).join(' ')}]`,
    },
    { dictionary: '/Type /Catalog /Pages 2 0 R /Lang (en)' },
    ...contents.flatMap((stream, index) => [
      {
        dictionary:
          '/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ' +
          `${first + 2 * index + 1} 0 R /Resources << /Font << /F 1 0 R >> ${resources} >>`,
      },
      { dictionary: '', stream },
    ]),
  ]
}

function contentOf(lines: readonly PdfLine[]): string {
  let y = 760
  return lines
    .map((line) => {
      const [text, size] = typeof line === 'string' ? [line, 12] : line
      y -= size * 1.2
      return text === ''
        ? ''
        : `BT /F ${size} Tf 50 ${y.toFixed(1)} Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`
    })
    .join('\n')
}
