import { createPlatform } from 'seine'
import {
  createDurableObjectStore,
  createR2Blobs,
  serveObject,
  type ObjectNamespace,
  type ObjectState,
  type R2Bucket,
} from 'seine/cloudflare'
import { PLATFORM_OPTIONS } from '../cases/platform-options.ts'
import { clockFrom } from './clock-from.ts'
import { answerSuite } from './worker-routes.ts'

// A Durable Object that is a platform. It can be evicted from memory, and its time is ahead by the
// value of a binding.

interface Env {
  readonly SEINE: ObjectNamespace
  readonly BLOBS: R2Bucket
  /** ms. */
  readonly AHEAD?: number
}

const served = serveObject<Env>({
  namespace: ({ SEINE }) => SEINE,
  everyMs: 200,
  platform({ BLOBS, AHEAD = 0 }, storage) {
    const clock = clockFrom(Date.now() + AHEAD)
    const platform = createPlatform({
      ...PLATFORM_OPTIONS,
      clock,
      store: createDurableObjectStore({ storage, clock }),
      blobs: createR2Blobs({ bucket: BLOBS }),
      worker: { leaseMs: 3_000 },
    })
    return {
      worker: platform.worker,
      fetch: async (request, context) =>
        (await answerSuite(request, platform)) ?? platform.fetch(request, context),
    }
  },
})

/** The object, which can be told to abort. */
export class PlatformObject extends served.PlatformObject {
  readonly #abort: (reason: string) => void

  constructor(state: ObjectState & { abort(reason: string): void }, env: Env) {
    super(state, env)
    this.#abort = (reason) => state.abort(reason)
  }

  override fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === '/suite/abort') this.#abort('The suite has thrown it out')
    return super.fetch(request)
  }
}

export default served.worker
