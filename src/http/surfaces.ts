import type { AnyRoute } from '../kernel/http/route.ts'
import { createHttp } from './handler.ts'
import type { HttpHandler, HttpOptions } from './handler.ts'

/** Each surface alone, for hosts that serve them apart; a path of another one is 404. */
export interface Handlers {
  /**
   * All of the API that is not below: tasks, executions, results, datasets, templates, media items,
   * webhooks, keys, what operators ask for, and the description of these.
   */
  readonly tasks: HttpHandler
  /** `/api/v1/analytics/…` */
  readonly analytics: HttpHandler
  /** `/api/v1/billing/…` */
  readonly billing: HttpHandler
  /** `/media/…`, the target of links. */
  readonly media: HttpHandler
  /** `/mcp`, and where it says how to get a token. Its calls go through the others in this process. */
  readonly mcp: HttpHandler
  /** `/console`, where it is on. It calls the API at the address that it is mounted beside. */
  readonly console: HttpHandler
}

/** Options of {@link createHandlers}. */
export interface HandlersOptions extends HttpOptions {
  /** The routes without those that describe them. */
  readonly features: readonly AnyRoute[]
  /** Returns the routes that describe others. */
  readonly reference: (routes: readonly AnyRoute[]) => readonly AnyRoute[]
}

type Surface = Exclude<keyof Handlers, 'mcp' | 'console'>

const PREFIXES: Readonly<Record<string, Exclude<Surface, 'tasks'>>> = {
  '/api/v1/analytics': 'analytics',
  '/api/v1/billing': 'billing',
  '/media': 'media',
}

function surfaceOf(path: string): Surface {
  return (
    Object.entries(PREFIXES).find(
      ([prefix]) => path === prefix || path.startsWith(`${prefix}/`),
    )?.[1] ?? 'tasks'
  )
}

/**
 * Opens the surfaces of a route table, which those of agents and the console are not part of. Each
 * is put together when it is first asked.
 */
export function createHandlers({
  features,
  reference,
  ...options
}: HandlersOptions): Pick<Handlers, Surface> {
  const open = (surface: Surface): HttpHandler => {
    let opened: HttpHandler | null = null
    const http = (): HttpHandler => {
      if (opened) return opened
      const routes = features.filter(({ path }) => surfaceOf(path) === surface)
      const described = surface === 'tasks' ? [...routes, ...reference(routes)] : routes
      return (opened = createHttp({
        ...options,
        routes: described,
        later: surface === 'tasks' ? (options.later ?? null) : null,
      }))
    }
    const answer = (...args: Parameters<HttpHandler>): ReturnType<HttpHandler> => http()(...args)
    return Object.assign(answer, {
      reply: (...args: Parameters<HttpHandler['reply']>) => http().reply(...args),
    })
  }
  return {
    tasks: open('tasks'),
    analytics: open('analytics'),
    billing: open('billing'),
    media: open('media'),
  }
}
