import type { Incoming, Outgoing } from '../kernel/http/message.ts'
import { readTraceContext } from '../kernel/http/trace-context.ts'
import type { Clock } from '../ports/clock.ts'
import type { Attributes, Metric, Telemetry } from '../ports/telemetry.ts'

/** Answers a request. `Context` has the facts that the server knows about it. */
type Answer<Context> = (request: Incoming, context?: Context) => Promise<Outgoing>

const DURATION: Metric = {
  name: 'http.server.request.duration',
  unit: 's',
  description: 'Duration of HTTP requests until their answer begins',
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
}

/** The methods that may be part of a span's name. Any other method is a text of the client's choice. */
const METHODS: ReadonlySet<string> = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS'.split(' '))

/**
 * Traces each request, as a part of the trace that its `traceparent` names. Attributes follow
 * OpenTelemetry's conventions for HTTP. The path and the query of the URL are left out, because
 * links to media contain their token. A streamed body continues after its span.
 */
export function traceRequests<Context>(
  reply: Answer<Context>,
  {
    telemetry,
    clock,
    routeOf,
  }: {
    readonly telemetry: Telemetry
    readonly clock: Clock
    /** The path of the route that has a URL, as the table writes it. `null`: no route has it. */
    readonly routeOf: (url: string) => string | null
  },
): Answer<Context> {
  return (request, context) => {
    const startedAt = clock.now()
    const method = METHODS.has(request.method) ? request.method : '_OTHER'
    const route = URL.canParse(request.url) ? routeOf(request.url) : null
    const attributes: Attributes = {
      'http.request.method': method,
      'url.scheme': request.url.startsWith('https:') ? 'https' : 'http',
      ...(route !== null && { 'http.route': route }),
    }
    const { headers } = request
    const verb = method === '_OTHER' ? 'HTTP' : method
    return telemetry.span(
      {
        name: route === null ? verb : `${verb} ${route}`,
        kind: 'server',
        attributes,
        parent: readTraceContext(headers.get('traceparent'), headers.get('tracestate')),
      },
      async (span) => {
        const answer = await reply(request, context)
        const { status } = answer
        const requestId = headerOf(answer, 'X-Request-Id')
        span.set({
          'http.response.status_code': status,
          ...(requestId !== null && { 'seine.request_id': requestId }),
        })
        if (status >= 500) span.fail(String(status))
        telemetry.record(DURATION, (clock.now() - startedAt) / 1_000, {
          ...attributes,
          'http.response.status_code': status,
          ...(status >= 500 && { 'error.type': String(status) }),
        })
        return answer
      },
    )
  }
}

function headerOf({ headers }: Outgoing, name: string): string | null {
  return headers instanceof Headers ? headers.get(name) : (headers[name] ?? null)
}
