import { demandScope } from '../kernel/preconditions.ts'
import { unauthorized } from '../kernel/errors.ts'
import { requestOf } from '../kernel/http/message.ts'
import type { Incoming, RequestHeaders } from '../kernel/http/message.ts'
import type { AnyRoute, Principal } from '../kernel/http/route.ts'
import type { Authenticator } from '../ports/authenticator.ts'

const BEARER = /^bearer +/i
const BEARER_IN_LIST = /(?:^|,)\s*bearer\s/i

/** The principal of a public route. */
export const NOBODY: Principal = Object.freeze({ account: '', user: '', scopes: Object.freeze([]) })

/**
 * Calls the authenticators in order. The first that returns a principal decides. One that throws
 * 401 also decides, because it knows the credential as not valid.
 *
 * @throws {PlatformError} 401 if no authenticator knows the caller, and for two credentials at once; always with
 *   the same body.
 */
export async function authenticate(
  incoming: Incoming,
  authenticators: readonly Authenticator[],
): Promise<Principal> {
  if (hasTwoCredentials(incoming.headers)) throw unauthorized()
  for (const authenticator of authenticators) {
    const principal = await (authenticator.byHeaders
      ? authenticator.byHeaders(incoming.headers)
      : authenticator(requestOf(incoming)))
    if (principal) return checked(principal)
  }
  throw unauthorized()
}

/**
 * Checks the result of an authenticator. An authenticator in JavaScript may return anything, such
 * as a number as the account. Records stored under a number would not be found again.
 */
function checked(principal: Principal): Principal {
  const { account, user, scopes } = principal
  if (typeof account !== 'string' || typeof user !== 'string' || !Array.isArray(scopes))
    throw new Error(
      'The authenticator must return a principal: `account` and `user` as texts, `scopes` as a list',
    )
  // The empty account belongs to no caller, and `~` is the platform's own.
  if (account === '' || account === '~')
    throw new Error(`An authenticator returned the reserved account "${account}"`)
  return principal
}

/** @throws {PlatformError} 403 if the caller has none of the route's scopes. */
export function authorize(principal: Principal, route: AnyRoute): void {
  if (route.scope !== null) demandScope(principal, [route.scope, ...(route.otherScopes ?? [])])
}

// Headers joins repeated Authorization headers with a comma, which no bearer token can hold (RFC
// 6750 section 2.1).
function hasTwoCredentials(headers: RequestHeaders): boolean {
  const authorization = headers.get('authorization')
  const key = headers.get('x-api-key')
  if (key?.includes(',')) return true
  if (authorization === null) return false
  if (authorization.includes(',')) return BEARER_IN_LIST.test(authorization)
  if (!BEARER.test(authorization)) return false
  return key !== null && key.trim() !== authorization.replace(BEARER, '').trim()
}
