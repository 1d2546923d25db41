import type { RequestHeaders } from '../kernel/http/message.ts'
import type { Principal } from '../kernel/http/route.ts'
import type { Clock } from './clock.ts'
import type { Logger } from './logger.ts'

/**
 * Tells who calls. `null`: this authenticator does not know the caller (another may). One that
 * throws `unauthorized` (kernel/errors) ends the request with 401: the credential is its own and
 * not valid. A host's own session lookup is a one-line authenticator.
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
   * The same by headers alone, where they are all that it reads: it is then asked this way, which
   * can spare the making of a `Request`.
   */
  readonly byHeaders?: (headers: RequestHeaders) => Promise<Principal | null>
}

/**
 * An authenticator that needs something of the platform, such as its way out or its clock.
 * `createPlatform` makes it once, before the first request, and lets what it throws through: wrong
 * options show when the host starts.
 */
export interface AuthenticatorFactory {
  create(services: AuthenticatorServices): Authenticator
}

/**
 * Whether an account may be used: `suspended` is answered with 403 and that reason, `closed` with
 * the 401 of an unknown credential. Asked at every call that has a credential, so it should answer
 * from memory; and each time that a schedule is due, which is refused then. Executions that were
 * started before go on to their end, those that wait for a worker too, as do merges and the
 * delivery of webhooks: a host that wants them ended calls `platform.api.executions.cancel`, which
 * asks nobody.
 */
export type AccountStatus = (
  account: string,
) => 'active' | 'suspended' | 'closed' | Promise<'active' | 'suspended' | 'closed'>

/**
 * Whether a schedule still runs for the user who set it without an API key, as in a session. A
 * session leaves no record that could be asked later, so this is how a host that takes a right from
 * a user takes it from the user's schedules too. Asked each time that such a schedule is due;
 * `false`: this time is refused, and the next one is asked again.
 */
export type MayRunSchedule = (setter: {
  readonly account: string
  readonly user: string
}) => boolean | Promise<boolean>

/** What the platform lends to an {@link AuthenticatorFactory}. */
export interface AuthenticatorServices {
  readonly clock: Clock
  readonly logger: Logger
  /**
   * A way to read one document that the host itself named, such as a key set. It leaves through the
   * platform's egress, so the address guard, the caps on bytes and time, and the host's own fetcher
   * hold for it.
   *
   * @throws {TypeError} for a URL that may not be asked for; the message says what to do
   */
  document(url: URL, options?: DocumentOptions): () => Promise<Uint8Array>
}

/** Options of {@link AuthenticatorServices.document}. */
export interface DocumentOptions {
  /**
   * The URL's host, named once more: it may then be on a private network and be asked over `http:`.
   * Default: public and `https:`.
   */
  readonly privateHost?: string
}
