import type { Platform } from 'seine'
import { responseOf } from '../../src/kernel/http/message.ts'
import type { HttpContext, Incoming, Outgoing } from '../../src/kernel/http/message.ts'

/**
 * Adds the paths for health checks to a platform's `fetch`: `/healthz` says whether the process
 * answers, and `/readyz` whether it can work (else 503). They need no key and reveal nothing of its
 * data.
 */
export function withHealth({
  fetch,
  health,
}: Pick<Platform, 'health'> & { readonly fetch: Pick<Platform['fetch'], 'reply'> }) {
  const reply = (request: Incoming, context?: HttpContext): Promise<Outgoing> => {
    const { url } = request
    // The URL is not parsed, because this would slow down each call.
    if (!url.endsWith('/healthz') && !url.endsWith('/readyz')) return fetch.reply(request, context)
    const path = new URL(url).pathname
    if (path !== '/healthz' && path !== '/readyz') return fetch.reply(request, context)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return Promise.resolve({ status: 405, headers: { allow: 'GET, HEAD' }, body: null })
    return path === '/healthz'
      ? Promise.resolve(answer(request, 200, { ok: true }))
      : ready(request)
  }
  const ready = async (request: Incoming): Promise<Outgoing> => {
    const { ok, store, blobs, worker, queue } = await health()
    // Reasons may name hosts, so only the log has them.
    const partOf = (part: typeof store) => ({ ok: part.ok, ms: part.ms })
    return answer(request, ok ? 200 : 503, {
      ok,
      store: partOf(store),
      blobs: partOf(blobs),
      worker,
      queue,
    })
  }
  return Object.assign(
    async (request: Request, context?: HttpContext) => responseOf(await reply(request, context)),
    { reply },
  )
}

function answer({ method }: Incoming, status: number, body: object): Outgoing {
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(status === 503 && { 'retry-after': '5' }),
    },
    body: method === 'HEAD' ? null : JSON.stringify(body),
  }
}
