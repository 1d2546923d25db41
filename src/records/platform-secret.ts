import { fromBase64Url, toBase64Url } from '../kernel/bytes.ts'
import type { RandomBytes } from '../ports/clock.ts'
import { Change } from './change.ts'
import { SYSTEM } from './collection.ts'
import type { CoreRecords } from './core.ts'

const SECRET_BYTES = 32

/**
 * Reads a secret that the platform keeps for itself, or makes it; of several makers at once, all
 * get the first one's.
 */
export async function platformSecret(
  records: CoreRecords,
  random: RandomBytes,
  name: string,
): Promise<Uint8Array<ArrayBuffer>> {
  for (;;) {
    const stored = await read(records, name)
    if (stored) return stored
    const change = new Change()
    records.secrets.insert(change, SYSTEM, { name, value: toBase64Url(random(SECRET_BYTES)) })
    try {
      await records.commit(change)
    } catch (error) {
      // A commit whose answer was lost may have been written all the same.
      const present = await read(records, name)
      if (!present) throw error
      return present
    }
  }
}

async function read(records: CoreRecords, name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const stored = await records.secrets.get(SYSTEM, name)
  if (!stored) return null
  const bytes = fromBase64Url(stored.value.value)
  if (!bytes) throw new Error(`The platform's secret ${name} is damaged`)
  return bytes
}
