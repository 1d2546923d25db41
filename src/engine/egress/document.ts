import type { AuthenticatorServices } from '../../ports/authenticator.ts'
import { adviseHost, demandNamed } from './named-url.ts'
import { EgressError } from './types.ts'
import type { Egress } from './types.ts'

/** What {@link createDocuments} works with. */
export interface DocumentsOptions {
  readonly egress: Egress
  /** As the egress has it. */
  readonly allowPrivateNetwork: boolean
}

/**
 * Lends the egress to authenticators: each document is one GET with the caps of a key set, no
 * redirect followed, since whoever could redirect it could hand out keys of their own.
 */
export function createDocuments({
  egress,
  allowPrivateNetwork,
}: DocumentsOptions): AuthenticatorServices['document'] {
  return (url, { privateHost } = {}) => {
    const { href, hostname, origin } = url
    demandNamed(url, { allowPrivateNetwork, ...(privateHost !== undefined && { privateHost }) })
    return async () => {
      const response = await egress({
        url: href,
        purpose: 'jwks',
        maxRedirects: 0,
        ...(privateHost !== undefined && { trustedOrigin: origin }),
      }).catch((error: unknown) => {
        throw error instanceof EgressError && error.reason === 'refused'
          ? new Error(`${error.message} ${adviseHost(hostname)}`, { cause: error })
          : error
      })
      if (response.status !== 200) throw new Error(`${href} answered ${response.status}`)
      return response.body
    }
  }
}
