import type { PlatformOptions, Principal } from 'seine'
import { createJwtAuthenticator } from 'seine/jose'

/** The owner of the data of the cases. */
export const OWNER: Principal = { account: 'acme', user: 'ann', scopes: ['*'] }

/** Who has many executions. */
export const CROWD: Principal = { account: 'crowd', user: 'cid', scopes: ['*'] }

/** The secret and the claims of tokens in the cases. */
export const TOKENS = {
  secret: 'a secret of thirty-two bytes, at least',
  issuer: 'https://issuer.example.com/',
  audience: 'https://api.example.com',
} as const

/** The number of calls of analytics that a user may make in a minute in the cases. */
export const ANALYTICS_CALLS = 5

const minute = { periodMs: 60_000 }

/** The options of the platform under test, except its storage. */
export const PLATFORM_OPTIONS = {
  allowPrivateNetwork: true,
  authenticators: [createJwtAuthenticator(TOKENS)],
  rateLimits: {
    tasks: { ...minute, limit: 5_000, burst: 4_999 },
    analytics: { ...minute, limit: ANALYTICS_CALLS, burst: ANALYTICS_CALLS - 1 },
  },
  billing: { plans: [{ id: 'trial', name: 'Trial', creditsPerMonth: 1_000_000 }] },
  logger: {
    debug() {},
    info() {},
    warn: (message, fields) => console.error(message, fields ?? ''),
    error: (message, fields) => console.error(message, fields ?? ''),
  },
} as const satisfies PlatformOptions
