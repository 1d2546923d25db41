import { createHttp } from './handler.ts'
import type { HttpHandler, HttpOptions } from './handler.ts'

/** Each surface alone, for hosts that serve them apart; a path of another one is 404. */
export interface Handlers {
  /**
   * All of the API that is not below: tasks, executions, results, datasets, templates, webhooks,
   * keys, its description.
   */
  readonly tasks: HttpHandler
  /** `/api/v1/analytics/…` */
  readonly analytics: HttpHandler
  /** `/api/v1/billing/…` */
  readonly billing: HttpHandler
  /** `/media/…`, the target of links, and `/api/v1/media/…`, which returns links. */
  readonly media: HttpHandler
  /** `/mcp`, and where it says how to get a token. Its calls go through the others in this process. */
  readonly mcp: HttpHandler
}

type Surface = Exclude<keyof Handlers, 'mcp'>

const PLACES: Readonly<Record<string, Exclude<Surface, 'tasks'>>> = {
  '/api/v1/analytics': 'analytics',
  '/api/v1/billing': 'billing',
  '/api/v1/media': 'media',
  '/media': 'media',
}

function surfaceOf(path: string): Surface {
  return (
    Object.entries(PLACES).find(([place]) => path === place || path.startsWith(`${place}/`))?.[1] ??
    'tasks'
  )
}

/**
 * Opens the surfaces of a route table, which that of agents is not part of. Each is put together
 * when it is first asked.
 */
export function createHandlers(options: HttpOptions): Pick<Handlers, Surface> {
  const open = (surface: Surface): HttpHandler => {
    let opened: HttpHandler | null = null
    const http = (): HttpHandler =>
      (opened ??= createHttp({
        ...options,
        routes: options.routes.filter(({ path }) => surfaceOf(path) === surface),
      }))
    const answer = (...given: Parameters<HttpHandler>): ReturnType<HttpHandler> => http()(...given)
    return Object.assign(answer, {
      reply: (...given: Parameters<HttpHandler['reply']>) => http().reply(...given),
    })
  }
  return {
    tasks: open('tasks'),
    analytics: open('analytics'),
    billing: open('billing'),
    media: open('media'),
  }
}
