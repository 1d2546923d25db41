import { createPoliteness } from '../engine/site/politeness.ts'
import type { FrontierRecord } from '../records/types.ts'
import type { PageOutcome } from './outcome.ts'
import type { PageCache } from './page-cache.ts'
import { visit } from './visit.ts'
import type { VisitContext } from './visit.ts'

/** Visits a page as the account has it, where that is young enough, and else on the web. */
export async function visitCached(
  entry: FrontierRecord,
  cache: PageCache,
  context: VisitContext,
): Promise<PageOutcome> {
  if (!cache.has(entry)) return visit(entry, context)
  // It has been rendered, and nothing is asked of its host.
  const known = await cache.visit(entry, (egress) =>
    visit(entry, {
      ...context,
      egress,
      renderer: null,
      politeness: createPoliteness({ clock: context.clock, delayMs: 0 }),
    }),
  )
  if (known) return known
  context.politeness.started(entry.url)
  return visit(entry, context)
}
