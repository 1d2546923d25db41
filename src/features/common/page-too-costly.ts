import type { PageFailure } from '../../kernel/failures.ts'
import { cutText, overrunText } from '../../engine/extract/page/page-budget.ts'
import type { PageLosses } from '../../ports/page-processor.ts'
import type { Reason } from '../executions/records.ts'

const CODE = 'page_too_costly'

/** The reason of a page that was given up. */
export function givenUp({ message }: PageFailure): Reason {
  return { code: CODE, message }
}

/**
 * The reason of a page with partial results: its budget was used up, or a limit was reached. `null`
 * if nothing was lost.
 */
export function ranOver({ overrun, cuts = [] }: PageLosses): Reason | null {
  if (overrun === undefined && cuts.length === 0) return null
  const ended =
    overrun === undefined ? [] : [`${overrunText(overrun)}; what was read before that is kept`]
  const cut =
    cuts.length === 0
      ? []
      : [`The page has ${cuts.map(cutText).join(', ')}; the rest of these is left out`]
  return { code: CODE, message: [...ended, ...cut].join('. ') }
}
