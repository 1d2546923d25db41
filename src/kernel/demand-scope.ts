import { PlatformError } from './errors.ts'
import { grants } from './scope.ts'
import type { Scope } from './scope.ts'
import type { Terms } from './terms.ts'

/**
 * Refuses callers who have none of `wanted`. Every refusal for want of a scope comes from here (RFC
 * 6750 section 3.1). A service that asks for more than its route does passes its terms: whoever
 * repeats the request with the same `Idempotency-Key` must then have the scope too.
 *
 * @throws {PlatformError} 403 that names the scopes
 */
export function demandScope(
  caller: { readonly scopes: readonly string[] },
  wanted: readonly Scope[],
  terms?: Terms,
): void {
  if (!wanted.some((scope) => grants(caller.scopes, scope))) {
    throw new PlatformError('FORBIDDEN', `This needs the scope ${wanted.join(' or ')}`, {
      headers: {
        'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${wanted[0] ?? ''}"`,
      },
    })
  }
  terms?.demanded(wanted)
}
