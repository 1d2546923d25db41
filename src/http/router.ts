import { IttyRouter } from 'itty-router'
import type { AnyRoute } from '../kernel/http/route.ts'
import { PathTable } from './path-table.ts'

/** All routes of one path, by method. */
export interface PathEntry {
  readonly path: string
  readonly methods: ReadonlyMap<string, AnyRoute>
  /** Value of the `Allow` header. */
  readonly allow: string
}

/** A path that the table has, with its parameters as they were written in the URL. */
export interface Match {
  readonly entry: PathEntry
  readonly params: Readonly<Record<string, string>>
}

/**
 * Finds a path's entry in the route table. Methods are looked up afterwards, so that a known path
 * with a wrong method can be told from an unknown path. Whole segments are looked up; only what
 * they do not decide is matched with patterns one by one, such as a path with a slash at its end.
 *
 * @throws {Error} for two routes with the same method and path, or the same operation.
 */
export function createRouter(
  routes: readonly AnyRoute[],
): (pathname: string) => Match | Promise<Match | null> {
  const entries = entriesOf(routes)
  const table = new PathTable<PathEntry>()
  const router = IttyRouter()
  // Fixed segments go before parameters: /tasks/preview before /tasks/:id.
  for (const entry of entries.toSorted((a, b) => (sortKey(a.path) < sortKey(b.path) ? -1 : 1))) {
    table.add(entry.path, entry)
    router.all(entry.path, ({ params }): Match => ({ entry, params }))
  }
  const tryAll = async (pathname: string): Promise<Match | null> => {
    const match: Match | undefined = await router.fetch({
      method: 'GET',
      url: `http://localhost${pathname}`,
    })
    return match ?? null
  }
  return (pathname) => {
    const found = table.find(pathname)
    return found ? { entry: found.value, params: found.params } : tryAll(pathname)
  }
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

// `:` becomes a character that sorts after every other of a path.
function sortKey(path: string): string {
  return path.replaceAll(':', '\uffff')
}
