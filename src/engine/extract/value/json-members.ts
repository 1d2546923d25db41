import { isList } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { PageBudget } from '../page/page-budget.ts'

/** An object of more members is a hash table to V8. */
const MOST_QUICK = 400
/** Hash tables of more members do not fit into the caches of the processor. */
const MOST_CACHED = 10_000
/** Steps to list one member of such objects: up to some 0.5 and 2 µs. */
const SLOW_STEPS = 16
const SLOWEST_STEPS = 60

/** The values of objects that take long to list: a path may ask for them very often. */
const slowLists = new WeakMap<object, readonly Json[]>()

/** Steps to list the names or values of an object with so many members. */
export function listingSteps(members: number): number {
  if (members <= MOST_QUICK) return members
  return members * (members <= MOST_CACHED ? SLOW_STEPS : SLOWEST_STEPS)
}

/**
 * Returns the values of a list or an object, and has the page pay for them: for what V8 takes to
 * list them the first time, and for their number each time.
 *
 * @throws {PageTooCostly}
 */
export function membersOf(node: Json & object, budget: PageBudget): readonly Json[] {
  const listed = isList(node) ? node : slowLists.get(node)
  if (listed !== undefined) {
    budget.work(listed.length)
    return listed
  }
  const values = Object.values(node)
  budget.work(listingSteps(values.length))
  if (values.length > MOST_QUICK) slowLists.set(node, values)
  return values
}
