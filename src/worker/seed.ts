import { readSitemap } from '../engine/crawl/sitemap.ts'
import { EgressError } from '../engine/egress/types.ts'
import type { Egress } from '../engine/egress/types.ts'
import type { Plan } from '../engine/recipe/plan.ts'
import type { Reason, StartList } from '../records/types.ts'
import type { Journal } from './journal.ts'

/** Start URLs of one commit. */
const BATCH = 500

/** Puts the start URLs into the frontier, with what was `found`. Repeated after a crash it adds only what is missing. */
export async function seed({ egress, signal }: { readonly egress: Egress; readonly signal: AbortSignal }, plan: Plan, found: readonly string[], journal: Journal): Promise<Reason | null> {
  if (journal.progress.seeded) return null
  const asSeeds = (urls: readonly string[], listedBy?: StartList) => urls.map((url) => ({ url, label: 'start', depth: 0, hop: 1, ...(listedBy && { listedBy }) }))
  for (let i = 0; i < plan.startUrls.length; i += BATCH) await journal.write([], asSeeds(plan.startUrls.slice(i, i + BATCH)))
  if (found.length > 0) await journal.write([], asSeeds(found, 'search'))
  for (const list of ['sitemap', 'feed'] as const) {
    const url = plan[list]
    try {
      if (url === null) continue
      for await (const urls of readSitemap(url, { egress, signal, maxUrls: plan.limits.maxPages })) {
        for (let i = 0; i < urls.length; i += BATCH) await journal.write([], asSeeds(urls.slice(i, i + BATCH), list))
      }
    } catch (error) {
      if (error instanceof EgressError && !signal.aborted) return { code: `${list}_${error.reason}`, message: `The ${list} could not be read: ${error.message}` }
      // A stopped worker leaves the rest of the list to the next one; the crawl below sees the signal too.
      if (signal.aborted) return null
      throw error
    }
  }
  await journal.write([], [], true)
  return null
}
