import type { BrowserAnswer, BrowserRequest } from '../../ports/browser.ts'
import type { Robots } from '../site/robots.ts'
import { EgressError } from '../egress/types.ts'
import type { Egress, EgressResponse } from '../egress/types.ts'

/** What {@link PageRequests} works with. */
export interface PageRequestsOptions {
  /** The page itself, which is not fetched again. */
  readonly page: EgressResponse
  readonly egress: Egress
  readonly robots: Robots | null
  /** The recipe's own, for the page's origin alone. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether images, fonts and the like are wanted: they are, for a picture of the page. */
  readonly withAssets: boolean
  readonly signal: AbortSignal
}

/** Requests of one page, and bytes of all their answers together. */
const MAX_REQUESTS = 500
const MAX_BYTES = 50 * 1024 * 1024
const METHODS = ['GET', 'HEAD', 'POST'] as const
/**
 * What the egress function sees to, and what would tell sites another client than the one that
 * `User-Agent` names.
 */
const NOT_FORWARDED = /^(?:user-agent|sec-ch-.*|accept-encoding|content-length|connection|host)$/
/** The body is decoded and whole. */
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

/** Answers what one page asks for in a browser, within limits, by the platform's own egress. */
export class PageRequests {
  readonly #options: PageRequestsOptions
  readonly #origin: string
  /** Documents that are there already, by URL; each is given once. */
  readonly #documents: Map<string, EgressResponse>
  #count = 0
  #bytes = 0

  constructor(options: PageRequestsOptions) {
    this.#options = options
    this.#origin = new URL(options.page.url).origin
    this.#documents = new Map([[options.page.url, options.page]])
  }

  /** Requests that left, and bytes of what they brought. */
  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#bytes
  }

  /** `null`: the page gets nothing. Never rejects for what a page asks for. */
  async answer(request: BrowserRequest): Promise<BrowserAnswer | null> {
    const { url, kind } = request
    const known =
      kind === 'document' && request.method === 'GET' ? this.#documents.get(url) : undefined
    if (known) {
      this.#documents.delete(url)
      return answerOf(known)
    }
    const response = await this.#send(request)
    if (response === null || kind !== 'document' || response.url === url)
      return response && answerOf(response)
    // The browser has to learn where a redirect led, or the document's links would be relative to
    // the wrong place.
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
    const method = METHODS.find((known) => known === request.method)
    const maxBytes = MAX_BYTES - this.#bytes
    if (
      method === undefined ||
      (kind === 'asset' && !withAssets) ||
      this.#count >= MAX_REQUESTS ||
      maxBytes <= 0
    )
      return null
    this.#count++
    try {
      await this.#askRobots(url)
      const response = await egress({
        url,
        method,
        purpose: kind === 'document' ? 'page' : 'media',
        headers: this.#headersFor(request),
        signal,
        ...(body && method === 'POST' && { body }),
        maxBytes: Math.min(maxBytes, MAX_BYTES / 5),
        onRedirect: (target) => this.#askRobots(target.href),
      })
      this.#bytes += response.body.length
      return response.truncated ? null : response
    } catch (error) {
      if (error instanceof EgressError || error instanceof Forbidden || signal.aborted) return null
      throw error
    }
  }

  async #askRobots(url: string): Promise<void> {
    const { robots, signal } = this.#options
    const answer = await robots?.check(url, signal)
    if (answer?.allowed === false) throw new Forbidden()
  }

  #headersFor({ url, kind, headers }: BrowserRequest): Record<string, string> {
    const asked = Object.fromEntries(
      Object.entries(headers).filter(([name]) => !NOT_FORWARDED.test(name)),
    )
    if (new URL(url).origin !== this.#origin) return asked
    const own = Object.fromEntries(
      Object.entries(this.#options.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    // What a script asks for is its own business; a page is asked for as the recipe says.
    const merged = kind === 'document' ? { ...asked, ...own } : { ...own, ...asked }
    const cookie = [own['cookie'], asked['cookie']].filter((one) => one !== undefined).join('; ')
    return cookie === '' ? merged : { ...merged, cookie }
  }
}

/** Thrown out of a request that robots.txt forbids. */
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
