import { originOf } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/**
 * The `Referer` of a file that a page names, as browsers send it by default (Referrer Policy,
 * strict-origin-when-cross-origin).
 */
export function refererOf(pageUrl: string, url: NormalUrl): Readonly<Record<string, string>> {
  const page = URL.parse(pageUrl)
  if (page === null || (page.protocol === 'https:' && !url.startsWith('https:'))) return {}
  return { referer: page.origin === originOf(url) ? pageUrl : `${page.origin}/` }
}
