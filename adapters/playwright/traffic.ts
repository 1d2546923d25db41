import { Buffer } from 'node:buffer'
import { setTimeout as pause } from 'node:timers/promises'
import type { BrowserContext, Request, Route } from 'playwright-core'
import type { BrowserAnswer, BrowserRequest, RenderRequest } from '../../src/ports/browser.ts'

const CHECK_MS = 50

/**
 * Passes all requests of a context's pages to the platform, and knows whether requests are in
 * progress.
 */
export class Traffic {
  readonly #context: BrowserContext
  readonly #answer: RenderRequest['answer']
  #pending = 0
  #since = performance.now()

  constructor(context: BrowserContext, answer: RenderRequest['answer']) {
    this.#context = context
    this.#answer = answer
  }

  async open(): Promise<void> {
    await this.#context.route(
      () => true,
      (route) => this.#carry(route),
    )
    await this.#context.routeWebSocket(
      () => true,
      (socket) => void socket.close(),
    )
  }

  /** Resolves when there was no request for `quietMs` from now on, or after `limitMs`. */
  async quiet(quietMs: number, limitMs: number): Promise<void> {
    const began = performance.now()
    for (let now = began; now - began < limitMs; now = performance.now()) {
      if (this.#pending === 0 && now - Math.max(began, this.#since) >= quietMs) return
      await pause(CHECK_MS)
    }
  }

  async #carry(route: Route): Promise<void> {
    this.#pending++
    const request = route.request()
    try {
      const pageRequest = await this.#read(request)
      const answer = pageRequest && (await this.#answer(pageRequest))
      if (answer)
        await route.fulfill({
          status: answer.status,
          headers: headersOf(answer),
          body: Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength),
        })
      // If a navigation is forbidden, the page stays where it is.
      else await route.abort(request.isNavigationRequest() ? 'aborted' : 'blockedbyclient')
    } catch {
      // If the page has gone, so has the request; otherwise the request is aborted.
      await route.abort().catch(() => {})
    } finally {
      this.#pending--
      this.#since = performance.now()
    }
  }

  async #read(request: Request): Promise<BrowserRequest | null> {
    const url = URL.parse(request.url())
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
    url.hash = ''
    // Interception is before cookies are added.
    const cookies = await this.#context.cookies(url.href)
    const { cookie: _, ...headers } = request.headers()
    return {
      url: url.href,
      method: request.method(),
      body: request.postDataBuffer(),
      kind: kindOf(request.resourceType()),
      headers: {
        ...headers,
        ...(cookies.length > 0 && {
          cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
        }),
      },
    }
  }
}

function kindOf(type: string): BrowserRequest['kind'] {
  switch (type) {
    case 'document':
    case 'script':
      return type
    case 'stylesheet':
      return 'style'
    case 'xhr':
    case 'fetch':
    case 'eventsource':
      return 'data'
    case 'image':
    case 'font':
    case 'media':
      return 'asset'
    default:
      return 'other'
  }
}

/** Chromium needs a separate line for each cookie of an answer. */
function headersOf({ headers }: BrowserAnswer): Record<string, string> {
  const { 'set-cookie': cookies, ...rest } = headers
  return {
    ...rest,
    ...(cookies !== undefined && {
      'set-cookie': cookies.replace(/,\s*(?=[!#$%&'*+.^_`|~\w-]+=)/g, '\n'),
    }),
  }
}
