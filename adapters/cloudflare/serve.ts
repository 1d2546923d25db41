import { callback, checkOptions, flag, required, whole } from '../../src/kernel/options.ts'
import { answer } from './answer.ts'
import type { ServedPlatform } from './answer.ts'
import type { EventContext } from './bindings.ts'
import { reported } from './refusals.ts'

/** Options of {@link serve}. */
export interface ServeOptions<Env> {
  /**
   * Makes the platform from the bindings, once for each event, because in workerd no event may wait
   * for another's work. It takes about 2 ms. Do slower work of your own outside of it.
   */
  readonly platform: (env: Env) => ServedPlatform
  /** Maximum time that a cron trigger works, in ms. Default 25,000. */
  readonly tickMs?: number
  /**
   * `false`: writes leave their work to cron triggers. Default `true`: it begins at once, after the
   * answer, for up to {@link tickMs}.
   */
  readonly workAfterWrites?: boolean
  /**
   * Called with an error that ends the work of a trigger or a write early. The next trigger
   * continues the work. Default `console.error`.
   */
  readonly onError?: (error: unknown) => void
}

/** The default export of a Worker. */
export interface WorkerModule<Env> {
  fetch(request: Request, env: Env, context: EventContext): Promise<Response>
  scheduled(event: unknown, env: Env, context: EventContext): Promise<void>
}

/**
 * A Worker whose isolates share a store, such as D1. Give it a cron trigger (`crons = ["* * * *
 * *"]`), which does the due work. Rates are counted by {@link createObjectLimiter}, or by the
 * store. They cannot be counted in memory, because each event has its own platform.
 *
 * @example
 *   interface Env {
 *     DB: D1Database
 *     BLOBS: R2Bucket
 *   }
 *
 *   export const worker = serve<Env>({
 *     platform: ({ DB, BLOBS }) =>
 *       createPlatform({
 *         store: createD1Store({ database: DB }),
 *         blobs: createR2Blobs({ bucket: BLOBS }),
 *         limiter: 'store',
 *       }),
 *   })
 */
export function serve<Env>(options: ServeOptions<Env>): WorkerModule<Env> {
  checkOptions<ServeOptions<Env>>('serve', options, {
    platform: required(callback),
    tickMs: whole(1),
    workAfterWrites: flag,
    onError: callback,
  })
  const {
    platform: create,
    tickMs = 25_000,
    workAfterWrites = true,
    onError = (error) => console.error(error),
  } = options
  return {
    async fetch(request, env, context) {
      const platform = create(env)
      const { response, worked } = answer(platform, request, () =>
        platform.worker.tick({ budgetMs: tickMs }),
      )
      if (workAfterWrites) context.waitUntil(reported(worked(), onError))
      return response
    },
    scheduled: (_event, env) => reported(create(env).worker.tick({ budgetMs: tickMs }), onError),
  }
}
