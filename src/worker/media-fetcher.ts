import { fetchPage } from '../engine/visit/fetch-page.ts'
import type { Politeness } from '../engine/site/politeness.ts'
import type { Robots } from '../engine/site/robots.ts'
import type { Egress } from '../engine/egress/types.ts'
import { isDataUrl, readDataUrl, withoutData } from '../engine/media/data-url.ts'
import type { Clock } from '../ports/clock.ts'
import type { Reason } from '../records/types.ts'

/** Bytes with where they are from, or why there are none. */
export type FetchedMedia =
  | {
      readonly error: null
      readonly sourceUrl: string
      readonly body: Uint8Array
      readonly contentType: string
    }
  | { readonly error: Reason; readonly sourceUrl: string }

/** What fetching media needs. */
export interface MediaFetcherOptions {
  readonly egress: Egress
  /** `null`: robots.txt is not asked. */
  readonly robots: Robots | null
  readonly clock: Clock
  readonly politeness: Politeness
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** A host that wants a longer pause is not waited for. */
const MAX_PAUSE_MS = 30_000

/**
 * Fetches the bytes that a page refers to, as politely as pages. The recipe's headers are for its
 * pages and are not sent along; the page is named as a browser names it. Only the signal makes it
 * reject.
 */
export async function fetchMedia(
  url: string,
  pageUrl: string,
  options: MediaFetcherOptions,
  signal: AbortSignal,
): Promise<FetchedMedia> {
  const { clock, politeness } = options
  if (isDataUrl(url)) return readData(url, options.maxBytes)
  const turn = politeness.reserve(url)
  if (turn > clock.now()) await clock.sleep(turn - clock.now(), signal)
  const pause = politeness.pausedUntil(url) - clock.now()
  if (pause > MAX_PAUSE_MS) {
    politeness.finished(url)
    return {
      sourceUrl: url,
      error: { code: 'host_paused', message: 'The host asked for a long pause' },
    }
  }
  if (pause > 0) await clock.sleep(pause, signal)
  return fetchInTurn(url, pageUrl, options, signal)
}

/** The same, where the turn of the host has been taken. */
export async function fetchInTurn(
  url: string,
  pageUrl: string,
  options: MediaFetcherOptions,
  signal: AbortSignal,
): Promise<FetchedMedia> {
  const { egress, maxBytes } = options
  const fetched = await fetchPage(url, {
    ...options,
    signal,
    headers: refererOf(pageUrl, url),
    egress: (request) => egress({ ...request, purpose: 'media', maxBytes }),
  })
  if (fetched.outcome !== 'fetched') return { sourceUrl: url, error: fetched.reason }
  const { body, headers } = fetched.response
  if (body.length === 0) return { sourceUrl: url, error: EMPTY }
  return { sourceUrl: url, error: null, body, contentType: headers['content-type'] ?? '' }
}

const EMPTY: Reason = { code: 'empty', message: 'There is nothing in it' }

function readData(url: string, maxBytes: number): FetchedMedia {
  const sourceUrl = withoutData(url)
  const data = readDataUrl(url)
  if (data === null)
    return { sourceUrl, error: { code: 'invalid_url', message: 'This is not a valid data URL' } }
  if (data.body.length === 0) return { sourceUrl, error: EMPTY }
  if (data.body.length > maxBytes)
    return {
      sourceUrl,
      error: { code: 'too_large', message: `It is longer than ${maxBytes} bytes` },
    }
  return { sourceUrl, error: null, ...data }
}

/** As browsers do by default (Referrer Policy, strict-origin-when-cross-origin). */
function refererOf(pageUrl: string, url: string): Readonly<Record<string, string>> {
  const [page, target] = [URL.parse(pageUrl), URL.parse(url)]
  if (
    page === null ||
    target === null ||
    (page.protocol === 'https:' && target.protocol !== 'https:')
  )
    return {}
  return { referer: page.origin === target.origin ? pageUrl : `${page.origin}/` }
}
