/** How a page's body is read. `other`: not read at all. */
export type ContentKind = 'html' | 'xml' | 'json' | 'text' | 'other'

/**
 * The kind of a `Content-Type` header. Without one, the first bytes tell markup and JSON from other text (a plain,
 * small part of the MIME Sniffing Standard).
 */
export function contentKind(contentType: string, body: Uint8Array): ContentKind {
  const end = contentType.indexOf(';')
  const type = (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (type === '' || type === 'application/octet-stream' || type === 'unknown/unknown') return sniff(body)
  if (type === 'text/xml' || type === 'application/xml' || type.endsWith('+xml')) return type === 'image/svg+xml' ? 'other' : 'xml'
  if (type === 'application/json' || type === 'text/json' || type.endsWith('+json')) return 'json'
  return type.startsWith('text/') ? 'text' : 'other'
}

function sniff(body: Uint8Array): ContentKind {
  const head = body.subarray(0, 512)
  if (head.some((byte) => byte < 9 || (byte > 13 && byte < 27))) return 'other'
  const text = String.fromCharCode(...head).replace(/^\xef\xbb\xbf/, '').trimStart()
  if (text.startsWith('<')) return /^<\?xml|^<(?:rss|feed|urlset|sitemapindex)\b/i.test(text) ? 'xml' : 'html'
  if (text.startsWith('{') || text.startsWith('[')) return 'json'
  return text === '' ? 'other' : 'text'
}
