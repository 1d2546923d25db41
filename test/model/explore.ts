/** A step that a state allows. */
export interface Step<S> {
  readonly name: string
  readonly next: S
  /** True if the step is one that need not happen: a fault, or a call of somebody outside. */
  readonly isFault: boolean
}

/** A system of states. */
export interface Model<S> {
  readonly first: S
  /** States with the same key behave the same. */
  keyOf(state: S): string
  stepsOf(state: S): readonly Step<S>[]
  /** The promise that a state breaks. `null`: none. */
  brokenBy(state: S): string | null
  /** True if nothing more needs to happen. */
  isEnd(state: S): boolean
}

/** The result of {@link explore}. */
export interface Exploration {
  readonly states: number
  readonly steps: number
  /** The first broken promise, with the shortest way there. `null`: all hold. */
  readonly broken: { readonly promise: string; readonly path: readonly string[] } | null
}

/** The promise that {@link explore} adds to those of the model. */
export const ENDS = 'an end can be reached once there are no more faults'

/**
 * Visits all states of a model, the nearest first, until one breaks a promise. Then it looks for
 * states from which no end can be reached by steps that are not faults.
 *
 * @throws {RangeError} if there are more than `most` states
 */
export function explore<S>(model: Model<S>, most: number): Exploration {
  const numbers = new Map<string, number>()
  const parents: number[] = []
  const names: string[] = []
  const states: S[] = []
  const ends: number[] = []
  const sources: number[] = []
  const targets: number[] = []
  let steps = 0
  const pathTo = (state: number): string[] => {
    const path: string[] = []
    for (let last = state; last > 0; last = parents[last] ?? 0) path.unshift(names[last] ?? '')
    return path
  }
  const enter = (state: S, parent: number, name: string): number => {
    const key = model.keyOf(state)
    const earlier = numbers.get(key)
    if (earlier !== undefined) return earlier
    const number = states.push(state) - 1
    if (number >= most) throw new RangeError(`The model has more than ${most} states`)
    numbers.set(key, number)
    parents.push(parent)
    names.push(name)
    return number
  }
  enter(model.first, 0, '')
  // The list grows meanwhile.
  for (const [number, state] of states.entries()) {
    const promise = model.brokenBy(state)
    if (promise !== null)
      return { states: states.length, steps, broken: { promise, path: pathTo(number) } }
    if (model.isEnd(state)) ends.push(number)
    for (const { name, next, isFault } of model.stepsOf(state)) {
      steps++
      const target = enter(next, number, name)
      if (isFault) continue
      sources.push(number)
      targets.push(target)
    }
  }
  const stuck = firstStuck(states.length, ends, sources, targets)
  return {
    states: states.length,
    steps,
    broken: stuck === null ? null : { promise: ENDS, path: pathTo(stuck) },
  }
}

/** The nearest state from which no path leads to an end. States are numbered by their distance. */
function firstStuck(
  states: number,
  ends: readonly number[],
  sources: readonly number[],
  targets: readonly number[],
): number | null {
  const before: number[][] = Array.from({ length: states }, () => [])
  for (const [step, target] of targets.entries()) before[target]?.push(sources[step] ?? 0)
  const leads = new Uint8Array(states)
  const waiting = [...ends]
  for (const end of ends) leads[end] = 1
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop())
    for (const source of before[state] ?? []) {
      if (leads[source] === 1) continue
      leads[source] = 1
      waiting.push(source)
    }
  const stuck = leads.indexOf(0)
  return stuck === -1 ? null : stuck
}
