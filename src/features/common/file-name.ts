const MAX_LENGTH = 80
/**
 * Control characters, what paths and shells take for their own, and characters that turn text
 * around (Unicode bidi).
 */
const UNFIT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu

/** A name for a downloaded file: words of people first, an id that keeps it unique, the extension. */
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
