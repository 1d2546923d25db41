import type { Clock } from '../../ports/clock.ts'
import type { ModelServices } from '../../ports/model.ts'
import { demandNamed } from './named-url.ts'
import type { Egress } from './types.ts'

/** What {@link createModelServices} works with. */
export interface ModelServicesOptions {
  readonly egress: Egress
  /** As the egress has it. */
  readonly allowPrivateNetwork: boolean
  readonly clock: Clock
}

/**
 * Lends the egress to models. Addresses are checked at once; what asks them is loaded with the
 * first question.
 */
export function createModelServices({
  egress,
  allowPrivateNetwork,
  clock,
}: ModelServicesOptions): ModelServices {
  return {
    endpoint(url, { privateHost, headers = {} } = {}) {
      demandNamed(url, { allowPrivateNetwork, ...(privateHost !== undefined && { privateHost }) })
      const trusted = privateHost === undefined ? {} : { trustedOrigin: url.origin }
      return async (body, signal) => {
        const { askModelEndpoint } = await import('./ask-model-endpoint.ts')
        return askModelEndpoint(
          {
            egress,
            clock,
            request: {
              url: url.href,
              purpose: 'model',
              method: 'POST',
              headers: { ...headers, 'content-type': 'application/json' },
              ...trusted,
            },
          },
          body,
          signal,
        )
      }
    },
  }
}
