import { createHttp } from './handler.ts'
import type { Http, HttpOptions } from './handler.ts'

/** Each surface alone, for hosts that serve them apart; a path of another one is 404. */
export interface Handlers {
  /** All of the API that is not below: tasks, executions, results, datasets, templates, webhooks, keys, its description. */
  readonly tasks: Http
  /** `/api/v1/analytics/…` */
  readonly analytics: Http
  /** `/api/v1/billing/…` */
  readonly billing: Http
  /** `/media/…`, what links lead to, and `/api/v1/media/…`, which gives them. */
  readonly media: Http
}

const PLACES: Readonly<Record<string, Exclude<keyof Handlers, 'tasks'>>> = { '/api/v1/analytics': 'analytics', '/api/v1/billing': 'billing', '/api/v1/media': 'media', '/media': 'media' }

function surfaceOf(path: string): keyof Handlers {
  return Object.entries(PLACES).find(([place]) => path === place || path.startsWith(`${place}/`))?.[1] ?? 'tasks'
}

/** Opens the surfaces of a route table. Each is put together when it is first asked. */
export function createHandlers(options: HttpOptions): Handlers {
  const open = (surface: keyof Handlers): Http => {
    let opened: Http | null = null
    const http = (): Http => (opened ??= createHttp({ ...options, routes: options.routes.filter(({ path }) => surfaceOf(path) === surface) }))
    const answer = (...given: Parameters<Http>): ReturnType<Http> => http()(...given)
    return Object.assign(answer, { reply: (...given: Parameters<Http['reply']>) => http().reply(...given) })
  }
  return { tasks: open('tasks'), analytics: open('analytics'), billing: open('billing'), media: open('media') }
}
