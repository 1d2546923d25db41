import { consolePathOf } from '../console/options.ts'
import type { Console, ConsoleOptions, ConsolePath } from '../console/options.ts'
import { addressOf } from '../http/address.ts'
import type { HttpHandler } from '../http/handler.ts'
import { once } from '../kernel/concurrency.ts'
import { createBaseUrl, mountPath } from '../kernel/http/base-url.ts'
import type { BaseUrlOptions } from '../kernel/http/base-url.ts'
import { responseOf } from '../kernel/http/message.ts'
import type { HttpContext, Incoming, Outgoing } from '../kernel/http/message.ts'

/**
 * Serves the console below the mount path, by default at `/console`. Requests for other paths go to
 * `otherwise`.
 */
export function createConsoleSurface(
  otherwise: HttpHandler,
  { console: chosen, ...mounted }: BaseUrlOptions & { console: ConsoleOptions | Console | boolean },
): HttpHandler {
  const name = consolePathOf(chosen)
  if (name === null) return otherwise
  const home = mountPath(mounted.basePath)
  const mount = home + name
  const baseUrlOf = createBaseUrl(mounted)
  const load = once(async (): Promise<Console> => {
    if (typeof chosen === 'object' && 'reply' in chosen) return chosen
    const { createConsole } = await import('#console')
    return createConsole(typeof chosen === 'object' ? chosen : {})
  })
  const leadsHome = typeof chosen === 'object' && chosen.home === true

  // The path in the reader's browser. A proxy may have removed a part of it.
  const apiOf = (request: Incoming, context?: HttpContext): string =>
    new URL(baseUrlOf(request.url, context?.forwarded)).pathname.replace(/\/$/, '')
  const answer = async (request: Incoming, path: ConsolePath): Promise<Outgoing> =>
    (await load()).reply(request, path)
  // Not async: another promise would be the largest cost of most requests here.
  const reply = (request: Incoming, context?: HttpContext): Promise<Outgoing> => {
    if (!leadsHome && !request.url.includes(name)) return otherwise.reply(request, context)
    const { path } = addressOf(request.url)
    if (path === mount || path.startsWith(`${mount}/`))
      return answer(request, {
        base: apiOf(request, context) + name,
        api: apiOf(request, context),
        rest: path.slice(mount.length).replace(/\/$/, ''),
      })
    if (leadsHome && request.method === 'GET' && (path === home || path === `${home}/`))
      return Promise.resolve({
        status: 302,
        headers: { location: apiOf(request, context) + name },
        body: null,
      })
    return otherwise.reply(request, context)
  }
  return Object.assign(
    async (request: Request, context?: HttpContext) => responseOf(await reply(request, context)),
    { reply },
  )
}
