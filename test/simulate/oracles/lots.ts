import { array, nullable, number, object, safeParse, string } from 'valibot'
import type { Commit, Store } from '../../../src/ports/store.ts'

const lots = object({ lots: array(object({ left: number(), expiresAt: nullable(number()) })) })
const entry = object({ kind: string() })

/** The store, which tells of each hold whether it has taken the credits that expire first. */
export function followLots(store: Store, broke: (promise: string) => void): Store {
  return {
    get: (keys) => store.get(keys),
    list: (range) => store.list(range),
    close: () => store.close(),
    commit(change) {
      const commit = store.commit(change)
      const judge = (isWritten: boolean): void => {
        if (isWritten && hasTakenLater(change)) broke('credits that expire later were spent first')
      }
      commit.then(judge, () => {})
      // The same promise: one more step of its own would change the order of all that follows.
      return commit
    },
  }
}

/** True if a commit does nothing with credits but hold some, and others would expire earlier. */
function hasTakenLater({ set = [], check = [] }: Commit): boolean {
  const valuesOf = (collection: string): unknown[] =>
    set.flatMap(({ key, value }) => (key[1] === collection ? [value] : []))
  const begun = check.filter(({ key, version }) => key[1] === 'holds' && version === null)
  const [hold, ...otherHolds] = valuesOf('holds')
  if (begun.length !== 1 || otherHolds.length > 0) return false
  for (const value of valuesOf('ledger')) {
    const parsed = safeParse(entry, value)
    if (!parsed.success || parsed.output.kind !== 'reserve') return false
  }
  const [held, rest] = [safeParse(lots, hold), safeParse(lots, valuesOf('wallet')[0])]
  if (!held.success || !rest.success) return false
  const last = Math.max(...held.output.lots.map(({ expiresAt }) => expiresAt ?? Infinity))
  return rest.output.lots.some(({ left, expiresAt }) => left > 0 && (expiresAt ?? Infinity) < last)
}
