import type { Principal } from '../../src/kernel/http/route.ts'
import { isCleanText } from './claims.ts'
import type { JwtClaims } from './claims.ts'

/** The platform's own account. */
const RESERVED = '~'

/**
 * The default of {@link JwtRules.principal}: `null` where the claim that names the account is not a
 * text.
 */
export function principalOf(claims: JwtClaims): Principal | null {
  const account = first(claims, ['org_id', 'account']) ?? claims.sub
  return typeof account === 'string'
    ? { account, user: claims.sub, scopes: scopesOf(claims) }
    : null
}

/** True if a principal is valid: its names become parts of store keys. */
export function isAdmissible({ account, user }: Principal): boolean {
  return account !== RESERVED && isCleanText(account) && isCleanText(user)
}

/**
 * Words of `scope` (RFC 8693 section 4.2), else the list `scp` or `scopes`. The first that is there
 * decides; in any other shape it grants nothing.
 */
function scopesOf(claims: JwtClaims): readonly string[] {
  if (claims['scope'] !== undefined)
    return typeof claims['scope'] === 'string'
      ? claims['scope'].split(' ').filter((word) => word !== '')
      : []
  const list = first(claims, ['scp', 'scopes'])
  return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : []
}

function first(claims: JwtClaims, names: readonly string[]): unknown {
  return names
    .map((name) => (Object.hasOwn(claims, name) ? claims[name] : undefined))
    .find((value) => value !== undefined)
}
