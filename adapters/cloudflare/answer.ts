/** The part of a platform that is served. */
export interface ServedPlatform {
  fetch(request: Request, context: { readonly clientIp?: string }): Promise<Response>
  readonly worker: { tick(options: { readonly budgetMs: number }): Promise<void> }
}

/** A pending answer, and the work that it may cause. */
export interface Answering {
  readonly response: Promise<Response>
  /**
   * Does the work that a write caused: after its answer, and also during it, because calls of
   * agents wait for their runs.
   */
  worked(): Promise<void>
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
/** After this time, in ms, an answer may be waiting for work. This is checked at growing intervals. */
const PATIENCE_MS = 300

/** Answers a request of workerd with a platform. */
export function answer(
  platform: ServedPlatform,
  request: Request,
  work: () => Promise<void>,
): Answering {
  // Cloudflare sets this header itself, whatever the client sent.
  const clientIp = request.headers.get('cf-connecting-ip')
  const response = platform.fetch(request, clientIp === null ? {} : { clientIp })
  return {
    response: response.then(asEncoded),
    async worked() {
      if (READS.has(request.method)) return
      for (
        let wait = PATIENCE_MS;
        (await Promise.race([response, later(wait)])) === null;
        wait *= 2
      )
        await work()
      if ((await response).ok) await work()
    },
  }
}

/** Marks a body that the platform has compressed. Otherwise workerd would compress it again. */
function asEncoded(response: Response): Response {
  if (!response.headers.has('content-encoding')) return response
  const { status, statusText, headers } = response
  const init: ResponseInit & { readonly encodeBody: 'manual' } = {
    status,
    statusText,
    headers,
    encodeBody: 'manual',
  }
  return new Response(response.body, init)
}

function later(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, ms, null))
}
