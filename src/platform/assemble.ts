import type { HandlersOptions } from '../http/surfaces.ts'
import type { AnyRoute } from '../kernel/http/route.ts'
import { DEFAULT_INFO } from '../http/openapi/routes.ts'
import { once } from '../kernel/concurrency.ts'
import type { Clock } from '../ports/clock.ts'
import { createCore } from './core.ts'
import type { PlatformCore } from './core.ts'
import { httpOptionsOf } from './http.ts'
import type { PlatformOptions } from './options.ts'
import type { HealthReport } from './health.ts'
import { routesOf } from './routes.ts'
import { createServices } from './services.ts'
import type { Services, ServicesOptions } from './services.ts'
import { openWebAccess } from './web-access.ts'
import type { OpenWebAccess } from './web-access.ts'

/** The parts that connect the services to a worker. */
interface Wiring extends Pick<ServicesOptions, 'wake' | 'interrupt' | 'stillQueued'> {
  /** Clock of requests to the web. Default: the clock of the platform. */
  readonly webClock?: Clock
  readonly health: () => Promise<HealthReport>
  readonly storeFailed: NonNullable<HandlersOptions['storeFailed']>
}

/** A platform without its worker. */
export interface Assembled {
  readonly core: PlatformCore
  readonly web: OpenWebAccess
  readonly services: Services
  /** Routes of the features. */
  readonly routes: readonly AnyRoute[]
  /** The parts that answer HTTP, for `createHttp` and `createHandlers`. */
  readonly http: HandlersOptions
}

/** Makes the parts of a platform that need no worker. Test hosts use it too. */
export function assemble(
  options: PlatformOptions,
  { webClock, health, storeFailed, ...wiring }: Wiring,
): Assembled {
  const core = createCore(options)
  const web = openWebAccess({ ...core, clock: webClock ?? core.clock }, options)
  const services = createServices(core, web, { ...options, ...wiring, storeFailed })
  const routes = routesOf(core, services, options)
  const later = options.operator
    ? once(async () =>
        (await import('./operator-routes.ts')).operatorRoutesOf(
          { core, services },
          {
            health,
            readsJobs: options.queue === undefined,
            version: DEFAULT_INFO.version,
          },
        ),
      )
    : null
  return {
    core,
    web,
    services,
    routes,
    http: { ...httpOptionsOf(core, web.egress, routes, options, later), storeFailed },
  }
}
