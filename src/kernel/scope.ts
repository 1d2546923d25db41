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
  'webhooks:write',
  'analytics:read',
  'billing:read',
  'billing:write',
  'keys:write',
  'mcp:search',
  'mcp:fetch',
  'mcp:crawl',
  'mcp:templates',
] as const

/** One concrete scope. */
export type Scope = (typeof SCOPES)[number]

/**
 * True if one of the granted scopes — `*`, a family such as `tasks:*`, or the scope itself — covers
 * the wanted one.
 */
export function grants(granted: readonly string[], wanted: Scope): boolean {
  const family = `${wanted.slice(0, wanted.indexOf(':'))}:*`
  return granted.some((scope) => scope === '*' || scope === wanted || scope === family)
}

/** True for `*`, a known family and a known scope: what an API key may be given. */
export function isGrantable(scope: string): boolean {
  return (
    scope === '*' ||
    SCOPES.some((known) => known === scope || `${known.slice(0, known.indexOf(':'))}:*` === scope)
  )
}
