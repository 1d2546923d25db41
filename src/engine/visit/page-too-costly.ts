import type { PageFailure } from '../../kernel/failures.ts'
import type { PageLosses } from '../../ports/page-limits.ts'
import { cutText, overrunText } from '../extract/page/page-budget.ts'
import type { PageReason } from './fetch-page.ts'

/** Error code of a page that exceeded its limits: it was dropped, or only a part of it was used. */
export const TOO_COSTLY = 'page_too_costly'

/** The reason of a page that was dropped. */
export function givenUp({ message }: PageFailure): PageReason {
  return { code: TOO_COSTLY, message }
}

/** Error code of a page with values that can be read in two ways, and are left out. */
export const UNCLEAR = 'values_unclear'

/**
 * The reason of a page with partial results: its budget was used up, a limit was reached, or values
 * were unclear. `null` if nothing was lost.
 */
export function ranOver({ overrun, cuts = [], unclear = [] }: PageLosses): PageReason | null {
  if (overrun === undefined && cuts.length === 0) {
    const [first] = unclear
    if (first === undefined) return null
    const paths = unclear.map(({ where }) => where).join(', ')
    return {
      code: UNCLEAR,
      message:
        `Values at ${paths} can be read in two ways, such as ${JSON.stringify(first.text)}, and ` +
        'are left out. Say how the site writes them in "as", or leave "as" out to keep the text',
    }
  }
  const ended =
    overrun === undefined ? [] : [`${overrunText(overrun)}; values read before that are kept`]
  const cut =
    cuts.length === 0
      ? []
      : [`The page has ${cuts.map(cutText).join(', ')}; the rest of these is left out`]
  return { code: TOO_COSTLY, message: [...ended, ...cut].join('. ') }
}
