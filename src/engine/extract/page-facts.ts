import type { FailedPage, Page, Visit } from '../../ports/page-processor.ts'
import type { PageFact } from '../recipe/source-parts.ts'

/** A page's facts. Unknown facts are `null`. */
export type FactValues = { readonly [fact in PageFact]: string | number | null }

/** Returns the facts of a fetched page. */
export function factsOf(page: Page, visit: Visit): FactValues {
  return {
    url: page.requestedUrl ?? page.url,
    finalUrl: page.url,
    status: page.status ?? null,
    outcome: 'fetched',
    error: null,
    contentType: page.contentType || null,
    bytes: page.body.byteLength,
    ...entryFacts(visit),
  }
}

/** Returns the facts of a page that could not be fetched. */
export function factsOfFailed(page: FailedPage, visit: Visit): FactValues {
  return { ...page, ...entryFacts(visit) }
}

function entryFacts({
  label,
  depth,
  foundOn,
}: Visit): Pick<FactValues, 'label' | 'depth' | 'foundOn'> {
  return { label, depth, foundOn: foundOn ?? null }
}
