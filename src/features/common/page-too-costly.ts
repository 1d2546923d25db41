import type { PageFailure } from '../../kernel/page-failure.ts'
import { overrunText } from '../../engine/extract/page/page-budget.ts'
import type { PageOverrun } from '../../ports/page-processor.ts'
import type { Reason } from '../../records/types.ts'

const CODE = 'page_too_costly'

/** Why nothing was made of a page that was given up. */
export function givenUp({ message }: PageFailure): Reason {
  return { code: CODE, message }
}

/** Why only a part was made of a page that used up its budget; `null` where it did not. */
export function ranOver(overrun: PageOverrun | undefined): Reason | null {
  return overrun === undefined ? null : { code: CODE, message: `${overrunText(overrun)}; what was made before is kept` }
}
