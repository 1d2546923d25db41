import type { PageBudget } from '../extract/page/page-budget.ts'

/** Steps for an operator, and for a number of a path. pdf.js reads, copies and sends both. */
const OPERATOR_STEPS = 40
const NUMBER_STEPS = 2
/**
 * Steps for the work between two waits. It may be an operator with a text, which is paid for when
 * the text is read.
 */
const WAIT_STEPS = 1

/**
 * Counts the operators of a page as pdf.js sends them, piece by piece. If a part is drawn many
 * times and draws other parts many times, a page can have more operators than any memory holds.
 */
export class OperatorCount {
  readonly #budget: PageBudget
  readonly #end = Promise.withResolvers<null>()

  constructor(budget: PageBudget) {
    this.#budget = budget
  }

  /**
   * Resolves when the work of pdf.js for a page has used up the budget. The rest of the page is
   * then not needed.
   */
  get ended(): Promise<null> {
    return this.#end.promise
  }

  /** Pays for the work of pdf.js between two waits. Returns false when the budget is used up. */
  payWait(): boolean {
    return this.#pay(WAIT_STEPS)
  }

  /** Counts the operators of a message of pdf.js, if it has any. */
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

/** The numbers of an operator. For a path, they are in a list within its list. */
function numbersIn(value: unknown, levels: number): number {
  if (ArrayBuffer.isView(value)) return value.byteLength / 4
  if (!Array.isArray(value) || levels === 0) return 0
  let numbers = 0
  for (const inner of value) numbers += 1 + numbersIn(inner, levels - 1)
  return numbers
}
