import { createPlatform, type Platform } from 'seine'
import {
  createD1Store,
  createObjectLimiter,
  createR2Blobs,
  serve,
  type D1Database,
  type EventContext,
  type ObjectNamespace,
  type R2Bucket,
} from 'seine/cloudflare'
import { PLATFORM_OPTIONS } from '../cases/platform-options.ts'
import { answerSuite, runInWorker } from './worker-routes.ts'

// A Worker on D1 with its limits in Durable Objects, which the cases call like from outside.

export { LimiterObject } from 'seine/cloudflare'

/** Each write begins a worker of its own, with so many places. */
const CROWD = { executions: 300, morePlaces: 4 }

interface Env {
  readonly DB: D1Database
  readonly BLOBS: R2Bucket
  readonly LIMITS: ObjectNamespace
  readonly SELF: { fetch(request: Request): Promise<Response> }
}

const platformOf = ({ DB, BLOBS, LIMITS }: Env): Platform =>
  createPlatform({
    ...PLATFORM_OPTIONS,
    store: createD1Store({ database: DB }),
    blobs: createR2Blobs({ bucket: BLOBS }),
    limiter: createObjectLimiter({ namespace: LIMITS }),
  })

/** No cron trigger goes on with what a write began, so a slow machine needs this time to end it. */
const TICK_MS = 600_000

const worker = serve<Env>({ platform: platformOf, tickMs: TICK_MS })

export default {
  async fetch(request: Request, env: Env, context: EventContext): Promise<Response> {
    if (new URL(request.url).pathname === '/suite/run')
      return runInWorker(request, (incoming) => env.SELF.fetch(incoming), '`serve`', CROWD)
    return (await answerSuite(request, platformOf(env))) ?? worker.fetch(request, env, context)
  },
  scheduled: worker.scheduled,
}
