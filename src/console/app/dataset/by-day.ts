import type { Changes } from '../../../client.ts'

type Change = Pick<Changes['items'][number], 'at' | 'kind'>

/** Kinds of change, in the order of a bar, with the look of each. */
export const KINDS = [
  ['added', 'good'],
  ['returned', 'dim'],
  ['changed', 'calm'],
  ['gone', 'poor'],
] as const

/** Days that are shown. */
const MOST_DAYS = 31

/**
 * The number of changes of each kind on each day, in the reader's zone, oldest first. Days without
 * changes are left out. `changes`: newest first. `isPart`: older ones were not read. Then the
 * oldest day may be incomplete and is left out, unless it is the only one.
 */
export function changesByDay(
  changes: readonly Change[],
  isPart: boolean,
): readonly { readonly name: string; readonly values: readonly number[] }[] {
  const days = new Map<string, number[]>()
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
  for (const { at, kind } of changes) {
    const name = format.format(new Date(at))
    const values = days.get(name) ?? KINDS.map(() => 0)
    days.set(name, values)
    const index = KINDS.findIndex(([id]) => id === kind)
    values[index] = (values[index] ?? 0) + 1
  }
  const all = [...days].map(([name, values]) => ({ name, values }))
  const whole = isPart && all.length > 1 ? all.slice(0, -1) : all
  return whole.slice(0, MOST_DAYS).toReversed()
}
