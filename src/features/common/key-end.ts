import type { Records } from '../records.ts'
import type { ApiKeyRecord } from '../keys/records.ts'

/**
 * When a key ends by itself, Unix milliseconds; `null`: never. It never outlives the key that made
 * it, nor that key's maker. Keys are made that way now; of those of earlier versions the makers are
 * asked, which costs a read each.
 */
export async function endOfKey(records: Records, key: ApiKeyRecord): Promise<number | null> {
  let end = key.expiresAt
  let at: ApiKeyRecord | undefined = key
  while (at?.maker !== undefined && !at.bound) {
    at = (await records.apiKeys.get(key.account, at.maker))?.value
    end = earlier(end, at?.expiresAt ?? null)
  }
  return end
}

/** The earlier of two times; `null`: never. */
export function earlier(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.min(one, other)
}
