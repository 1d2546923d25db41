/**
 * Values that one input may have in it, lists, objects and what they hold all counted. A recipe of
 * 10,000 start URLs and 200 columns has some 12,000. To check one costs one or two microseconds.
 */
export const MOST_VALUES = 30_000

/** Levels of lists and objects that an input may have. */
export const DEEPEST = 64

const DEEP = -2

/**
 * Why an input is more than anybody would check; `null` where it is not. Looks at no more than
 * `most` values.
 */
export function beyondBounds(value: unknown, most = MOST_VALUES): string | null {
  const left = count(value, most, 0)
  if (left >= 0) return null
  return left === DEEP ? `is deeper than ${DEEPEST} levels` : tooManyValues(most)
}

/** How an input with more than `most` values is refused. */
export function tooManyValues(most: number): string {
  return `has more than ${most.toLocaleString('en')} values in it, which is the most; divide it among several requests`
}

/** Whether a value has more than `most` values in it, or is deeper than {@link DEEPEST}. */
export function hasMoreValues(value: unknown, most: number): boolean {
  return count(value, most, 0) < 0
}

/** How many are left of `most`; negative if there were too few. */
function count(value: unknown, most: number, depth: number): number {
  let left = most - 1
  if (typeof value !== 'object' || value === null) return left
  if (depth === DEEPEST) return DEEP
  for (const key in value) {
    if (left < 0) break
    left = count(Reflect.get(value, key), left, depth + 1)
  }
  return left
}
