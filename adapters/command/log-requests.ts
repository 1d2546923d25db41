import type { Logger } from 'seine'
import type { HttpContext, Incoming, Outgoing } from '../../src/kernel/http/message.ts'

/** Answers a request. */
type Reply = (request: Incoming, context?: HttpContext) => Promise<Outgoing>
type Caller = Parameters<NonNullable<HttpContext['onCaller']>>[0]

/**
 * Logs a line for each request, or only for those whose status is 500 and above. Queries are left
 * out: links to media have their token there.
 */
export function logRequests(reply: Reply, logger: Logger, which: 'errors' | 'all'): Reply {
  return async (request, context) => {
    const began = performance.now()
    const callers: Caller[] = []
    const answer = await reply(request, {
      ...context,
      onCaller: (caller) => void callers.push(caller),
    })
    const { status, headers } = answer
    if (which === 'all' || status >= 500) {
      const requestId =
        headers instanceof Headers ? headers.get('x-request-id') : headers['X-Request-Id']
      logger[status >= 500 ? 'error' : 'info']('A request was answered', {
        method: request.method,
        path: URL.parse(request.url)?.pathname ?? '',
        status,
        ms: Math.round(performance.now() - began),
        ...(requestId && { requestId }),
        ...callers.map(({ account, user }) => ({ account, user }))[0],
        ...(context?.clientIp && { ip: context.clientIp }),
      })
    }
    return answer
  }
}
