import { Miniflare, type MiniflareOptions } from 'miniflare'
import type { Readable } from 'node:stream'
import type { Json } from 'seine'
import type { createClient } from 'seine/client'
import { COMPATIBILITY_DATE } from '../run-worker.ts'

/** The address for requests of the suite. */
export const ORIGIN = 'http://one.example.com'

/** The client of the package under test, which cannot be imported from here by name. */
export type CreateClient = typeof createClient

const SAID_WITHIN_MS = 60_000

/** The bindings of a Worker. */
type Bindings = Partial<MiniflareOptions> & { readonly bindings?: Readonly<Record<string, Json>> }

/** The Workers to start. */
export interface WorkersOptions {
  /**
   * Workers, each in an isolate of its own, of the same code → their bindings. `x.example.com`
   * leads to the one named `x`.
   */
  readonly workers: Readonly<Record<string, Bindings>>
  readonly code: string
  /** The folder of databases, buckets and objects. */
  readonly folder: string
}

/** workerd with Workers in it, which can be killed. */
export class Workers {
  readonly #options: WorkersOptions
  #running: Miniflare
  #stderr = ''
  #heard: () => void = () => {}

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#running = this.#start()
  }

  /** Drops everything that was written to the standard error so far. */
  forget(): void {
    this.#stderr = ''
  }

  /** Resolves when the standard error has these words, which may come a moment after their cause. */
  async said(words: string): Promise<void> {
    const late = AbortSignal.timeout(SAID_WITHIN_MS)
    while (!this.#stderr.includes(words)) {
      const arrival = Promise.withResolvers<void>()
      this.#heard = arrival.resolve
      late.addEventListener('abort', () =>
        arrival.reject(new Error(`Nobody said ${words}, but ${this.#stderr}`)),
      )
      await arrival.promise
    }
  }

  /** Kills workerd, whatever it is doing, and starts it again on its stored data. */
  async crash(changed: Readonly<Record<string, Json>> = {}): Promise<void> {
    await this.#running.dispose()
    this.#running = this.#start(changed)
    await this.#running.ready
  }

  /** Sends a request like `fetch`. */
  async fetch(request: Request): Promise<Response> {
    const body = await request.arrayBuffer()
    return this.#call(request.url, {
      method: request.method,
      headers: [...request.headers],
      ...(body.byteLength > 0 && { body }),
    })
  }

  /**
   * Fires the cron trigger of Cloudflare in a Worker; resolves with the outcome when the event is
   * over.
   */
  async cron(name: string, time: number, cron: string): Promise<string> {
    const query = new URLSearchParams({ time: String(Math.trunc(time)), cron })
    return (
      await this.#call(`http://${name}.example.com/cdn-cgi/handler/scheduled?${query.toString()}`)
    ).text()
  }

  dispose(): Promise<void> {
    return this.#running.dispose()
  }

  async #call(...args: Parameters<Miniflare['dispatchFetch']>): Promise<Response> {
    const response = await this.#running.dispatchFetch(...args)
    const { status, headers, body } = response
    return new Response(body ? await response.arrayBuffer() : null, {
      status,
      headers: [...headers],
    })
  }

  #hear(text: string): void {
    this.#stderr += text
    this.#heard()
  }

  #start(changed: Readonly<Record<string, Json>> = {}): Miniflare {
    const { workers, code, folder } = this.#options
    return new Miniflare({
      unsafeTriggerHandlers: true,
      defaultPersistRoot: folder,
      handleRuntimeStdio: (_stdout: Readable, errors: Readable) =>
        void errors.on('data', (chunk: Buffer) => this.#hear(chunk.toString())),
      workers: Object.entries(workers).map(([name, bindings]) => ({
        name,
        // Passed as a list, so that workerd's tools do not search the code for further modules.
        modules: [{ type: 'ESModule', path: 'worker.js', contents: code }],
        compatibilityDate: COMPATIBILITY_DATE,
        routes: [`${name}.example.com/*`],
        d1Persist: true,
        r2Persist: true,
        durableObjectsPersist: true,
        ...bindings,
        bindings: { NAME: name, ...bindings.bindings, ...changed },
      })),
    })
  }
}
