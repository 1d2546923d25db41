import type { PageBudget } from '../extract/page/page-budget.ts'

/** Steps for an operator, and for a number of a path, which pdf.js reads, copies and sends. */
const OPERATOR_STEPS = 40
const NUMBER_STEPS = 2
/**
 * Steps for the work between two waits. It may be an operator with a text, which is paid for when
 * it is read.
 */
const WAIT_STEPS = 1

/**
 * Counts the operators of a page as pdf.js sends them, piece by piece. A page that draws a part
 * many times, which in turn draws others many times, can have more operators than fit any memory.
 */
export class OperatorCount {
  readonly #budget: PageBudget
  readonly #end = Promise.withResolvers<null>()

  constructor(budget: PageBudget) {
    this.#budget = budget
  }

  /** Resolves when the work of pdf.js for a page has used up the budget. The rest need not be read. */
  get ended(): Promise<null> {
    return this.#end.promise
  }

  /** Pays for the work of pdf.js between two waits. Returns false when the budget is used up. */
  payWait(): boolean {
    return this.#pay(WAIT_STEPS)
  }

  /** Counts a message of pdf.js, if it has operators. */
  note(message: unknown): void {
    const chunk: unknown = Reflect.get(Object(message), 'chunk')
    const codes: unknown = Reflect.get(Object(chunk), 'fnArray')
    const lists: unknown = Reflect.get(Object(chunk), 'argsArray')
    if (!Array.isArray(codes) || !Array.isArray(lists)) return
    let numbers = 0
    for (const list of lists) numbers += numbersIn(list, 2)
    this.#pay(OPERATOR_STEPS * codes.length + NUMBER_STEPS * numbers)
  }

  #pay(steps: number): boolean {
    const budget = this.#budget
    const isPaid = budget.attempt(budget.where, () => (budget.work(steps), true), false)
    if (!isPaid) this.#end.resolve(null)
    return isPaid
  }
}

/** The numbers of an operator: of a path, they are in a list within its list. */
function numbersIn(value: unknown, levels: number): number {
  if (ArrayBuffer.isView(value)) return value.byteLength / 4
  if (!Array.isArray(value) || levels === 0) return 0
  let numbers = 0
  for (const inner of value) numbers += 1 + numbersIn(inner, levels - 1)
  return numbers
}
