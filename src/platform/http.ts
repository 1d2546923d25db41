import { shortDigest } from '#short-digest'
import { createMemoryLimiter } from '../defaults/memory-limiter.ts'
import { createStoreLimiter } from '../defaults/store-limiter.ts'
import { createDocuments } from '../engine/egress/host-services.ts'
import type { Egress } from '../engine/egress/types.ts'
import type { Core } from '../features/core.ts'
import { createKeyAuthenticator } from '../features/keys/authenticator.ts'
import { createAuditTrail } from '../http/audit-trail.ts'
import { withLegacyBodies } from '../http/legacy-bodies.ts'
import { DEFAULT_INFO, referenceRoutes } from '../http/openapi/routes.ts'
import type { HandlersOptions } from '../http/surfaces.ts'
import { once } from '../kernel/concurrency.ts'
import { withDefaults } from '../kernel/options.ts'
import type { AnyRoute, RateService } from '../kernel/http/route.ts'
import type { Limiter } from '../ports/limiter.ts'
import { platformSecret } from '../records/platform-secret.ts'
import type { PlatformOptions } from './options.ts'

/** Options of an HTTP surface, beside core and routes. */
export type SurfaceOptions = Pick<
  PlatformOptions,
  | 'apiKeys'
  | 'audit'
  | 'authenticators'
  | 'basePath'
  | 'billing'
  | 'cors'
  | 'limiter'
  | 'maxBodyBytes'
  | 'openApi'
  | 'publicUrl'
  | 'rateLimits'
>

/** How long entries of the audit log are kept, in days. */
const AUDIT_DAYS = 90

/**
 * Assembles the options of the HTTP handler: the routes of features and of the API description, and
 * their guards.
 */
export function httpOptionsOf(
  core: Core,
  egress: Egress,
  features: readonly AnyRoute[],
  options: SurfaceOptions,
  later: (() => Promise<readonly AnyRoute[]>) | null,
): HandlersOptions {
  const { records, random, ids, clock, logger, telemetry, shares, tariff, planOf } = core
  const { allowPrivateNetwork } = core
  const { prefix, headers } = options.apiKeys ?? {}
  const routes = withLegacyBodies(features, options.billing?.legacy ?? {})
  const info = withDefaults(DEFAULT_INFO, options.openApi)
  const reference = (described: readonly AnyRoute[]): readonly AnyRoute[] =>
    referenceRoutes(described, info, options.publicUrl, later)
  const services = { clock, logger, document: createDocuments({ egress, allowPrivateNetwork }) }
  // Loaded with the first request that has a key.
  const idempotency = once(async () => {
    const [{ createIdempotency }, { createSealedAnswers }] = await Promise.all([
      import('../http/idempotency.ts'),
      import('../http/sealed-answers.ts'),
    ])
    return createIdempotency(
      core,
      createSealedAnswers(() => platformSecret(records, random, 'answers'), random),
    )
  })
  const ownAuthenticators = (options.authenticators ?? []).map((authenticator) =>
    typeof authenticator === 'function' ? authenticator : authenticator.create(services),
  )
  return {
    features: routes,
    reference,
    routes: [...routes, ...reference(routes)],
    later,
    authenticators: [
      ...ownAuthenticators,
      createKeyAuthenticator(core, {
        digest: shortDigest,
        ...(prefix !== undefined && { prefix }),
        ...(headers && { headers }),
      }),
    ],
    accountStatus: core.accountStatus,
    limiter: options.rateLimits === false ? null : limiterOf(core, options.limiter ?? 'memory'),
    ...(options.rateLimits && { rates: options.rateLimits }),
    // This lookup runs on every call, so it is set only if a plan has rates.
    ...(tariff.plans.some(({ rates }) => rates) && {
      rateOf: async (account: string, service: RateService) =>
        (await planOf(account)).rates?.[service] ?? null,
    }),
    logger,
    ...(telemetry && { telemetry }),
    ids,
    clock,
    shares,
    digest: shortDigest,
    idempotency: { begin: async (...request) => (await idempotency()).begin(...request) },
    ...(options.audit !== false && {
      audit: createAuditTrail(core, options.audit?.retentionDays ?? AUDIT_DAYS),
    }),
    ...(options.maxBodyBytes !== undefined && { maxBodyBytes: options.maxBodyBytes }),
    ...(options.basePath !== undefined && { basePath: options.basePath }),
    ...(options.publicUrl !== undefined && { publicUrl: options.publicUrl }),
    ...(options.cors !== undefined && { cors: options.cors }),
  }
}

function limiterOf(
  { records, clock, telemetry }: Core,
  named: Limiter | 'memory' | 'store',
): Limiter {
  const limiter =
    named === 'memory'
      ? createMemoryLimiter({ clock })
      : named === 'store'
        ? createStoreLimiter({ records, clock })
        : named
  if (!telemetry) return limiter
  const counted = once(async () =>
    (await import('../http/counted-limiter.ts')).countCalls(limiter, telemetry),
  )
  return {
    take: async (...call) => (await counted()).take(...call),
    close: () => limiter.close(),
  }
}
