import type { EncodedCommit } from '../../src/kernel/store-encoding.ts'
import { ADD, DELETE, HOLD, SET } from './write-functions.ts'

/**
 * Parameters of `commit_group` after the time: check keys and versions, then keys, their
 * operations, collections, values and expiries.
 */
export type GroupParameters = readonly [string, string, string, string, string, string, string]

interface Work {
  readonly op: number
  readonly collection: string | null
  readonly text: string | null
  readonly expiresAt: number | null
}

const HELD: Work = { op: HOLD, collection: null, text: null, expiresAt: null }
const DELETED: Work = { op: DELETE, collection: null, text: null, expiresAt: null }

/**
 * The writes and checks of commits that do not conflict, as parameters. Amounts for the same
 * counter are added up.
 */
export function groupParameters(commits: readonly EncodedCommit[]): GroupParameters {
  const checks = commits.flatMap((commit) => commit.checks)
  const work = new Map<string, Work>()
  // A commit that writes nothing takes no locks: its checks are read at one moment.
  for (const commit of commits)
    if (writes(commit)) for (const { key } of commit.checks) work.set(key, HELD)
  for (const { sets, deletes, adds } of commits) {
    for (const { key, collection, text, expiresAt } of sets)
      work.set(key, { op: SET, collection, text, expiresAt })
    for (const key of deletes) work.set(key, DELETED)
    for (const { key, collection, amount } of adds) {
      const before = work.get(key)
      const sum = before?.op === ADD ? Number(before.text) + amount : amount
      work.set(key, { op: ADD, collection, text: String(sum), expiresAt: null })
    }
  }
  const all = [...work]
  return [
    arrayLiteral(checks.map(({ key }) => key)),
    arrayLiteral(checks.map(({ version }) => version)),
    arrayLiteral(all.map(([key]) => key)),
    arrayLiteral(all.map(([, { op }]) => op)),
    arrayLiteral(all.map(([, { collection }]) => collection && collection.replaceAll('\0', ''))),
    arrayLiteral(all.map(([, { text }]) => text)),
    arrayLiteral(all.map(([, { expiresAt }]) => expiresAt)),
  ]
}

function writes({ sets, deletes, adds }: EncodedCommit): boolean {
  return sets.length + deletes.length + adds.length > 0
}

const TO_ESCAPE = /["\\]/
const EACH_TO_ESCAPE = /["\\]/g

/** Writes an array as text for Postgres, so that drivers need not support arrays. */
export function arrayLiteral(items: readonly (string | number | null)[]): string {
  let out = '{'
  for (const item of items) {
    if (out !== '{') out += ','
    if (item === null) out += 'NULL'
    else if (typeof item === 'number') out += item
    else
      out += TO_ESCAPE.test(item)
        ? `"${item.replace(EACH_TO_ESCAPE, String.raw`\$&`)}"`
        : `"${item}"`
  }
  return `${out}}`
}
