import { IttyRouter } from 'itty-router'
import type { AnyRoute } from '../kernel/http/route.ts'

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

/**
 * What a path table found: what stands at the pattern, and its parameters as they were written in
 * the path.
 */
interface Found<T> {
  readonly value: T
  readonly params: Readonly<Record<string, string>>
}

/** One step of all patterns that begin alike. */
interface Step<T> {
  readonly fixed: Map<string, Step<T>>
  parameter: Step<T> | null
  end: { readonly value: T; readonly names: readonly string[] } | null
}

/** A path of whole segments, each fixed or a parameter, which is all that this table knows. */
const PLAIN = /^(?:\/(?:[\w.~-]+|:\w+))+$/

/**
 * Finds a path by its segments, one lookup each, where a list of patterns would have to be tried
 * one by one. Fixed segments go before parameters. It knows nothing of empty segments: `/tasks/`
 * and `//tasks` are not found.
 */
export class PathTable<T> {
  readonly #root: Step<T> = step()

  /**
   * Adds a pattern such as `/tasks/:id`; of two that match the same paths the first stays. Other
   * patterns are left out.
   */
  add(pattern: string, value: T): void {
    if (!PLAIN.test(pattern)) return
    const names: string[] = []
    let at = this.#root
    for (const segment of pattern.slice(1).split('/')) {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1))
        at = at.parameter ??= step()
        continue
      }
      const next = at.fixed.get(segment) ?? step()
      at.fixed.set(segment, next)
      at = next
    }
    at.end ??= { value, names }
  }

  find(path: string): Found<T> | null {
    const values: string[] = []
    const end = follow(this.#root, path, 1, values)
    if (!end) return null
    const params: Record<string, string> = {}
    for (let i = 0; i < end.names.length; i++) params[end.names[i] ?? ''] = values[i] ?? ''
    return { value: end.value, params }
  }
}

function step<T>(): Step<T> {
  return { fixed: new Map(), parameter: null, end: null }
}

function follow<T>(at: Step<T>, path: string, from: number, values: string[]): Step<T>['end'] {
  if (from > path.length) return at.end
  const slash = path.indexOf('/', from)
  const to = slash < 0 ? path.length : slash
  if (to === from) return null
  const segment = path.slice(from, to)
  const fixed = at.fixed.get(segment)
  const found = fixed ? follow(fixed, path, to + 1, values) : null
  if (found || !at.parameter) return found
  values.push(segment)
  const below = follow(at.parameter, path, to + 1, values)
  if (!below) values.pop()
  return below
}
