import type { FoundLink } from '../../ports/page-processor.ts'
import type { CrawlPlan } from '../plan/plan.ts'
import type { PageReason } from './fetch-page.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/** Why a URL is not visited, or its page not used. */
export interface Refused {
  readonly outcome: 'skipped_scope' | 'skipped_depth' | 'duplicate'
  readonly reason: PageReason
}

/** Returns the link to a start page. */
export function startLink(url: NormalUrl): FoundLink {
  return { url, label: 'start', depth: 0, hop: 1 }
}

/** Returns the links of a page, and the page itself if the rows refer to it. */
export function linksFrom(
  { wantsFoundOn }: Pick<CrawlPlan, 'wantsFoundOn'>,
  url: string,
  links: readonly FoundLink[],
): readonly FoundLink[] {
  return wantsFoundOn ? links.map((link) => ({ ...link, foundOn: url })) : links
}

/**
 * Returns the reason why a run does not visit a link. `null`: the run visits it. Start pages are
 * always in scope.
 */
export function refuseLink(
  { url, depth }: Pick<FoundLink, 'url' | 'depth'>,
  { maxDepth }: CrawlPlan['limits'],
  inScope: CrawlPlan['inScope'],
): Refused | null {
  if (depth > 0 && !inScope(url))
    return {
      outcome: 'skipped_scope',
      reason: { code: 'out_of_scope', message: 'Outside of the crawl scope' },
    }
  if (depth > maxDepth)
    return {
      outcome: 'skipped_depth',
      reason: { code: 'too_deep', message: `Deeper than ${maxDepth} links` },
    }
  return null
}

/**
 * The identity by which a run distinguishes pages: two URLs with the same identity are the same
 * page.
 */
export interface UrlIdentities {
  readonly ofLink: (url: NormalUrl) => string
  /** The identity of a URL at which redirects ended, as the server wrote it. */
  readonly ofLanding: (url: string) => string
}

/** Facts that a run knows about URLs. */
export interface RunUrls {
  readonly inScope: CrawlPlan['inScope']
  readonly identities: UrlIdentities
  /** Records an identity. `false`: the run already had it. */
  readonly meet: (identity: string) => boolean
}

/**
 * Decides about the URL at which a page's redirects ended. If the run already has this page, it is
 * a `duplicate`. If the URL is out of scope, the page is skipped. `null`: the page is used.
 */
export function refuseLanding(
  { url, label }: Pick<FoundLink, 'url' | 'label'>,
  finalUrl: string,
  { inScope, identities, meet }: RunUrls,
): Refused | null {
  const landing = identities.ofLanding(finalUrl)
  if (landing === identities.ofLink(url)) return null
  if (label !== 'start' && !inScope(finalUrl))
    return {
      outcome: 'skipped_scope',
      reason: {
        code: 'redirected_out_of_scope',
        message: 'A redirect led out of the crawl scope',
      },
    }
  if (!meet(landing))
    return {
      outcome: 'duplicate',
      reason: {
        code: 'redirected_to_known',
        message: 'A redirect led to a page that is already in the run',
      },
    }
  return null
}
