import { cutUrl } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import { refuse } from './guard.ts'
import type { GuardOptions } from './guard.ts'

/**
 * Returns the reason why a URL would be refused before any network use, or `null`, as `refusalOf`
 * does. The URL was parsed before, so its parts are cut out of its text.
 */
export function refusalOfNormal(url: NormalUrl, options: GuardOptions = {}): string | null {
  return refuse({ ...cutUrl(url), username: '', password: '' }, options)?.[1] ?? null
}
