import { urlIdentity } from '../../kernel/url.ts'
import { compileGlob } from './glob.ts'
import { domainOf } from './public-suffixes.ts'
import type { Recipe } from './schema.ts'

type Scope = NonNullable<NonNullable<Recipe['crawl']>['scope']>

/** Compiles which URLs a run may visit: the scope around `anchors` (start URLs, what a search found, the sitemap, the feed), then `include` and `exclude`. */
export function compileScope(crawl: Recipe['crawl'], scope: Scope, anchors: readonly string[]): (url: string) => boolean {
  const near = inside(scope, anchors)
  const include = crawl?.include?.map(compileGlob) ?? []
  const exclude = crawl?.exclude?.map(compileGlob) ?? []
  return (url) => {
    const parsed = URL.parse(url)
    if (parsed === null || !near(parsed)) return false
    return (include.length === 0 || include.some((matches) => matches(url))) && !exclude.some((matches) => matches(url))
  }
}

function inside(scope: Scope, anchors: readonly string[]): (url: URL) => boolean {
  const urls = anchors.flatMap((anchor) => URL.parse(anchor) ?? [])
  switch (scope) {
    case 'any':
      return () => true
    case 'page': {
      const pages = new Set(anchors.map(urlIdentity))
      return (url) => pages.has(urlIdentity(url.href))
    }
    case 'path': {
      const folders = urls.map((url) => hostOf(url) + url.pathname.slice(0, url.pathname.lastIndexOf('/') + 1))
      return (url) => folders.some((folder) => (hostOf(url) + url.pathname).startsWith(folder))
    }
    case 'host': {
      const hosts = new Set(urls.map(hostOf))
      return (url) => hosts.has(hostOf(url))
    }
    case 'domain': {
      // Worked out when a URL is first judged: a recipe may be compiled without what running it needs.
      let domains: ReadonlySet<string> | null = null
      return (url) => (domains ??= new Set(urls.map(domainOf))).has(domainOf(url))
    }
  }
}

// A site answers for its bare name and for www, and mostly redirects from one to the other.
function hostOf(url: URL): string {
  return url.host.replace(/^www\./, '')
}
