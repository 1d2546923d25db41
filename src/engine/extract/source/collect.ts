import type { Json } from '../../../kernel/json.ts'

/** Most values that one field takes from one place. */
export const MAX_VALUES = 10_000

/** The first value that is one, or for `many` all of them. */
export function collect<T>(found: Iterable<T>, many: boolean, read: (one: T) => Json): Json {
  if (!many) {
    for (const one of found) {
      const value = read(one)
      if (value !== null) return value
    }
    return null
  }
  const values: Json[] = []
  for (const one of found) {
    const value = read(one)
    if (value !== null && values.push(value) === MAX_VALUES) break
  }
  return values
}
