import type { PageContent } from '../extract/page/page-content.ts'

/** Characters of text below which a page is an empty shell, whatever was found on it. */
const HARDLY_ANY = 200
/**
 * Characters of text, such as those of a frame of navigation, below which it is one if nothing was
 * found on it.
 */
const LITTLE = 2_000

/**
 * Whether a page, as it was fetched, waits for its scripts: it is HTML with scripts, and has hardly
 * any text, or little text and nothing that the recipe looks for. `isEmpty` tells the latter; it is
 * asked only if that matters.
 */
export function needsBrowser(page: PageContent, isEmpty: () => boolean): boolean {
  if (page.kind !== 'html' || !/<script[\s>]/i.test(page.text)) return false
  const { length } = page.readable
  return length < HARDLY_ANY || (length < LITTLE && isEmpty())
}
