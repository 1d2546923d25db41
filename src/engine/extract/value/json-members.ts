import { isList } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { inSlices, type Parts } from '../page/in-turns.ts'
import { namesOf, valuesOf } from './wide-names.ts'

/** Number of members above which V8 stores an object as a hash table. */
const MOST_QUICK = 400
/** Number of members above which a hash table does not fit into the caches of the processor. */
const MOST_CACHED = 10_000
/** Steps to list one member of such objects: up to some 0.5 and 2 µs. */
const SLOW_STEPS = 16
const SLOWEST_STEPS = 60

/** The values of objects that take long to list, because a path may ask for them very often. */
const slowLists = new WeakMap<object, readonly Json[]>()

/** Steps to list the names or values of an object with this number of members. */
export function listingSteps(members: number): number {
  if (members <= MOST_QUICK) return members
  return members * (members <= MOST_CACHED ? SLOW_STEPS : SLOWEST_STEPS)
}

/**
 * Returns the values of a list or an object, and charges the page for them: for their number each
 * time, and the first time also for the time that V8 needs to list them.
 *
 * @throws {PageTooCostly}
 */
export function membersOf(node: Json & object, budget: PageBudget): readonly Json[] {
  const listed = isList(node) ? node : slowLists.get(node)
  if (listed !== undefined) {
    budget.work(listed.length)
    return listed
  }
  const values = isList(node) ? node : valuesOf(node)
  budget.work(listingSteps(values.length))
  if (values.length > MOST_QUICK) slowLists.set(node, values)
  return values
}

/** Like {@link membersOf} in parts, for runtimes without threads. It takes the same steps. */
export function* memberParts(node: Json & object, budget: PageBudget): Parts<readonly Json[]> {
  if (isList(node) || slowLists.has(node)) return membersOf(node, budget)
  const names = namesOf(node)
  if (names.length <= MOST_CACHED) return membersOf(node, budget)
  const values: Json[] = []
  budget.workAhead(SLOWEST_STEPS * names.length)
  for (const slice of inSlices(names)) {
    for (const name of slice) values.push(node[name] ?? null)
    budget.did(SLOWEST_STEPS * slice.length)
    yield
  }
  slowLists.set(node, values)
  return values
}
