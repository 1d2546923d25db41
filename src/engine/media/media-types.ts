/** The type served if a type is unknown, or if a browser could run it. */
export const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * All other types that media is stored and served as, with their extensions. No browser runs them,
 * except SVG, which is served in a sandbox.
 */
export const MEDIA_EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/heic': 'heic',
  'image/bmp': 'bmp',
  'image/x-icon': 'ico',
  'image/tiff': 'tif',
  'image/svg+xml': 'svg',
  'audio/mp4': 'm4a',
  'audio/webm': 'weba',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/flac': 'flac',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/ogg': 'ogv',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'application/epub+zip': 'epub',
  'application/json': 'json',
  'application/x-ndjson': 'jsonl',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.presentation': 'odp',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'text/calendar': 'ics',
  'text/vcard': 'vcf',
  'text/markdown': 'md',
}

const MAX_STEM = 60

/**
 * Returns a file name for a media item, with letters, digits, `.`, `_` and `-`: the last part of
 * its URL, with the extension of its type. An extension that does not fit the type never stays at
 * the end.
 */
export function mediaName(sourceUrl: string, contentType: string): string {
  const path = URL.parse(sourceUrl)?.protocol.startsWith('http')
    ? (URL.parse(sourceUrl)?.pathname ?? '')
    : ''
  const last = decoded(path.slice(path.lastIndexOf('/') + 1))
  const stem = last
    .replace(/\.\w{1,8}$/, '')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\w-]+/g, '-')
    .replace(/^[-_]+|(?<![-_])[-_]+$/g, '')
    .slice(0, MAX_STEM)
  return `${stem || 'media'}.${MEDIA_EXTENSIONS[contentType] ?? 'bin'}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
