import { isObject } from '../../kernel/json.ts'
import { objectsIn } from './views.ts'

type Data = { readonly [name: string]: unknown }

/**
 * Items of a dataset as an agent needs them: their values. Ids, runs and times of each item cost
 * more than the values, and are for programs. `withState`: also which are gone, and since when.
 */
export function itemsOf(items: unknown, withState: boolean): { [name: string]: unknown }[] {
  return objectsIn(items).map(({ values, state, changedAt }) => ({
    ...(isObject(values) ? values : {}),
    ...(withState && { _state: state, _changedAt: changedAt }),
  }))
}

/**
 * A change as an agent needs it: what is new has its values, what has changed has the fields that
 * did, and what went has its key alone.
 */
export function changeOf({ kind, at, key, fields }: Data): { [name: string]: unknown } {
  const moved = isObject(fields) ? fields : {}
  if (kind === 'changed') return { kind, at, key, fields: moved }
  const values = Object.entries(moved).flatMap(([name, field]) => {
    const after = isObject(field) ? (field['after'] ?? null) : null
    return after === null ? [] : [[name, after] as const]
  })
  return values.length === 0
    ? { kind, at, key }
    : { kind, at, key, values: Object.fromEntries(values) }
}
