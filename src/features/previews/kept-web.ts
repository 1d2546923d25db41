import { EgressError } from '../../engine/egress/types.ts'
import type { Page } from '../../ports/page-processor.ts'
import type { WebAccess } from '../common/web-access.ts'

/**
 * Returns access to a web of kept pages only. Nothing is rendered again: a rendered page was kept
 * after its scripts had run. No model is asked, because no quota limits how often a kept page is
 * read.
 */
export function webOfKept(web: WebAccess, pages: readonly Page[]): WebAccess {
  const byUrl = new Map(pages.flatMap((page) => [[page.url, page] as const]))
  for (const page of pages) if (page.requestedUrl !== undefined) byUrl.set(page.requestedUrl, page)
  return {
    ...web,
    renderer: null,
    model: null,
    robots: { check: async () => ({ allowed: true, crawlDelayMs: null, sitemaps: [] }) },
    async egress({ url }) {
      const page = byUrl.get(url)
      if (page === undefined) throw new EgressError('connection', 'This page was not kept')
      return {
        url: page.url,
        status: page.status ?? 200,
        headers: { 'content-type': page.contentType },
        body: page.body,
        truncated: false,
        redirects: [],
        durationMs: 0,
      }
    },
  }
}
