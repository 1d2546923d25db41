import type { Key } from '../../src/kernel/key.ts'
import { TextEntry } from '../../src/kernel/text-entry.ts'
import type { Entry } from '../../src/ports/store.ts'

/**
 * An entry as the scripts keep it: version, expiry or nothing, and the value, with a space between.
 * `null` where it is absent or its time is over.
 */
export function entryFrom(key: Key, raw: string | null | undefined, now: number): Entry | null {
  if (typeof raw !== 'string') return null
  const first = raw.indexOf(' ')
  const second = raw.indexOf(' ', first + 1)
  if (second < 0) throw new TypeError('Something else than a store has written here')
  if (second > first + 1 && Number(raw.slice(first + 1, second)) <= now) return null
  return new TextEntry(key, raw.slice(second + 1), raw.slice(0, first))
}
