import type { Logger } from 'seine'
import type { HttpContext, Incoming, Outgoing } from '../../src/kernel/http/message.ts'

/** Answers a request. */
type Reply = (request: Incoming, context?: HttpContext) => Promise<Outgoing>
type Caller = Parameters<NonNullable<HttpContext['onCaller']>>[0]

/** The requests that are logged: all, one of `n` at random, or only failed ones. */
export type LoggedRequests = 'off' | 'errors' | 'all' | `1/${number}`

/**
 * Logs a line for the chosen requests, and for each whose status is 500 and above. Queries are left
 * out, because those of media links contain a token.
 *
 * @param random From 0 to below 1, for a sample
 */
export function logRequests(
  reply: Reply,
  logger: Logger,
  which: Exclude<LoggedRequests, 'off'>,
  random: () => number = Math.random,
): Reply {
  const share = which === 'all' ? 1 : which === 'errors' ? 0 : 1 / Number(which.slice(2))
  return async (request, context) => {
    const began = performance.now()
    const callers: Caller[] = []
    const answer = await reply(request, {
      ...context,
      onCaller: (caller) => void callers.push(caller),
    })
    const { status, headers } = answer
    if (status >= 500 || random() < share) {
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
