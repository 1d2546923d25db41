import type { PageBudget } from '../extract/page/page-budget.ts'

/** Steps of an operator, and of a number of a path: pdf.js reads, copies and sends them. */
const OPERATOR_STEPS = 40
const NUMBER_STEPS = 2

/**
 * Counts the operators of a page as pdf.js sends them, piece by piece. A page that draws a part
 * again and again, which draws others so, has more of them than any memory.
 */
export class OperatorCount {
  readonly #budget: PageBudget
  readonly #end = Promise.withResolvers<null>()

  constructor(budget: PageBudget) {
    this.#budget = budget
  }

  /** Resolves once the operators of a page have used up the budget. The rest need not be read. */
  get ended(): Promise<null> {
    return this.#end.promise
  }

  /** Counts a message of pdf.js, if it has operators. */
  note(message: unknown): void {
    const chunk: unknown = Reflect.get(Object(message), 'chunk')
    const codes: unknown = Reflect.get(Object(chunk), 'fnArray')
    const lists: unknown = Reflect.get(Object(chunk), 'argsArray')
    if (!Array.isArray(codes) || !Array.isArray(lists)) return
    let numbers = 0
    for (const list of lists) numbers += numbersIn(list, 2)
    const budget = this.#budget
    const steps = OPERATOR_STEPS * codes.length + NUMBER_STEPS * numbers
    if (!budget.attempt(budget.where, () => (budget.work(steps), true), false))
      this.#end.resolve(null)
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
