import type { AnyRoute } from '../kernel/http/route.ts'
import { createHttp } from './handler.ts'
import type { HttpHandler, HttpOptions } from './handler.ts'

/**
 * The surfaces, for hosts that serve each of them separately. Each answers paths of the others with
 * 404.
 */
export interface Handlers {
  /**
   * The API without the surfaces below: tasks, executions, results, datasets, templates, media
   * items, webhooks, keys, routes of operators, and the description of these.
   */
  readonly tasks: HttpHandler
  /** `/api/v1/analytics/…` */
  readonly analytics: HttpHandler
  /** `/api/v1/billing/…` */
  readonly billing: HttpHandler
  /** `/media/…`, the target of links. */
  readonly media: HttpHandler
  /**
   * `/mcp`, and the addresses that say how to get a token. Its calls go through the other surfaces
   * in this process.
   */
  readonly mcp: HttpHandler
  /** `/console`, if it is switched on. It calls the API under the same mount path. */
  readonly console: HttpHandler
}

/** Options of {@link createHandlers}. */
export interface HandlersOptions extends HttpOptions {
  /** All routes but those of the description. */
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
 * Opens the surfaces of a route table, except those of agents and of the console. Each surface is
 * created at its first request.
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
