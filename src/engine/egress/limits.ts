import type { EgressPurpose } from './types.ts'

/** Caps of one request, all redirects together. */
export interface EgressLimits {
  /** Decoded bytes of the final body. */
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly maxRedirects: number
  /**
   * True where half a body is worth nothing: a longer one is an error (`too_large`), not
   * `truncated`.
   */
  readonly whole: boolean
}

const KIB = 1024
const MIB = 1024 * KIB

/**
 * The defaults by purpose. robots.txt: RFC 9309 2.5 asks for at least 500 KiB and 2.3.1.2 for five
 * redirects; sitemaps: 50 MiB by their protocol.
 */
export const DEFAULT_LIMITS: Readonly<Record<EgressPurpose, EgressLimits>> = {
  page: { maxBytes: 10 * MIB, timeoutMs: 30_000, maxRedirects: 10, whole: false },
  robots: { maxBytes: 512 * KIB, timeoutMs: 30_000, maxRedirects: 5, whole: false },
  sitemap: { maxBytes: 50 * MIB, timeoutMs: 60_000, maxRedirects: 5, whole: false },
  media: { maxBytes: 50 * MIB, timeoutMs: 60_000, maxRedirects: 10, whole: true },
  webhook: { maxBytes: 64 * KIB, timeoutMs: 30_000, maxRedirects: 0, whole: false },
  jwks: { maxBytes: 256 * KIB, timeoutMs: 10_000, maxRedirects: 3, whole: true },
  search: { maxBytes: 2 * MIB, timeoutMs: 10_000, maxRedirects: 0, whole: true },
  // A model may think for minutes; whoever asks has a limit of their own.
  model: { maxBytes: 2 * MIB, timeoutMs: 300_000, maxRedirects: 0, whole: true },
}

/** `Accept` by purpose. */
export const ACCEPT: Readonly<Record<EgressPurpose, string>> = {
  page: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  robots: 'text/plain,*/*;q=0.8',
  sitemap: 'application/xml,text/xml,text/plain;q=0.9,*/*;q=0.8',
  media: '*/*',
  webhook: '*/*',
  jwks: 'application/json',
  search: 'application/json',
  model: 'application/json',
}
