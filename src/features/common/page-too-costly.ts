import type { PageFailure } from '../../kernel/page-failure.ts'
import type { PageLimits, PageOverrun } from '../../ports/page-processor.ts'
import type { Reason } from '../../records/types.ts'

const CODE = 'page_too_costly'

const UNITS: Readonly<Record<keyof PageLimits, string>> = { steps: 'steps of work', bytes: 'bytes of results' }

/** Why nothing was made of a page that was given up. */
export function givenUp({ message }: PageFailure): Reason {
  return { code: CODE, message }
}

/** Why only a part was made of a page that used up its budget; `null` where it did not. */
export function ranOver(overrun: PageOverrun | undefined): Reason | null {
  if (overrun === undefined) return null
  const { what, limit, where } = overrun
  return { code: CODE, message: `The page used up its ${limit.toLocaleString('en')} ${UNITS[what]} at ${where}; what was made before is kept` }
}
