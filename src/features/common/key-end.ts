import type { Records } from '../records.ts'
import type { ApiKeyRecord } from '../keys/records.ts'

/**
 * The time when a key expires, in Unix milliseconds. `null`: never. A key expires no later than the
 * key that created it, and so on for that key. New keys store an expiry that includes this. For
 * keys of earlier versions, each of these keys is read.
 */
export async function endOfKey(records: Records, key: ApiKeyRecord): Promise<number | null> {
  let end = key.expiresAt
  let ancestor: ApiKeyRecord | undefined = key
  while (ancestor?.maker !== undefined && !ancestor.bound) {
    ancestor = (await records.apiKeys.get(key.account, ancestor.maker))?.value
    end = earlier(end, ancestor?.expiresAt ?? null)
  }
  return end
}

/** The earlier of two times. `null`: never. */
export function earlier(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right
  return Math.min(left, right)
}
