import { detect } from '../../engine/extract/auto.ts'
import type { Detection } from '../../engine/extract/auto.ts'
import { EgressError } from '../../engine/egress/types.ts'
import type { Egress } from '../../engine/egress/types.ts'
import { PlatformError } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/route.ts'

/** Short looks at pages, for free, before anything is saved. */
export interface Previews {
  /**
   * Fetches a page and proposes what to extract from it.
   *
   * @throws {PlatformError} 422 with the reason where the page cannot be fetched
   */
  detect(principal: Principal, url: string, options?: { readonly signal?: AbortSignal }): Promise<Detection & { readonly url: string }>
}

/** The service of previews. */
export function createPreviews({ egress }: { readonly egress: Egress }): Previews {
  return {
    async detect(_principal, url, { signal } = {}) {
      const response = await egress({ url, purpose: 'page', ...(signal && { signal }) }).catch((error: unknown) => {
        if (error instanceof EgressError) throw new PlatformError('UNPROCESSABLE_CONTENT', `The page could not be fetched: ${error.message}`, { cause: error })
        throw error
      })
      if (response.status >= 400) throw new PlatformError('UNPROCESSABLE_CONTENT', `The page could not be fetched: the site answered ${response.status}`)
      return { ...detect({ url: response.url, contentType: response.headers['content-type'] ?? '', body: response.body }), url: response.url }
    },
  }
}
