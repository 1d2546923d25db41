import { sumOf } from '../../../src/kernel/store-encoding.ts'
import type { EncodedCommit } from '../../../src/kernel/store-encoding.ts'
import type { SqliteStatements } from './statements.ts'

/**
 * Writes a commit within the caller's transaction. All checks are made before the first write, so
 * that a refused commit leaves no trace. `version` is called only if something is written.
 *
 * @returns `false` if a check failed; a `TypeError` if a counter cannot be added to.
 */
export function applyCommit(
  statements: SqliteStatements,
  commit: EncodedCommit,
  now: number,
  version: () => number,
): boolean | TypeError {
  for (const check of commit.checks)
    if (statements.version(check.key, now) !== check.version) return false
  const sums: Sum[] = []
  for (const { key, collection, amount } of commit.adds) {
    const present = statements.counter(key, now)
    try {
      sums.push({
        key,
        collection,
        text: JSON.stringify(sumOf(present ? JSON.parse(present.text) : 0, amount)),
        expiresAt: present?.expiresAt ?? null,
      })
    } catch (error) {
      if (error instanceof TypeError) return error
      throw error
    }
  }
  for (const key of commit.deletes) statements.delete(key)
  if (commit.sets.length === 0 && sums.length === 0) return true
  const newVersion = version()
  for (const { key, collection, text, expiresAt } of commit.sets)
    statements.put(key, collection, text, newVersion, expiresAt)
  for (const { key, collection, text, expiresAt } of sums)
    statements.put(key, collection, text, newVersion, expiresAt)
  return true
}

interface Sum {
  readonly key: string
  readonly collection: string
  readonly text: string
  readonly expiresAt: number | null
}
