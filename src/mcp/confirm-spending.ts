import { isObject } from '../kernel/json.ts'
import type { PriceTable } from '../kernel/price.ts'
import { spendingOf } from './spending.ts'
import { CAPABILITIES } from './tasks.ts'

/** Advice for an agent whose user declines the cost of a call: for a recipe, and for other calls. */
const LOWER_BUDGET = "Lower the recipe's budget.credits or budget.pages, or leave this out."
const FEWER_PAGES = 'Call again with a smaller maxPages.'
const OTHERWISE: Readonly<Record<string, string>> = {
  crawl: FEWER_PAGES,
  run_template: FEWER_PAGES,
  fetch: 'One page has this price: do without it.',
}

/** The question whether the call may spend these credits. */
export interface SpendingQuestion {
  readonly message: string
  /** The title of the box to tick. */
  readonly title: string
  /** The answer to an agent whose user declines. */
  readonly declined: string
}

/** The question before a call of a client with this envelope. `null`: no question is needed. */
export function spendingQuestion(
  {
    tool,
    args,
    confirmAbove,
    prices,
  }: {
    readonly tool: string
    readonly args: { readonly [name: string]: unknown } | undefined
    readonly confirmAbove: number | undefined
    readonly prices: PriceTable
  },
  envelope: object | undefined,
): SpendingQuestion | null {
  if (confirmAbove === undefined || !canAsk(envelope)) return null
  const { credits, most } = spendingOf(tool, args, prices)
  if (credits <= confirmAbove) return null
  return {
    message: `This may cost ${most}. You are asked above ${confirmAbove} credits. Go on?`,
    title: `Spend ${most}`,
    declined: `The user declined to spend so many credits. ${OTHERWISE[tool] ?? LOWER_BUDGET}`,
  }
}

/** True if the client says in a request that it can ask its user. */
function canAsk(envelope: object | undefined): boolean {
  const capabilities = capabilitiesIn({ ...(envelope && { envelope }) })
  return isObject(capabilities) && isObject(capabilities['elicitation'])
}

/** The capabilities that a client names in each request. */
export function capabilitiesIn({ envelope }: { readonly envelope?: object }): unknown {
  return new Map<string, unknown>(Object.entries(envelope ?? {})).get(CAPABILITIES)
}
