import { shortDigest } from '#short-digest'
import { createMemoryLimiter } from '../defaults/memory-limiter.ts'
import { createStoreLimiter } from '../defaults/store-limiter.ts'
import { createDocuments } from '../engine/egress/host-services.ts'
import type { Egress } from '../engine/egress/types.ts'
import type { Core } from '../features/core.ts'
import { createKeyAuthenticator } from '../features/keys/authenticator.ts'
import type { HttpOptions } from '../http/handler.ts'
import { createIdempotency } from '../http/idempotency.ts'
import { withLegacyBodies } from '../http/legacy-bodies.ts'
import { DEFAULT_INFO, referenceRoutes } from '../http/openapi/routes.ts'
import { createSealedAnswers } from '../http/sealed-answers.ts'
import type { AnyRoute, RateService } from '../kernel/http/route.ts'
import type { Limiter } from '../ports/limiter.ts'
import { platformSecret } from '../records/platform-secret.ts'
import type { PlatformOptions } from './options.ts'

/** Options of an HTTP surface, beside core and routes. */
export type SurfaceOptions = Pick<
  PlatformOptions,
  | 'accountStatus'
  | 'apiKeys'
  | 'authenticators'
  | 'basePath'
  | 'billing'
  | 'cors'
  | 'limiter'
  | 'maxBodyBytes'
  | 'openApi'
  | 'rateLimits'
>

/**
 * Assembles the options of the HTTP handler: the routes of features and of the API description, and
 * their guards.
 */
export function httpOptionsOf(
  core: Core,
  egress: Egress,
  features: readonly AnyRoute[],
  options: SurfaceOptions,
): HttpOptions {
  const { records, random, ids, clock, logger, shares, tariff, planOf, allowPrivateNetwork } = core
  const { prefix, headers } = options.apiKeys ?? {}
  const routes = withLegacyBodies(features, options.billing?.legacy ?? {})
  const services = { clock, logger, document: createDocuments({ egress, allowPrivateNetwork }) }
  const ownAuthenticators = (options.authenticators ?? []).map((one) =>
    typeof one === 'function' ? one : one.create(services),
  )
  return {
    routes: [...routes, ...referenceRoutes(routes, { ...DEFAULT_INFO, ...options.openApi })],
    authenticators: [
      ...ownAuthenticators,
      createKeyAuthenticator(core, {
        digest: shortDigest,
        ...(prefix !== undefined && { prefix }),
        ...(headers && { headers }),
      }),
    ],
    ...(options.accountStatus && { accountStatus: options.accountStatus }),
    limiter: options.rateLimits === false ? null : limiterOf(core, options.limiter ?? 'memory'),
    ...(options.rateLimits && { rates: options.rateLimits }),
    // This lookup runs on every call, so it is set only if a plan has rates.
    ...(tariff.plans.some(({ rates }) => rates) && {
      rateOf: async (account: string, service: RateService) =>
        (await planOf(account)).rates?.[service] ?? null,
    }),
    logger,
    ids,
    clock,
    shares,
    digest: shortDigest,
    idempotency: createIdempotency(
      core,
      createSealedAnswers(() => platformSecret(records, random, 'answers'), random),
    ),
    ...(options.maxBodyBytes !== undefined && { maxBodyBytes: options.maxBodyBytes }),
    ...(options.basePath !== undefined && { basePath: options.basePath }),
    ...(options.cors !== undefined && { cors: options.cors }),
  }
}

function limiterOf({ records, clock }: Core, limiter: Limiter | 'memory' | 'store'): Limiter {
  if (limiter === 'memory') return createMemoryLimiter({ clock })
  return limiter === 'store' ? createStoreLimiter({ records, clock }) : limiter
}
