import type { Principal } from '../kernel/route.ts'

/**
 * Tells who calls. `null`: this authenticator does not know the caller (another may). A host's own session lookup is a one-line authenticator.
 *
 * @example
 * const bySession: Authenticator = async (request) => {
 *   const session = request.headers.get('x-session')
 *   return session === 'demo' ? { account: 'acme', user: 'ann', scopes: ['tasks:*', 'executions:*'] } : null
 * }
 */
export type Authenticator = (request: Request) => Promise<Principal | null>
