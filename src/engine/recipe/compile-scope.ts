import { urlIdentity } from '../../kernel/url.ts'
import { compileGlob } from './glob.ts'
import { domainOf } from './public-suffixes.ts'
import type { Recipe } from './schema.ts'

type Scope = NonNullable<NonNullable<Recipe['crawl']>['scope']>

/**
 * Compiles which URLs a run may visit: the scope around `anchors` (start URLs, what a search found,
 * the sitemap, the feed), then `include` and `exclude`.
 */
export function compileScope(
  crawl: Recipe['crawl'],
  scope: Scope,
  anchors: readonly string[],
): (url: string) => boolean {
  const near = inside(scope, anchors)
  const include = crawl?.include?.map(compileGlob) ?? []
  const exclude = crawl?.exclude?.map(compileGlob) ?? []
  return (url) => {
    const parsed = URL.parse(url)
    if (parsed === null || !near(parsed)) return false
    return (
      (include.length === 0 || include.some((matches) => matches(url))) &&
      !exclude.some((matches) => matches(url))
    )
  }
}

// What a scope is drawn around is worked out when a URL is first judged: a recipe is compiled much
// more often than it is run, and may be compiled without what running it needs, such as the list of
// public suffixes.
function inside(scope: Scope, anchors: readonly string[]): (url: URL) => boolean {
  switch (scope) {
    case 'any':
      return () => true
    case 'page': {
      const pages = onceOf(() => new Set(anchors.map(urlIdentity)))
      return (url) => pages().has(urlIdentity(url.href))
    }
    case 'path': {
      const folders = onceOf(() =>
        outermost(
          setOf(
            anchors,
            (url) => hostOf(url) + url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1),
          ),
        ),
      )
      return (url) => beginsWithOne(hostOf(url) + url.pathname, folders())
    }
    case 'host': {
      const hosts = onceOf(() => setOf(anchors, hostOf))
      return (url) => hosts().has(hostOf(url))
    }
    case 'domain': {
      const domains = onceOf(() => setOf(anchors, domainOf))
      return (url) => domains().has(domainOf(url))
    }
  }
}

function setOf(anchors: readonly string[], partOf: (url: URL) => string): ReadonlySet<string> {
  return new Set(
    anchors.flatMap((anchor) => {
      const url = URL.parse(anchor)
      return url === null ? [] : [partOf(url)]
    }),
  )
}

function onceOf<T extends object>(make: () => T): () => T {
  let made: T | null = null
  return () => (made ??= make())
}

/** The folders, sorted, without those that lie in another one. */
function outermost(folders: ReadonlySet<string>): readonly string[] {
  const kept: string[] = []
  for (const folder of [...folders].toSorted()) {
    const last = kept.at(-1)
    if (last === undefined || !folder.startsWith(last)) kept.push(folder)
  }
  return kept
}

/**
 * Whether a text begins with one of these. As none of them begins with another, only the last one
 * that sorts before the text can be it.
 */
function beginsWithOne(text: string, sorted: readonly string[]): boolean {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? '') <= text) from = middle + 1
    else to = middle
  }
  const before = sorted[from - 1]
  return before !== undefined && text.startsWith(before)
}

// A site answers for its bare name and for www, and mostly redirects from one to the other.
function hostOf(url: URL): string {
  return url.host.replace(/^www\./, '')
}
