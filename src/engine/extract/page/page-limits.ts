import type { PageLimits } from '../../../ports/page-limits.ts'

/**
 * The default limits of one page; an account's plan may set lower ones. A step is a unit of work of
 * about 25 ns: one node visited, one selector tried, one character searched by a pattern. So the
 * steps are about two seconds of a core, enough for a page of the maximum size (10 MiB) as
 * Markdown. The bytes are enough for such a page as HTML, as text and as Markdown.
 */
export const DEFAULT_PAGE_LIMITS: PageLimits = { steps: 60_000_000, bytes: 32 * 1024 * 1024 }
