import { originOf } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import { refuse } from './guard.ts'
import type { GuardOptions, UrlParts } from './guard.ts'

/**
 * Returns the reason why a URL would be refused before any network use, or `null`, as `refusalOf`
 * does. The URL was parsed before: its parts are cut out of its text.
 */
export function refusalOfNormal(url: NormalUrl, options: GuardOptions = {}): string | null {
  const origin = originOf(url)
  const authority = origin.slice(origin.indexOf('//') + 2)
  // An IPv6 address has colons too, in brackets.
  const colon = authority.indexOf(':', authority.lastIndexOf(']') + 1)
  const parts: UrlParts = {
    protocol: url.slice(0, url.indexOf('//')),
    username: '',
    password: '',
    hostname: colon < 0 ? authority : authority.slice(0, colon),
    port: colon < 0 ? '' : authority.slice(colon + 1),
    origin,
  }
  return refuse(parts, options)?.[1] ?? null
}
