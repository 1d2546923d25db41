import { namesInstead } from './names.ts'

/** Every scope that a route can ask for. */
export const SCOPES = [
  'tasks:read',
  'tasks:write',
  'executions:read',
  'executions:write',
  'datasets:read',
  'datasets:write',
  'templates:run',
  'media:read',
  'media:write',
  'webhooks:read',
  'webhooks:write',
  'analytics:read',
  'billing:read',
  'billing:write',
  'keys:read',
  'keys:write',
  'audit:read',
  'mcp:search',
  'mcp:fetch',
  'mcp:crawl',
  'mcp:templates',
  'mcp:extract',
  'operator',
] as const

/** One concrete scope. */
export type Scope = (typeof SCOPES)[number]

/**
 * The scope of those who run the service for others. It reaches all accounts, so `*`, which is all
 * of one account, does not grant it.
 */
export const OPERATOR = 'operator' satisfies Scope

/**
 * Scopes to write that also allow reading. Keys from before `webhooks:read` and `keys:read` existed
 * rely on this.
 */
const WRITE_ALLOWS_READ: Readonly<Partial<Record<Scope, Scope>>> = {
  'webhooks:read': 'webhooks:write',
  'keys:read': 'keys:write',
}

/**
 * True if one of the granted scopes — `*`, a family such as `tasks:*`, the scope itself, or, for
 * webhooks and keys, the scope to write — covers the wanted one. `operator` is granted by its name
 * alone.
 */
export function grants(granted: readonly string[], scope: Scope): boolean {
  if (scope === OPERATOR) return granted.includes(OPERATOR)
  const family = `${scope.slice(0, scope.indexOf(':'))}:*`
  const covering = ['*', family, scope, WRITE_ALLOWS_READ[scope]]
  return granted.some((grant) => covering.includes(grant))
}

/** A scope that an API key can be granted: `*`, a family, or a single scope. */
export const GRANTABLE: readonly string[] = [
  '*',
  ...new Set(
    SCOPES.filter((scope) => scope !== OPERATOR).map(
      (scope) => `${scope.slice(0, scope.indexOf(':'))}:*`,
    ),
  ),
  ...SCOPES,
]

/** Why an API key cannot be given a scope; `null` if it can. */
export function notGrantable(scope: string): string | null {
  return GRANTABLE.includes(scope) ? null : `is not a known scope${namesInstead(scope, GRANTABLE)}`
}
