import { IttyRouter } from 'itty-router'
import type { RouteEntry } from 'itty-router'
import type { AnyRoute } from '../kernel/http/route.ts'

/** All routes of one path, by method. */
export interface PathEntry {
  readonly path: string
  readonly methods: ReadonlyMap<string, AnyRoute>
  /** Value of the `Allow` header. */
  readonly allow: string
}

/** A path of the table that matches, with its parameters as the URL has them. */
export interface Match {
  readonly entry: PathEntry
  readonly params: Readonly<Record<string, string>>
}

/** A path of the table, with the pattern that itty-router makes of it when it is first tried. */
interface Route {
  readonly entry: PathEntry
  patterns?: readonly RouteEntry[]
}

/**
 * Finds a path's entry in the route table. Methods are looked up afterwards, so that a known path
 * with a wrong method differs from an unknown path. It tries only patterns whose text before the
 * first parameter matches the path.
 *
 * @throws {Error} for two routes with the same method and path, or the same operation.
 */
export function createRouter(routes: readonly AnyRoute[]): (pathname: string) => Match | null {
  const byBeginning = new Map<string, Route[]>()
  let deepest = 1
  // Fixed segments go before parameters: /tasks/preview before /tasks/:id.
  for (const entry of entriesOf(routes).toSorted((a, b) =>
    sortKey(a.path) < sortKey(b.path) ? -1 : 1,
  )) {
    const segments = entry.path.split('/')
    const variable = segments.findIndex((segment) => /[:*]/.test(segment))
    const fixed = variable < 0 ? segments : segments.slice(0, variable)
    deepest = Math.max(deepest, fixed.length)
    const beginning = fixed.join('/')
    const alike = byBeginning.get(beginning) ?? []
    byBeginning.set(beginning, alike)
    alike.push({ entry })
  }
  return (pathname) => {
    // In the order above, patterns with a longer fixed beginning come first.
    for (let end = endOf(pathname, deepest); ; end = pathname.lastIndexOf('/', end - 1)) {
      for (const route of byBeginning.get(pathname.slice(0, end)) ?? []) {
        const { entry } = route
        for (const [, pattern] of (route.patterns ??= IttyRouter().all(entry.path).routes)) {
          const match = pattern.exec(pathname)
          if (match) return { entry, params: match.groups ?? {} }
        }
      }
      if (end <= 0) return null
    }
  }
}

/** Returns the end of the path's first segments, at most this many. */
function endOf(path: string, segments: number): number {
  let end = 0
  for (let i = 1; i < segments && end >= 0; i++) end = path.indexOf('/', end + 1)
  return end < 0 ? path.length : end
}

function entriesOf(routes: readonly AnyRoute[]): PathEntry[] {
  const byPath = new Map<string, Map<string, AnyRoute>>()
  const operations = new Set<string>()
  for (const route of routes) {
    const methods = byPath.get(route.path) ?? new Map<string, AnyRoute>()
    if (methods.has(route.method) || operations.has(route.operation))
      throw new Error(`Two routes for ${route.method} ${route.path} (${route.operation})`)
    operations.add(route.operation)
    methods.set(route.method, route)
    byPath.set(route.path, methods)
  }
  return [...byPath].map(([path, methods]) => ({
    path,
    methods,
    allow: [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '),
  }))
}

// `:` is replaced by a character that sorts after every other character of a path.
function sortKey(path: string): string {
  return path.replaceAll(':', '\uffff')
}
