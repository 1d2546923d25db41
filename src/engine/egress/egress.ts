import type { CookieJar } from './cookie-jar.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Fetcher, HopResponse } from '../../ports/fetcher.ts'
import { FetchFailure } from '../../kernel/failures.ts'
import { addressOf, checkAddress, checkUrl, isExempt } from './guard.ts'
import type { GuardOptions } from './guard.ts'
import {
  headersAfterRedirect,
  headersWithoutBody,
  mergeHeaders,
  redirectTarget,
  withCookies,
} from './headers.ts'
import type { Headers } from './headers.ts'
import { EgressError, USER_AGENT } from './types.ts'
import type { Egress, EgressPurpose, EgressRequest, EgressResponse } from './types.ts'

/** Dependencies and options of {@link createEgress}. */
interface EgressOptions {
  readonly fetcher: Fetcher
  readonly clock: Clock
  /**
   * Allows requests to private addresses, local names and any port, for development and tests.
   * Default false.
   */
  readonly allowPrivateNetwork?: boolean
  /** The default `User-Agent` of requests. */
  readonly userAgent?: string
  /** Limits that replace the defaults, by purpose. */
  readonly limits?: Readonly<Partial<Record<EgressPurpose, Partial<EgressLimits>>>>
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const PURPOSES = [
  'page',
  'robots',
  'sitemap',
  'media',
  'webhook',
  'jwks',
  'search',
  'model',
] as const

/**
 * Creates the one function through which requests leave. It checks every hop: first the URL, then
 * every address that its name resolves to. It connects only to a checked address. It never caches
 * names, so a second DNS answer that points to an internal address is refused.
 */
export function createEgress(options: EgressOptions): Egress {
  const { fetcher, clock } = options
  const userAgent = options.userAgent ?? USER_AGENT
  const strict: GuardOptions = { allowPrivateNetwork: options.allowPrivateNetwork === true }
  const byPurpose = new Map<EgressPurpose, { limits: EgressLimits; headers: Headers }>()
  for (const purpose of PURPOSES) {
    const headers = {
      'user-agent': userAgent,
      accept: ACCEPT[purpose],
      'accept-language': 'en,*;q=0.5',
    }
    byPurpose.set(purpose, {
      limits: { ...DEFAULT_LIMITS[purpose], ...options.limits?.[purpose] },
      headers,
    })
  }

  async function addressesOf(
    url: URL,
    guard: GuardOptions,
    signal: AbortSignal,
  ): Promise<readonly string[] | null> {
    if (addressOf(url) !== null || !fetcher.capabilities.pinsAddresses) return null
    const addresses = await fetcher.resolve(url.hostname, signal)
    if (addresses.length === 0) throw new FetchFailure('dns', 'The host name has no address.')
    if (!isExempt(url, guard)) for (const address of addresses) checkAddress(address)
    return addresses
  }

  async function follow(
    request: EgressRequest,
    limits: EgressLimits,
    defaults: Headers,
    signal: AbortSignal,
  ): Promise<EgressResponse> {
    const started = clock.now()
    const guard =
      request.trustedOrigin === undefined
        ? strict
        : { ...strict, trustedOrigin: request.trustedOrigin }
    const maxBytes = request.maxBytes ?? limits.maxBytes
    const maxRedirects = request.maxRedirects ?? limits.maxRedirects
    const redirects: string[] = []
    let method = request.method ?? 'GET'
    let body = request.body
    let headers = mergeHeaders(defaults, request.headers)
    /** Cookies of the redirecting servers: they are sent along in this chain alone. */
    let jar: CookieJar | null = null
    let url = withoutFragment(checkUrl(request.url, guard))
    for (;;) {
      const askedAt = clock.now()
      const addresses = await addressesOf(url, guard, signal)
      const dnsMs = clock.now() - askedAt
      const hop: HopResponse = await fetcher.send({
        url,
        method,
        headers: jar === null ? headers : withCookies(headers, jar.cookiesFor(url, clock.now())),
        ...(body && { body }),
        addresses,
        maxBytes,
        whole: limits.longer !== 'cut',
        signal,
      })
      const target =
        maxRedirects > 0 && REDIRECTS.has(hop.status)
          ? redirectTarget(hop.headers['location'], url)
          : null
      request.onHop?.({
        url: url.href,
        status: hop.status,
        headers: hop.headers,
        leadsOn: target !== null,
        ...(addresses !== null && { dnsMs }),
        ...hop.timings,
      })
      if (target === null) {
        if (hop.truncated && limits.longer === 'error')
          throw new EgressError('too_large', `The body is longer than ${maxBytes} bytes.`)
        return {
          url: url.href,
          status: hop.status,
          headers: hop.headers,
          body: hop.truncated && limits.longer === 'empty' ? EMPTY : hop.body,
          truncated: hop.truncated,
          ...(hop.truncated && { maxBytes }),
          ...(hop.isOwned !== undefined && { isOwned: hop.isOwned }),
          redirects,
          durationMs: clock.now() - started,
        }
      }
      if (redirects.length >= maxRedirects)
        throw new EgressError('too_many_redirects', `More than ${maxRedirects} redirects.`)
      checkUrl(target, guard)
      withoutFragment(target)
      const { href, origin, pathname, search } = target
      await request.onRedirect?.({ href, origin, pathname, search })
      headers = headersAfterRedirect(headers, url, target)
      const { 'set-cookie': cookies } = hop.headers
      if (cookies !== undefined) {
        const { CookieJar, setCookieLines } = await import('./cookie-jar.ts')
        jar ??= new CookieJar()
        for (const line of setCookieLines(cookies)) jar.store(line, url, clock.now())
      }
      if (method === 'POST' && hop.status < 304) {
        method = 'GET'
        body = undefined
        headers = headersWithoutBody(headers)
      }
      redirects.push(url.href)
      url = target
    }
  }

  return async function egress(request) {
    const { limits, headers } = byPurpose.get(request.purpose) ?? {
      limits: DEFAULT_LIMITS.page,
      headers: {},
    }
    const outer = request.signal
    if (outer?.aborted) throw new EgressError('aborted', ABORTED)
    const controller = new AbortController()
    const stop = () => controller.abort(new EgressError('aborted', ABORTED))
    outer?.addEventListener('abort', stop, { once: true })
    const timeoutMs = request.timeoutMs ?? limits.timeoutMs
    clock.sleep(timeoutMs, controller.signal).then(
      () =>
        controller.abort(
          new EgressError('timeout', `No complete response within ${timeoutMs} ms.`),
        ),
      () => {},
    )
    try {
      return await follow(request, limits, headers, controller.signal)
    } catch (error) {
      const { reason } = controller.signal
      if (reason instanceof EgressError) throw reason
      throw error instanceof FetchFailure ? new EgressError(error.reason, error.message) : error
    } finally {
      outer?.removeEventListener('abort', stop)
      controller.abort(FINISHED) // Ends the sleep. A shared abort reason avoids creating an exception.
    }
  }
}

const EMPTY = new Uint8Array(0)
const FINISHED = 'finished'
const ABORTED = 'The request was cancelled.'

function withoutFragment(url: URL): URL {
  if (url.href.includes('#')) url.hash = ''
  return url
}

/** Limits of one request, redirects included. */
interface EgressLimits {
  /** Maximum size of the final body in bytes, after decoding. */
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly maxRedirects: number
  /**
   * Treatment of a longer body. `cut`: its beginning is kept. `empty`: nothing is kept, and the
   * response is `truncated`. `error`: the request fails with `too_large`.
   */
  readonly longer: 'cut' | 'empty' | 'error'
}

const KIB = 1024
const MIB = 1024 * KIB

/**
 * Default limits by purpose. For robots.txt, RFC 9309 2.5 asks for at least 500 KiB and 2.3.1.2 for
 * five redirects. The sitemap protocol allows 50 MiB.
 */
const DEFAULT_LIMITS: Readonly<Record<EgressPurpose, EgressLimits>> = {
  page: { maxBytes: 10 * MIB, timeoutMs: 30_000, maxRedirects: 10, longer: 'empty' },
  robots: { maxBytes: 512 * KIB, timeoutMs: 30_000, maxRedirects: 5, longer: 'cut' },
  sitemap: { maxBytes: 50 * MIB, timeoutMs: 60_000, maxRedirects: 5, longer: 'cut' },
  media: { maxBytes: 50 * MIB, timeoutMs: 60_000, maxRedirects: 10, longer: 'error' },
  webhook: { maxBytes: 64 * KIB, timeoutMs: 30_000, maxRedirects: 0, longer: 'cut' },
  jwks: { maxBytes: 256 * KIB, timeoutMs: 10_000, maxRedirects: 3, longer: 'error' },
  search: { maxBytes: 2 * MIB, timeoutMs: 10_000, maxRedirects: 0, longer: 'error' },
  // A model may think for minutes. The caller sets its own, shorter limit.
  model: { maxBytes: 2 * MIB, timeoutMs: 300_000, maxRedirects: 0, longer: 'error' },
}

/** The `Accept` header by purpose. */
const ACCEPT: Readonly<Record<EgressPurpose, string>> = {
  page: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  robots: 'text/plain,*/*;q=0.8',
  sitemap: 'application/xml,text/xml,text/plain;q=0.9,*/*;q=0.8',
  media: '*/*',
  webhook: '*/*',
  jwks: 'application/json',
  search: 'application/json',
  model: 'application/json',
}
