import { Miniflare, type MiniflareOptions } from 'miniflare'
import type { Readable } from 'node:stream'
import type { Json } from 'seine'
import type { createClient } from 'seine/client'
import { COMPATIBILITY_DATE } from '../run-worker.ts'

/** Where requests of the suite are addressed to. */
export const ORIGIN = 'http://one.example.com'

/** The client of the package under test; it is not to be found from here by name. */
export type CreateClient = typeof createClient

const SAID_WITHIN_MS = 60_000

/** What a Worker is bound to. */
type Bindings = Partial<MiniflareOptions> & { readonly bindings?: Readonly<Record<string, Json>> }

/** What is started. */
export interface WorkersOptions {
  /**
   * Workers, each in an isolate of its own, of the same code → their bindings. `x.example.com`
   * leads to the one named `x`.
   */
  readonly workers: Readonly<Record<string, Bindings>>
  readonly code: string
  /** Where databases, buckets and objects are kept. */
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

  /** Forgets what was written to the standard error so far. */
  forget(): void {
    this.#stderr = ''
  }

  /**
   * Resolves when the standard error has these words, which may take a moment longer than what it
   * tells of.
   */
  async said(words: string): Promise<void> {
    const late = AbortSignal.timeout(SAID_WITHIN_MS)
    while (!this.#stderr.includes(words)) {
      const heard = Promise.withResolvers<void>()
      this.#heard = heard.resolve
      late.addEventListener('abort', () =>
        heard.reject(new Error(`Nobody said ${words}, but ${this.#stderr}`)),
      )
      await heard.promise
    }
  }

  /** Kills workerd, whatever it is doing, and starts it again on what it has kept. */
  async crash(changed: Readonly<Record<string, Json>> = {}): Promise<void> {
    await this.#running.dispose()
    this.#running = this.#start(changed)
    await this.#running.ready
  }

  /** As `fetch` would. */
  async fetch(request: Request): Promise<Response> {
    const body = await request.arrayBuffer()
    return this.#call(request.url, {
      method: request.method,
      headers: [...request.headers],
      ...(body.byteLength > 0 && { body }),
    })
  }

  /**
   * Has Cloudflare's cron trigger fire in a Worker; resolves with the outcome when the event is
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
        // Given as a list, so that nothing looks through the code for further modules.
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
