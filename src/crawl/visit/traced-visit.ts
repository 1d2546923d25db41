import { authorityOf } from '../../kernel/url.ts'
import type { FrontierRecord } from '../../features/executions/records.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { VisitOutcome } from './outcome.ts'

/** Traces the visit of a page with its host and its outcome, but without content of the page. */
export function traceVisit(
  telemetry: Telemetry,
  { execution, seq, url, label, depth }: FrontierRecord,
  visit: () => Promise<VisitOutcome>,
): Promise<VisitOutcome> {
  // A query may hold a token.
  const [fullUrl = ''] = url.split('?', 1)
  return telemetry.span(
    {
      name: 'visit',
      attributes: {
        'seine.execution': execution,
        'seine.page.seq': seq,
        'seine.page.label': label,
        'seine.page.depth': depth,
        'url.full': fullUrl,
        'server.address': authorityOf(url).replace(/:\d+$/, ''),
      },
    },
    async (span) => {
      const done = await visit()
      const { outcome, reason, httpStatus, rows, links, bytes, rendered } = done
      span.set({
        'seine.page.outcome': outcome,
        'seine.page.rows': rows.length,
        'seine.page.links': links.length,
        'seine.page.bytes': bytes,
        'seine.page.rendered': rendered,
        ...(httpStatus !== null && { 'http.response.status_code': httpStatus }),
        ...(reason && { 'seine.page.reason': reason.code }),
      })
      if (outcome === 'failed' || outcome === 'blocked') span.fail(reason?.code ?? outcome)
      return done
    },
  )
}
