import type { SnapshotEntry, Store } from '../../src/ports/store.ts'
import { Luck } from './luck.ts'

const ALL = 1_000_000_000
const SALT = 0x0bac0b00
/** The share of the worlds of which a backup is made. */
const SHARE = 0.3

/** True if a backup is made of the world of a seed. It changes no other draw of that world. */
export function isArchived(seed: number): boolean {
  return luckOfArchive(seed).chance(SHARE)
}

/** The luck of the backup of a world. */
export function luckOfArchive(seed: number): Luck {
  return new Luck(seed ^ SALT)
}

/** The store of a world, which can also be read as it is at one moment, as a backup reads it. */
export function withSnapshots(store: Store): Store {
  /** Of entries that expire, by their keys. */
  const expiries = new Map<string, number>()
  return {
    get: (keys) => store.get(keys),
    list: (range) => store.list(range),
    close: () => store.close(),
    commit(change) {
      const commit = store.commit(change)
      const note = (isWritten: boolean): void => {
        if (!isWritten) return
        for (const key of change.delete ?? []) expiries.delete(JSON.stringify(key))
        for (const { key, expiresAt } of change.set ?? [])
          if (expiresAt === undefined) expiries.delete(JSON.stringify(key))
          else expiries.set(JSON.stringify(key), expiresAt)
      }
      commit.then(note, () => {})
      // The same promise: one more step of its own would change the order of all that follows.
      return commit
    },
    async *snapshot(prefixes) {
      // The store in memory reads at once what is asked for in one turn.
      const pages = await Promise.all(prefixes.map((prefix) => store.list({ prefix, limit: ALL })))
      for (const page of pages)
        yield page.map(({ key, value }): SnapshotEntry => ({
          key,
          json: JSON.stringify(value),
          expiresAt: expiries.get(JSON.stringify(key)) ?? null,
        }))
    },
  }
}
