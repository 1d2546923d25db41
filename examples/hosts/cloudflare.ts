import { createPlatform } from 'seine'
import {
  createD1Store,
  createR2Blobs,
  serve,
  type D1Database,
  type EventContext,
  type R2Bucket,
} from 'seine/cloudflare'

/** The bindings; wrangler.toml has them, and `crons = ["* * * * *"]` for the work that is due later. */
interface Env {
  readonly DB: D1Database
  readonly BLOBS: R2Bucket
}

//#region mounting
const data = serve<Env>({
  platform: ({ DB, BLOBS }) =>
    createPlatform({
      store: createD1Store({ database: DB }),
      blobs: createR2Blobs({ bucket: BLOBS }),
      limiter: 'store',
      basePath: '/data',
    }),
})

export default {
  fetch(request: Request, env: Env, context: EventContext): Response | Promise<Response> {
    if (new URL(request.url).pathname.startsWith('/data/')) return data.fetch(request, env, context)
    return new Response('The pages of your own site')
  },
  scheduled: data.scheduled,
}
//#endregion
