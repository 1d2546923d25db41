import type { Principal } from '../../src/kernel/http/route.ts'
import { isCleanText } from './claims.ts'
import type { JwtClaims } from './claims.ts'

/** The platform's own account. */
const RESERVED = '~'

/**
 * The default of {@link JwtRules.principal}. It returns `null` if the claim with the account is not
 * a text.
 */
export function principalOf(claims: JwtClaims, scopePrefix = ''): Principal | null {
  const account = first(claims, ['org_id', 'account']) ?? claims.sub
  return typeof account === 'string'
    ? { account, user: claims.sub, scopes: scopesOf(claims, scopePrefix) }
    : null
}

/** True if a principal is valid: its names become parts of store keys. */
export function isAdmissible({ account, user }: Principal): boolean {
  return account !== RESERVED && isCleanText(account) && isCleanText(user)
}

/**
 * Issuers name scopes in different claims, and some in two: at Auth0, `scope` has the scopes that
 * the application asked for, and `permissions` those that the user may use. Each claim is a list,
 * or a text of words (RFC 8693 section 4.2). A claim of another type grants nothing.
 */
function scopesOf(claims: JwtClaims, prefix: string): readonly string[] {
  return ['scope', 'scp', 'scopes', 'permissions']
    .flatMap((name) => {
      const value = Object.hasOwn(claims, name) ? claims[name] : null
      if (typeof value === 'string') return value.split(' ')
      return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : []
    })
    .filter((name) => name.startsWith(prefix) && name !== prefix)
    .map((name) => name.slice(prefix.length))
}

function first(claims: JwtClaims, names: readonly string[]): unknown {
  return names
    .map((name) => (Object.hasOwn(claims, name) ? claims[name] : undefined))
    .find((value) => value !== undefined)
}
