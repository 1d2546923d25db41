import { createPlatform, type Platform } from 'seine'
import {
  createDurableObjectStore,
  createR2Blobs,
  serveObject,
  type ObjectNamespace,
  type R2Bucket,
} from 'seine/cloudflare'
import { PLATFORM_OPTIONS } from '../cases/platform-options.ts'
import { answerSuite, runInWorker } from './worker-routes.ts'

// A Durable Object that is a platform, and the cases in the Worker in front of it.

interface Env {
  readonly SEINE: ObjectNamespace
  readonly BLOBS: R2Bucket
}

const withSuite = (platform: Platform) => ({
  worker: platform.worker,
  fetch: async (request: Request, context: { readonly clientIp?: string }) =>
    (await answerSuite(request, platform)) ?? platform.fetch(request, context),
})

const served = serveObject<Env>({
  namespace: ({ SEINE }) => SEINE,
  platform: ({ BLOBS }, storage) =>
    withSuite(
      createPlatform({
        ...PLATFORM_OPTIONS,
        store: createDurableObjectStore({ storage }),
        blobs: createR2Blobs({ bucket: BLOBS }),
        limiter: 'store',
      }),
    ),
})

export const { PlatformObject } = served

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const send = (incoming: Request): Promise<Response> => served.worker.fetch(incoming, env)
    return new URL(request.url).pathname === '/suite/run'
      ? runInWorker(request, send, '`serveObject`', { executions: 1_000 })
      : send(request)
  },
}
