import type { RequestHeaders } from '../kernel/http/message.ts'
import type { Principal } from '../kernel/http/route.ts'
import type { Clock } from './clock.ts'
import type { Logger } from './logger.ts'

/**
 * Identifies the caller. `null`: this authenticator does not know the caller, and the next one is
 * tried. An authenticator that throws `unauthorized` (kernel/errors) ends the request with 401: it
 * recognises the credential, and the credential is not valid. An application's session lookup is a
 * one-line authenticator.
 *
 * @example
 *   const bySession: Authenticator = async (request) => {
 *     const session = request.headers.get('x-session')
 *     return session === 'demo'
 *       ? { account: 'acme', user: 'ann', scopes: ['tasks:*', 'executions:*'] }
 *       : null
 *   }
 */
export interface Authenticator {
  (request: Request): Promise<Principal | null>
  /**
   * The same, for authenticators that read only headers. If present it is called instead, and can
   * avoid creating a `Request`.
   */
  readonly byHeaders?: (headers: RequestHeaders) => Promise<Principal | null>
}

/**
 * An authenticator that needs services of the platform, such as its egress or clock.
 * `createPlatform` creates it once, before the first request, and does not catch its errors: wrong
 * options show when the application starts.
 */
export interface AuthenticatorFactory {
  create(services: AuthenticatorServices): Authenticator
}

/**
 * Whether an account may be used: `suspended` is answered with 403 and that reason, `closed` with
 * 401, like an unknown credential. It is called for every request that has a credential, so it
 * should answer from memory. It is also called for all other work of an account: - A schedule that
 * is due is refused, and links to media are 403.
 *
 * - An execution is paused if the account is suspended, and cancelled if it is closed: when a worker
 *   takes it, or within ten seconds if it runs. A paused one can be resumed later.
 * - Events and messages of webhooks wait while the account is suspended. Those of a closed account
 *   are dropped.
 *
 * `platform.api` is for the host's own code, and does not call this.
 */
export type AccountStatus = (
  account: string,
) => 'active' | 'suspended' | 'closed' | Promise<'active' | 'suspended' | 'closed'>

/**
 * Decides whether a schedule still runs if its user set it without an API key, as in a session. A
 * session leaves no record that could be checked later. So an application that withdraws a user's
 * right uses this to stop the user's schedules too. It is called each time such a schedule is due.
 * `false`: this run is refused, and the next one is checked again.
 */
export type MayRunSchedule = (setter: {
  readonly account: string
  readonly user: string
}) => boolean | Promise<boolean>

/** Services of the platform for an {@link AuthenticatorFactory}. */
export interface AuthenticatorServices {
  readonly clock: Clock
  readonly logger: Logger
  /**
   * Returns a function that reads one document of the application's choice, such as a key set. The
   * request passes the platform's egress, so the address guard, the limits on bytes and time, and a
   * custom fetcher apply.
   *
   * @throws {TypeError} for a URL that is not allowed; the message says what to do
   */
  document(url: URL, options?: DocumentOptions): () => Promise<Uint8Array>
}

/** Options of {@link AuthenticatorServices.document}. */
export interface DocumentOptions {
  /**
   * The URL's hostname once more. It allows a private network and `http:`. Default: only public
   * addresses and `https:`.
   */
  readonly privateHost?: string
}
