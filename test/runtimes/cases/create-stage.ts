import type { VerifyReport } from 'seine'
import { createClient } from 'seine/client'
import type { Crowd, Stage } from './stage.ts'

/** The options of a stage. */
export interface StageParts {
  readonly url: string
  readonly key: string
  readonly sites: Sites
  /** How a request goes to the platform; default: the runtime's `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
  verify(): Promise<VerifyReport>
  readonly crowd: Crowd
}

/** The sites that are served beside the platform. */
export interface Sites {
  readonly shop: string
  readonly slow: string
  readonly fair: string
}

/** A stage for the cases. */
export function createStage({
  url,
  key,
  sites,
  fetch: own = (request) => fetch(request),
  verify,
  crowd,
}: StageParts): Stage {
  return {
    url,
    key,
    ...sites,
    verify,
    crowd,
    client: createClient({ baseUrl: url, apiKey: key, fetch: own }),
    clientOf: (token) => createClient({ baseUrl: url, token, fetch: own }),
    send: (path, init) => own(new Request(url + path, init)),
  }
}
