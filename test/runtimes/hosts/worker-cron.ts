import { createPlatform, type Clock, type Platform } from 'seine'
import {
  createD1Store,
  createR2Blobs,
  serve,
  type D1Database,
  type EventContext,
  type R2Bucket,
} from 'seine/cloudflare'
import { PLATFORM_OPTIONS } from '../cases/platform-options.ts'
import { clockFrom } from './clock-from.ts'
import { failingAfter } from './failing-database.ts'
import { answerSuite } from './worker-routes.ts'

// A Worker on D1 whose work is done by cron triggers only. Requests set the time; an event sets it
// by its scheduled time, and its `cron` may be JSON, {@link Trial}.

interface Env {
  readonly DB: D1Database
  readonly BLOBS: R2Bucket
  /** The name of the isolate, which sites see as the user agent. */
  readonly NAME: string
}

interface TimedEnv extends Env {
  readonly clock: Clock
  readonly leaseMs?: number | undefined
}

/** The conditions of an event. */
interface Trial {
  readonly tickMs?: number
  readonly leaseMs?: number
  /** The number of calls of D1 that still succeed. */
  readonly calls?: number
}

const platformOf = ({ DB, BLOBS, NAME, clock, leaseMs = 30_000 }: TimedEnv): Platform =>
  createPlatform({
    ...PLATFORM_OPTIONS,
    clock,
    userAgent: NAME,
    store: createD1Store({ database: DB, clock }),
    blobs: createR2Blobs({ bucket: BLOBS }),
    limiter: 'store',
    worker: { leaseMs },
  })

const worker = serve<TimedEnv>({ platform: platformOf, workAfterWrites: false })

export default {
  async fetch(request: Request, env: Env, context: EventContext): Promise<Response> {
    const timed = { ...env, clock: clockFrom(Number(request.headers.get('x-suite-now'))) }
    return (await answerSuite(request, platformOf(timed))) ?? worker.fetch(request, timed, context)
  },
  async scheduled(
    event: { readonly cron: string; readonly scheduledTime: number },
    env: Env,
    context: EventContext,
  ): Promise<void> {
    const {
      tickMs,
      leaseMs,
      calls = Infinity,
    }: Trial = event.cron.startsWith('{') ? JSON.parse(event.cron) : {}
    const served = tickMs === undefined ? worker : serve<TimedEnv>({ platform: platformOf, tickMs })
    await served.scheduled(
      event,
      { ...env, DB: failingAfter(env.DB, calls), leaseMs, clock: clockFrom(event.scheduledTime) },
      context,
    )
  },
}
