/** Whether a JSON value has more than `most` values in it, itself and all that it holds counted. Looks at no more than that. */
export function hasMoreNodes(value: unknown, most: number): boolean {
  return count(value, most) < 0
}

/** How many are left of `most`; negative if there were too few. */
function count(value: unknown, most: number): number {
  let left = most - 1
  if (typeof value !== 'object' || value === null) return left
  for (const key in value) {
    if (left < 0) break
    left = count(Reflect.get(value, key), left)
  }
  return left
}
