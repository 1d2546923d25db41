import { MEDIA_EXTENSIONS } from './media-types.ts'

const MAX_STEM = 60

/**
 * A name for a media item, of letters, digits, `.`, `_` and `-`: the last part of its URL, with the
 * extension of its type. An extension that the type does not have never stays at the end.
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
