import { partsOf } from '../../kernel/url.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Attributes, Metric, Telemetry } from '../../ports/telemetry.ts'
import { EgressError } from './types.ts'
import type { Egress, EgressPurpose, EgressRequest } from './types.ts'

const DURATION: Metric = {
  name: 'http.client.request.duration',
  unit: 's',
  description: 'Duration of outgoing HTTP requests, redirects included',
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30],
}

const SITES: ReadonlySet<EgressPurpose> = new Set(['page', 'robots', 'sitemap', 'media'])

/**
 * Traces each outgoing request. Receivers of webhooks get the header `traceparent`; crawled sites
 * get it only if the host wants that. The query of a URL is left out, and for a webhook also the
 * path, because both may be secrets.
 */
export function traceEgress(
  egress: Egress,
  {
    telemetry,
    clock,
    toSites,
  }: {
    readonly telemetry: Telemetry
    readonly clock: Clock
    /** True if crawled sites also get the header `traceparent`. */
    readonly toSites: boolean
  },
): Egress {
  return (request) => {
    const startedAt = clock.now()
    const { purpose, method = 'GET' } = request
    const attributes: Attributes = { 'http.request.method': method, 'seine.purpose': purpose }
    const measure = (more: Attributes) =>
      telemetry.record(DURATION, (clock.now() - startedAt) / 1_000, { ...attributes, ...more })
    return telemetry.span(
      { name: method, kind: 'client', attributes: { ...attributes, ...urlOf(request) } },
      async (span) => {
        const isTold = purpose === 'webhook' || (toSites && SITES.has(purpose))
        const trace = isTold ? telemetry.context() : null
        try {
          const response = await egress(
            trace ? { ...request, headers: { ...request.headers, ...trace } } : request,
          )
          const { status, redirects, body } = response
          const failure = status >= 400 ? { 'error.type': String(status) } : null
          span.set({
            'http.response.status_code': status,
            'http.response.body.size': body.length,
            ...(redirects.length > 0 && { 'seine.redirects': redirects.length }),
          })
          if (failure) span.fail(failure['error.type'])
          measure({ 'http.response.status_code': status, ...failure })
          return response
        } catch (error) {
          const type = error instanceof EgressError ? error.reason : 'unknown'
          span.fail(type)
          measure({ 'error.type': type })
          throw error
        }
      },
    )
  }
}

/** The server of a request, and its URL without possible secrets. Empty for an invalid URL. */
function urlOf({ url, purpose }: EgressRequest): Attributes {
  const parsed = partsOf(url)
  if (parsed === null) return {}
  const { hostname, port, protocol, origin, pathname } = parsed
  return {
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    ...(purpose !== 'webhook' && { 'url.full': origin + pathname }),
  }
}
