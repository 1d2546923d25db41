import type { VerifyReport } from 'seine'
import { createClient } from 'seine/client'
import type { Stage } from './stage.ts'

/** The options of a stage. */
export interface StageParts {
  readonly url: string
  readonly key: string
  readonly sites: Sites
  /** How a request goes to the platform; default: the runtime's `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
  verify(): Promise<VerifyReport>
}

/** The sites that are served beside the platform. */
export interface Sites {
  readonly shop: string
  readonly slow: string
}

/** A stage for the cases. */
export function createStage({
  url,
  key,
  sites,
  fetch: own = (request) => fetch(request),
  verify,
}: StageParts): Stage {
  return {
    url,
    key,
    ...sites,
    verify,
    client: createClient({ baseUrl: url, apiKey: key, fetch: own }),
    send: (path, init) => own(new Request(url + path, init)),
  }
}
