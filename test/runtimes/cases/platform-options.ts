import type { PlatformOptions, Principal } from 'seine'
import { createJwtAuthenticator } from 'seine/jose'

/** Who owns what the cases make. */
export const OWNER: Principal = { account: 'acme', user: 'ann', scopes: ['*'] }

/** Who has many executions. */
export const CROWD: Principal = { account: 'crowd', user: 'cid', scopes: ['*'] }

/** What tokens of the cases are signed with, and what is in them. */
export const TOKENS = {
  secret: 'a secret of thirty-two bytes, at least',
  issuer: 'https://issuer.example.com/',
  audience: 'https://api.example.com',
} as const

/** Calls of analytics that a user may make a minute in the cases. */
export const ANALYTICS_CALLS = 5

const minute = { periodMs: 60_000 }

/** The options of the platform under test, besides where it keeps things. */
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
