import type { DocumentFormat } from '../../../ports/document-reader.ts'

/** How a page's body is read. `lines`: JSON Lines. `other`: the body is not read. */
export type ContentKind =
  | 'html'
  | 'xml'
  | 'json'
  | 'csv'
  | 'lines'
  | 'text'
  | DocumentFormat
  | 'other'

/** Types of files that a document reader reads. */
const DOCUMENTS: ReadonlyMap<string, DocumentFormat> = new Map([
  ['application/pdf', 'pdf'],
  ['application/x-pdf', 'pdf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-word.document.macroenabled.12', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.ms-excel.sheet.macroenabled.12', 'xlsx'],
])

const CSV = new Set([
  'text/csv',
  'application/csv',
  'text/x-csv',
  'application/x-csv',
  'text/comma-separated-values',
  'text/x-comma-separated-values',
  'text/tab-separated-values',
  'text/tsv',
  'text/x-tsv',
])
const LINES = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'text/x-ndjson',
  'application/jsonl',
  'application/x-jsonl',
  'application/jsonlines',
  'application/x-jsonlines',
  'application/json-lines',
  'application/x-json-lines',
  'text/jsonl',
])
/** RFC 7303. */
const XML = /^(?:text|application)\/xml(?:-dtd|-external-parsed-entity)?$|\+xml$/
/** Types that carry no information. */
const UNKNOWN = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'unknown/unknown',
  'application/x-download',
  'application/force-download',
  'application/download',
])
/** Kinds by file name. They are used if the content type says at most that the file is text. */
const NAMED: Readonly<Record<string, 'csv' | 'lines'>> = {
  csv: 'csv',
  tsv: 'csv',
  tab: 'csv',
  jsonl: 'lines',
  ndjson: 'lines',
}

/**
 * Returns the kind of a page from its `Content-Type` header. A feed is XML even if its type says
 * otherwise. Without an informative type, the first bytes tell markup and JSON from other text (a
 * small subset of the MIME Sniffing Standard). Text, and bodies without a type, are CSV or JSON
 * Lines if the URL ends so.
 */
export function contentKind(contentType: string, body: Uint8Array, url = ''): ContentKind {
  const end = contentType.indexOf(';')
  const type = (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
  if (type === 'text/html' || type === 'application/xhtml+xml') return isFeed(body) ? 'xml' : 'html'
  if (XML.test(type)) return type === 'image/svg+xml' ? 'other' : 'xml'
  if (LINES.has(type)) return 'lines'
  if (type === 'application/json' || type === 'text/json' || type.endsWith('+json'))
    return namedKind(url) === 'lines' ? 'lines' : 'json'
  if (CSV.has(type)) return 'csv'
  if (type === 'text/plain') return isFeed(body) ? 'xml' : (namedKind(url) ?? 'text')
  const document = DOCUMENTS.get(type)
  if (document !== undefined) return document
  if (UNKNOWN.has(type)) return documentFormat(body) ?? nameless(sniff(body), url)
  // Some servers use Excel's type for CSV, for HTML tables and for its newer format.
  if (type === 'application/vnd.ms-excel')
    return documentFormat(body) ?? nameless(sniff(body), 'x.csv')
  // Servers that do not know Office files report them as archives.
  if (ARCHIVES.has(type)) return documentFormat(body) ?? 'other'
  return type.startsWith('text/') ? (isFeed(body) ? 'xml' : 'text') : 'other'
}

/** True for a file that a document reader reads. */
export function isDocument(kind: ContentKind): kind is DocumentFormat {
  return kind === 'pdf' || kind === 'docx' || kind === 'xlsx'
}

function nameless(kind: ContentKind, url: string): ContentKind {
  const named = kind === 'text' || kind === 'json' ? namedKind(url) : null
  // A CSV file of one column of JSON is rarer than a JSON Lines file.
  return named === null || (named === 'csv' && kind === 'json') ? kind : named
}

function namedKind(url: string): 'csv' | 'lines' | null {
  const ending = /\.([a-z]{3,6})(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(NAMED, ending) ? (NAMED[ending] ?? null) : null
}

const ARCHIVES = new Set(['application/zip', 'application/x-zip-compressed', 'application/msword'])
/** Number of bytes at an archive's end that are searched for the names of its parts. */
const DIRECTORY = 65_536

/**
 * Returns the format of a document by its bytes: `%PDF-` at the beginning (ISO 32000-2, 7.5.2), or
 * the main part's name in the directory at the end of an archive (ECMA-376 part 2). Returns `null`
 * for anything else.
 */
export function documentFormat(body: Uint8Array): DocumentFormat | null {
  if (body[0] === 0x25) return latin1(body.subarray(0, 5)) === '%PDF-' ? 'pdf' : null
  if (body[0] !== 0x50 || latin1(body.subarray(0, 4)) !== 'PK\x03\x04') return null
  const directory = latin1(body.subarray(-DIRECTORY))
  if (directory.includes('xl/workbook.xml')) return 'xlsx'
  return directory.includes('word/document.xml') ? 'docx' : null
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes)
}

const FEED_START =
  /^<(?:\?xml[^>]{0,200}>\s*(?:<!--[^>]*>\s*|<\?[^>]{0,400}>\s*){0,5}<)?(?:[\w-]{1,20}:)?(?:rss|feed|RDF)[\s>]/

/** True for a feed. Servers also send feeds as HTML and as plain text. */
function isFeed(body: Uint8Array): boolean {
  let position = body[0] === 0xef ? 3 : 0
  while (
    body[position] === 0x20 ||
    body[position] === 0x0a ||
    body[position] === 0x0d ||
    body[position] === 0x09
  )
    position++
  const next = (body[position + 1] ?? 0) | 0x20
  // `<?xml`, `<rss`, `<feed`, `<rdf`: one comparison rules out most pages.
  if (body[position] !== 0x3c || (next !== 0x3f && next !== 0x72 && next !== 0x66)) return false
  return FEED_START.test(String.fromCharCode(...body.subarray(position, position + 1_000)))
}

function sniff(body: Uint8Array): ContentKind {
  // A byte order mark of UTF-16.
  if ((body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff))
    return 'text'
  const head = body.subarray(0, 512)
  if (head.some((byte) => byte < 9 || (byte > 13 && byte < 27))) return 'other'
  const text = String.fromCharCode(...head)
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
  if (text.startsWith('<'))
    return /^<\?xml|^<(?:rss|feed|urlset|sitemapindex)\b/i.test(text) ? 'xml' : 'html'
  if (text.startsWith('{') || text.startsWith('[')) return 'json'
  return text === '' ? 'other' : 'text'
}
