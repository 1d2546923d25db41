import { EgressError } from '../egress/types.ts'
import type { Egress } from '../egress/types.ts'
import { SitemapParser } from './sitemap-parser.ts'
import { sitemapText } from './sitemap-text.ts'

/** What {@link readSitemap} needs. */
export interface SitemapOptions {
  readonly egress: Egress
  readonly signal: AbortSignal
  /** Different page URLs after which it stops. */
  readonly maxUrls: number
  /** Sitemaps read for one index, all levels together. Default 5,000. */
  readonly maxSitemaps?: number
}

const MAX_DEPTH = 3
const MAX_BYTES = 50 * 1024 * 1024
const MAX_QUEUED = 100_000

/**
 * The page URLs of a sitemap or a feed, in batches, each URL once: sitemaps.org XML and its indexes (to a depth of three, loops
 * left out), gzip files, RSS, Atom, JSON Feed and plain text. A nested sitemap that cannot be read is passed over.
 *
 * @throws {EgressError} where the first one cannot be read, and `aborted`
 */
export async function* readSitemap(url: string, options: SitemapOptions): AsyncGenerator<string[]> {
  const { egress, signal, maxUrls, maxSitemaps = 5_000 } = options
  const queue: { url: string; depth: number }[] = [{ url, depth: 0 }]
  const queued = new Set([url])
  const seen = new Set<string>()
  for (let next = 0; next < queue.length && next < maxSitemaps && seen.size < maxUrls; next++) {
    const sitemap = queue[next]
    if (sitemap === undefined) return
    const file = await read(egress, sitemap.url, signal, sitemap.depth > 0)
    if (file === null) continue
    queued.add(file.url)
    const parser = new SitemapParser(file.url)
    for await (const text of sitemapText(file.body, MAX_BYTES)) {
      signal.throwIfAborted()
      parser.write(text)
      const batch = unseen(parser.take(), seen, maxUrls)
      if (batch.length > 0) yield batch
      if (parser.isBroken || seen.size >= maxUrls) break
    }
    parser.end()
    const batch = unseen(parser.take(), seen, maxUrls)
    if (batch.length > 0) yield batch
    if (sitemap.depth === MAX_DEPTH) continue
    for (const child of parser.children) {
      if (queued.has(child) || queue.length >= MAX_QUEUED) continue
      queued.add(child)
      queue.push({ url: child, depth: sitemap.depth + 1 })
    }
  }
}

function unseen(urls: readonly string[], seen: Set<string>, maxUrls: number): string[] {
  return urls.filter((url) => {
    if (seen.size >= maxUrls || seen.has(url)) return false
    seen.add(url)
    return true
  })
}

async function read(egress: Egress, url: string, signal: AbortSignal, isNested: boolean): Promise<{ url: string; body: Uint8Array } | null> {
  try {
    const response = await egress({ url, purpose: 'sitemap', signal })
    if (response.status >= 200 && response.status < 300) return response
    if (isNested) return null
    throw new EgressError('protocol', `The site answered ${response.status}.`)
  } catch (error) {
    if (isNested && error instanceof EgressError && error.reason !== 'aborted') return null
    throw error
  }
}
