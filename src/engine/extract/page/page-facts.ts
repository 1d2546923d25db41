import type { FailedPage, Page, Visit } from '../../../ports/page-processor.ts'

/** What is known of a page besides its content. */
export const PAGE_FACTS = [
  'url',
  'finalUrl',
  'status',
  'outcome',
  'error',
  'contentType',
  'bytes',
  'label',
  'depth',
  'foundOn',
] as const

/** One of {@link PAGE_FACTS}. */
export type PageFact = (typeof PAGE_FACTS)[number]

/** A page's facts; `null` for what is not known. */
export type PageFacts = { readonly [fact in PageFact]: string | number | null }

/** The facts of a page that was fetched. */
export function factsOf(page: Page, visit: Visit): PageFacts {
  return {
    url: page.requestedUrl ?? page.url,
    finalUrl: page.url,
    status: page.status ?? null,
    outcome: 'fetched',
    error: null,
    contentType: page.contentType || null,
    bytes: page.body.byteLength,
    ...placeOf(visit),
  }
}

/** The facts of a page that could not be fetched. */
export function factsOfFailed(page: FailedPage, visit: Visit): PageFacts {
  return { ...page, ...placeOf(visit) }
}

function placeOf({ label, depth, foundOn }: Visit): Pick<PageFacts, 'label' | 'depth' | 'foundOn'> {
  return { label, depth, foundOn: foundOn ?? null }
}
