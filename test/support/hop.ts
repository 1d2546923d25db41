import type { HopRequest } from '../../src/ports/fetcher.ts'

/** A plain GET like those of the egress, with these changes. */
export function hop(url: string, more: Partial<HopRequest> = {}): HopRequest {
  return {
    url: new URL(url),
    method: 'GET',
    headers: {},
    addresses: null,
    maxBytes: 10 * 1024 * 1024,
    signal: new AbortController().signal,
    ...more,
  }
}
