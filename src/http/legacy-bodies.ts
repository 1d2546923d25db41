import { ENVELOPES } from '../kernel/http/route.ts'
import type { BodyStyle, AnyRoute } from '../kernel/http/route.ts'

/**
 * Old response bodies that an operation keeps for older clients. `error`: errors as `{ error:
 * message }`. `bare`: successes as the data alone. `both`: both. Rejections by the rate limiter
 * stay in the envelope.
 */
export type LegacyBodies = 'error' | 'bare' | 'both'

const STYLES: Readonly<Record<LegacyBodies, BodyStyle>> = {
  error: { ...ENVELOPES, error: 'text' },
  bare: { ...ENVELOPES, success: 'bare' },
  both: { success: 'bare', error: 'text' },
}
const BILLING = '/api/v1/billing/'

/**
 * Returns the routes, with some billing operations changed to the bodies of a legacy deployment.
 * Routing, answers and description agree, because all of them use these routes.
 *
 * @throws {TypeError} for an unknown billing operation
 */
export function withLegacyBodies(
  routes: readonly AnyRoute[],
  legacy: Readonly<Record<string, LegacyBodies>>,
): readonly AnyRoute[] {
  const operations = routes
    .filter(({ path }) => path.startsWith(BILLING))
    .map(({ operation }) => operation)
  for (const operation of Object.keys(legacy))
    if (!operations.includes(operation))
      throw new TypeError(
        `billing.legacy: ${operation} is not a billing operation; known: ` +
          `${operations.length === 0 ? 'none' : operations.join(', ')}`,
      )
  return routes.map((route) => {
    const choice = Object.hasOwn(legacy, route.operation) ? legacy[route.operation] : undefined
    return choice ? { ...route, bodies: STYLES[choice] } : route
  })
}
