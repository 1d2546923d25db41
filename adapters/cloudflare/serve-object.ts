import { callback, checkOptions, required, whole } from '../../src/kernel/options.ts'
import { answer } from './answer.ts'
import type { ServedPlatform } from './answer.ts'
import type { ObjectNamespace, ObjectState, ObjectStorage } from './bindings.ts'
import { reported } from './refusals.ts'

/** Options of {@link serveObject}. */
export interface ServeObjectOptions<Env> {
  /** Makes the platform of an object, once in its life in memory. */
  readonly platform: (env: Env, storage: ObjectStorage) => ServedPlatform
  /** The binding of the objects. */
  readonly namespace: (env: Env) => ObjectNamespace
  /**
   * The name of the object that answers a request. Default: one object for all requests. Objects
   * share nothing. Use one for each tenant if tenants have their own host name or path.
   */
  readonly nameOf?: (request: Request) => string
  /** Longest work of one alarm, in ms; the next alarm continues. Default 30,000. */
  readonly tickMs?: number
  /** How long an idle object sleeps before it checks for due work, in ms. Default 30,000. */
  readonly everyMs?: number
  /**
   * Called with an error that ends the work of an alarm early. Cloudflare then repeats the alarm.
   * Default `console.error`.
   */
  readonly onError?: (error: unknown) => void
}

/** A Durable Object with a platform in it. */
export interface PlatformObject {
  fetch(request: Request): Promise<Response>
  alarm(): Promise<void>
}

/** The result of {@link serveObject}. */
export interface ServedObject<Env> {
  /** Export it under the name of the binding's class. */
  readonly PlatformObject: new (state: ObjectState, env: Env) => PlatformObject
  /** Use it as the default export. */
  readonly worker: { fetch(request: Request, env: Env): Promise<Response> }
}

/**
 * A Worker in front of Durable Objects. Each object is a whole platform with API, store and worker.
 * Its alarms drive the worker, and writes wake it at once. Use its store for rate limits, which
 * costs no network. The object's memory is lost after some idle seconds.
 *
 * @example
 *   interface Env {
 *     SEINE: ObjectNamespace
 *     BLOBS: R2Bucket
 *   }
 *
 *   export const { PlatformObject, worker } = serveObject<Env>({
 *     namespace: ({ SEINE }) => SEINE,
 *     platform: ({ BLOBS }, storage) =>
 *       createPlatform({
 *         store: createDurableObjectStore({ storage }),
 *         blobs: createR2Blobs({ bucket: BLOBS }),
 *         limiter: 'store',
 *       }),
 *   })
 */
export function serveObject<Env>(options: ServeObjectOptions<Env>): ServedObject<Env> {
  checkOptions<ServeObjectOptions<Env>>('serveObject', options, {
    platform: required(callback),
    namespace: required(callback),
    nameOf: callback,
    tickMs: whole(1),
    everyMs: whole(1),
    onError: callback,
  })
  const {
    platform: create,
    namespace,
    nameOf = () => 'seine',
    tickMs = 30_000,
    everyMs = 30_000,
    onError = (error) => console.error(error),
  } = options
  return {
    PlatformObject: class implements PlatformObject {
      readonly #state: ObjectState
      readonly #platform: ServedPlatform

      constructor(state: ObjectState, env: Env) {
        this.#state = state
        this.#platform = create(env, state.storage)
        // When an object wakes up, work may be due: a schedule, or work that a crash has
        // interrupted.
        state.waitUntil(this.#wakeAt(Date.now() + everyMs))
      }

      fetch(request: Request): Promise<Response> {
        const { response, worked } = answer(this.#platform, request, () => this.#wakeAt(Date.now()))
        this.#state.waitUntil(reported(worked(), onError))
        return response
      }

      async alarm(): Promise<void> {
        const began = Date.now()
        try {
          await reported(this.#platform.worker.tick({ budgetMs: tickMs }), onError)
        } finally {
          // The alarm is set even after an error, because without it nothing would run before the
          // next write.
          const isLate = Date.now() - began >= tickMs
          await this.#wakeAt(Date.now() + (isLate ? 0 : everyMs))
        }
      }

      async #wakeAt(time: number): Promise<void> {
        const { storage } = this.#state
        const present = await storage.getAlarm()
        if (present === null || present > time) await storage.setAlarm(time)
      }
    },
    worker: { fetch: (request, env) => namespace(env).getByName(nameOf(request)).fetch(request) },
  }
}
