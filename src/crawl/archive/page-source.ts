import { EgressError } from '../../engine/egress/types.ts'
import type { Egress, EgressResponse } from '../../engine/egress/types.ts'
import type { FrontierRecord, Reason } from '../../features/executions/records.ts'
import type { VisitOutcome } from '../visit/outcome.ts'

/** Visits a page with `egress` in place of the web. */
export type VisitOver = (egress: Egress) => Promise<VisitOutcome>

/** Stored pages that a run reads instead of asking their hosts. */
export interface PageSource {
  /** True if the page is read from here. Then its host is not asked. */
  has(entry: FrontierRecord): boolean
  /** Returns the result of `visit` for the stored page. `null`: the page must be fetched. */
  visit(entry: FrontierRecord, visit: VisitOver): Promise<VisitOutcome | null>
}

/**
 * Visits a stored page. Its outcome is `unchanged` instead of `fetched`, and it transfers no bytes.
 * `fetchedAt`: when it was requested.
 */
export async function revisit(
  response: EgressResponse,
  visit: VisitOver,
  reason: Reason,
  fetchedAt: number | null,
): Promise<VisitOutcome> {
  // These facts are about a visit to the store.
  const {
    kept,
    trail: _,
    ...rest
  } = await visit(async ({ purpose }) => {
    if (purpose !== 'page') throw new EgressError('refused', 'A stored page sends no requests')
    return response
  })
  const page = {
    ...rest,
    fetchedAt,
    ...(kept && { kept: { ...kept, at: fetchedAt ?? kept.at } }),
  }
  if (page.outcome !== 'fetched') return page
  return { ...page, outcome: 'unchanged', reason: page.reason ?? reason, bytes: 0 }
}
