import type { BrowserAnswer, BrowserRequest } from '../../ports/browser.ts'
import type { Robots } from '../site/robots.ts'
import { EgressError } from '../egress/types.ts'
import type { Egress, EgressResponse, RedirectTarget } from '../egress/types.ts'

/** Dependencies of {@link PageRequests}. */
export interface PageRequestsOptions {
  /** The page itself. It is not fetched again. */
  readonly page: EgressResponse
  readonly egress: Egress
  readonly robots: Robots | null
  /** The recipe's headers, only for the page's origin. */
  readonly headers: Readonly<Record<string, string>>
  /** True if images, fonts and similar assets are loaded, as a screenshot needs them. */
  readonly withAssets: boolean
  readonly signal: AbortSignal
}

/** Limits of one page: requests, and bytes of all their responses together. */
const MAX_REQUESTS = 500
const MAX_BYTES = 50 * 1024 * 1024
const METHODS = ['GET', 'HEAD', 'POST'] as const
/**
 * Headers that the egress sets itself, and headers that would identify another client than
 * `User-Agent`.
 */
const NOT_FORWARDED = /^(?:user-agent|sec-ch-.*|accept-encoding|content-length|connection|host)$/
/** Headers that no longer apply, because the body is decoded and complete. */
const NOT_ANSWERED = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'alt-svc',
  'strict-transport-security',
  'content-disposition',
])

/** Answers a page's requests in a browser, within limits, through the platform's egress. */
export class PageRequests {
  readonly #options: PageRequestsOptions
  readonly #origin: string
  /** Documents that are already loaded, by URL. Each is returned once. */
  readonly #documents: Map<string, EgressResponse>
  #count = 0
  #bytes = 0

  constructor(options: PageRequestsOptions) {
    this.#options = options
    this.#origin = new URL(options.page.url).origin
    this.#documents = new Map([[options.page.url, options.page]])
  }

  /** The number of requests sent. `bytes` is the size of their responses. */
  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Returns `null` if the request is blocked. Never rejects because of what a page requests. */
  async answer(request: BrowserRequest): Promise<BrowserAnswer | null> {
    const { url, kind } = request
    const document =
      kind === 'document' && request.method === 'GET' ? this.#documents.get(url) : undefined
    if (document) {
      this.#documents.delete(url)
      return answerOf(document)
    }
    const response = await this.#send(request)
    if (response === null || kind !== 'document' || response.url === url)
      return response && answerOf(response)
    // The browser must learn where a redirect led, or the document's links would be relative to
    // the wrong URL.
    this.#documents.set(response.url, response)
    return {
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: new TextEncoder().encode(
        `<script>location.replace(${JSON.stringify(response.url).replaceAll('<', '\\u003c')})</script>`,
      ),
    }
  }

  async #send(request: BrowserRequest): Promise<EgressResponse | null> {
    const { egress, withAssets, signal } = this.#options
    const { url, kind, body } = request
    const method = METHODS.find((name) => name === request.method)
    const target = URL.parse(url)
    const maxBytes = MAX_BYTES - this.#bytes
    if (
      target === null ||
      method === undefined ||
      (kind === 'asset' && !withAssets) ||
      this.#count >= MAX_REQUESTS ||
      maxBytes <= 0
    )
      return null
    this.#count++
    try {
      await this.#askRobots(target)
      const response = await egress({
        url,
        method,
        purpose: kind === 'document' ? 'page' : 'media',
        headers: this.#headersFor(request, target),
        signal,
        ...(body && method === 'POST' && { body }),
        maxBytes: Math.min(maxBytes, MAX_BYTES / 5),
        onRedirect: (hop) => this.#askRobots(hop),
      })
      this.#bytes += response.body.length
      return response.truncated ? null : response
    } catch (error) {
      if (error instanceof EgressError || error instanceof Forbidden || signal.aborted) return null
      throw error
    }
  }

  async #askRobots(url: RedirectTarget): Promise<void> {
    const { robots, signal } = this.#options
    const answer = await robots?.check(url, signal)
    if (answer?.allowed === false) throw new Forbidden()
  }

  #headersFor({ kind, headers }: BrowserRequest, { origin }: URL): Record<string, string> {
    const forwarded = Object.fromEntries(
      Object.entries(headers).filter(([name]) => !NOT_FORWARDED.test(name)),
    )
    if (origin !== this.#origin) return forwarded
    const recipeHeaders = Object.fromEntries(
      Object.entries(this.#options.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    // For a script's request the script's headers win; for a page's, the recipe's headers win.
    const merged =
      kind === 'document' ? { ...forwarded, ...recipeHeaders } : { ...recipeHeaders, ...forwarded }
    const cookie = [recipeHeaders['cookie'], forwarded['cookie']]
      .filter((cookies) => cookies !== undefined)
      .join('; ')
    return cookie === '' ? merged : { ...merged, cookie }
  }
}

/** Thrown from a request that robots.txt forbids. */
class Forbidden extends Error {}

function answerOf({ status, headers, body }: EgressResponse): BrowserAnswer {
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => !NOT_ANSWERED.has(name)),
    ),
    body,
  }
}
