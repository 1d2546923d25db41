/** How a page's body is read. `other`: not read at all. */
export type ContentKind = 'html' | 'xml' | 'json' | 'text' | 'other'

/**
 * The kind of a `Content-Type` header; a feed is XML whatever it is called. Without one, the first bytes tell markup and JSON from other text (a plain,
 * small part of the MIME Sniffing Standard).
 */
export function contentKind(contentType: string, body: Uint8Array): ContentKind {
  const end = contentType.indexOf(';')
  const type = (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
  if (type === 'text/html' || type === 'application/xhtml+xml') return isFeed(body) ? 'xml' : 'html'
  if (type === '' || type === 'application/octet-stream' || type === 'unknown/unknown') return sniff(body)
  if (type === 'text/xml' || type === 'application/xml' || type.endsWith('+xml')) return type === 'image/svg+xml' ? 'other' : 'xml'
  if (type === 'application/json' || type === 'text/json' || type.endsWith('+json')) return 'json'
  return type.startsWith('text/') ? (isFeed(body) ? 'xml' : 'text') : 'other'
}

/** Feeds come as HTML and as plain text, too. */
function isFeed(body: Uint8Array): boolean {
  let at = body[0] === 0xef ? 3 : 0
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at++
  const next = (body[at + 1] ?? 0) | 0x20
  // `<?xml`, `<rss`, `<feed`, `<rdf`: one look at most pages.
  if (body[at] !== 0x3c || (next !== 0x3f && next !== 0x72 && next !== 0x66)) return false
  return /^<(?:\?xml[^>]{0,200}>\s*(?:<!--[^>]*>\s*|<\?[^>]{0,400}>\s*){0,5}<)?(?:rss|feed|rdf:RDF)[\s>]/.test(String.fromCharCode(...body.subarray(at, at + 1_000)))
}

function sniff(body: Uint8Array): ContentKind {
  const head = body.subarray(0, 512)
  if (head.some((byte) => byte < 9 || (byte > 13 && byte < 27))) return 'other'
  const text = String.fromCharCode(...head).replace(/^\xef\xbb\xbf/, '').trimStart()
  if (text.startsWith('<')) return /^<\?xml|^<(?:rss|feed|urlset|sitemapindex)\b/i.test(text) ? 'xml' : 'html'
  if (text.startsWith('{') || text.startsWith('[')) return 'json'
  return text === '' ? 'other' : 'text'
}
