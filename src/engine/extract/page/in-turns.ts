/**
 * Work in parts: a generator that yields after each part, and returns the result in the end.
 * Without threads, other work is done between two parts.
 */
export type Parts<T> = Generator<void, T, void>

/** Steps after which a page gives way to everything else that is due: some 10 ms of work. */
export const TURN_STEPS = 400_000

/** Elements of which each is little work, for one part. */
const SLICE = 500

/** The elements of a list in slices. A part of the work may end after each. */
export function* inSlices<T>(list: readonly T[]): Generator<readonly T[], void, undefined> {
  for (let start = 0; start < list.length; start += SLICE) yield list.slice(start, start + SLICE)
}

/** Elements that a quick pass looks at in one part, and the steps that each of them counts. */
const PASSED = 5_000
const PASS_STEPS = 4

/** Ends the parts of a quick pass that nobody pays for. Its work still counts for the turn. */
export class QuickPass {
  readonly #budget: { unpaid(steps: number): void }
  readonly #steps: number
  #left = PASSED

  /** `steps`: those of each element. */
  constructor(budget: { unpaid(steps: number): void }, steps = PASS_STEPS) {
    this.#budget = budget
    this.#steps = steps
  }

  /** Call it for each element. True if a part may end before it. */
  ends(): boolean {
    if (--this.#left > 0) return false
    this.#left = PASSED
    this.#budget.unpaid(this.#steps * PASSED)
    return true
  }
}

/** Steps of one part of work that is paid step by step. */
const PART_STEPS = 20_000

/** Ends the parts of work by its steps, for members that may be short or long. */
export class StepParts {
  readonly #budget: { readonly stepsDone: number }
  #before: number

  constructor(budget: { readonly stepsDone: number }) {
    this.#budget = budget
    this.#before = budget.stepsDone
  }

  /** True if so much was done since the last part that another one begins. */
  ends(): boolean {
    const { stepsDone } = this.#budget
    if (stepsDone - this.#before < PART_STEPS) return false
    this.#before = stepsDone
    return true
  }
}

/** The first elements of a list that fit, at most so many. */
export function* filterParts<T>(
  list: readonly T[],
  fits: (element: T) => boolean,
  budget: { unpaid(steps: number): void },
  most = Infinity,
): Parts<T[]> {
  const fitting: T[] = []
  const pass = new QuickPass(budget)
  for (const element of list) {
    if (pass.ends()) yield
    if (fits(element) && fitting.push(element) >= most) break
  }
  return fitting
}

/** Pays for all members of a list before the work on them, which is done in parts. */
export class AheadPay {
  readonly #budget: WorkAhead
  readonly #steps: number
  #left = PASSED
  #ahead: number

  /** `steps`: those of each member. `count`: the number of members. */
  constructor(budget: WorkAhead, steps: number, count: number) {
    budget.workAhead(steps * count)
    this.#budget = budget
    this.#steps = steps
    this.#ahead = steps * count
  }

  /** Call it for each member. True if a part may end before it. */
  ends(): boolean {
    if (--this.#left > 0) return false
    this.#left = PASSED
    this.#did(this.#steps * PASSED)
    return true
  }

  /** Call it once all is done. */
  end(): void {
    this.#did(this.#ahead)
  }

  #did(steps: number): void {
    const done = Math.min(steps, this.#ahead)
    this.#ahead -= done
    this.#budget.did(done)
  }
}

/** A budget that can be paid for work that is still to be done. */
interface WorkAhead {
  workAhead(steps: number): void
  did(steps: number): void
}

/** Pays for the elements of a list, a slice at a time, for work that may pass over some of them. */
export class SlicePay {
  readonly #budget: { work(steps: number): void }
  readonly #steps: number
  readonly #count: number
  #paid = 0

  /** `steps`: those of each element. `count`: the number of elements. */
  constructor(budget: { work(steps: number): void }, steps: number, count: number) {
    this.#budget = budget
    this.#steps = steps
    this.#count = count
  }

  /** True if an element begins a slice. The slice is paid then, and a part may end before it. */
  begins(index: number): boolean {
    if (index < this.#paid) return false
    this.#payTo(Math.min(index + SLICE, this.#count))
    return true
  }

  /** Pays for the elements that were passed over at the end. */
  end(): void {
    this.#payTo(this.#count)
  }

  #payTo(index: number): void {
    this.#budget.work(this.#steps * (index - this.#paid))
    this.#paid = index
  }
}

/** The answer of a taker, at once or in parts. */
export type InOneOrParts<T> = T | Parts<T>

/** The answer of a taker, which is no object. */
export function* answered<T extends boolean>(answer: InOneOrParts<T>): Parts<T> {
  return typeof answer === 'object' ? yield* answer : answer
}

/** The result of parts, with `null` for each end of a part. */
export function* asNothing<T>(parts: Parts<T>): Generator<null, T, undefined> {
  for (;;) {
    const step = parts.next()
    if (step.done === true) return step.value
    yield null
  }
}

/** Does all parts of a work at once. */
export function atOnce<T>(parts: Parts<T>): T {
  for (;;) {
    const step = parts.next()
    if (step.done === true) return step.value
  }
}

/**
 * Does work in turns of the event loop: once a page has taken {@link TURN_STEPS} steps, the next
 * part waits for `pause`. Steps are counted, as the clock stands still on some runtimes until the
 * code awaits.
 */
export async function inTurns<T>(
  parts: Parts<T>,
  budget: { readonly stepsDone: number },
  pause: () => Promise<void>,
): Promise<T> {
  let before = budget.stepsDone
  for (;;) {
    const step = parts.next()
    if (step.done === true) return step.value
    if (budget.stepsDone - before < TURN_STEPS) continue
    try {
      await pause()
    } catch (error) {
      // The parts give back what they hold, such as a share of the budget.
      parts.throw(error)
      throw error
    }
    before = budget.stepsDone
  }
}
