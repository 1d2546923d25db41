import { fromBase64Url, toBase64Url } from '../kernel/bytes.ts'
import type { RandomBytes } from '../ports/clock.ts'
import { Change } from './change.ts'
import { SYSTEM } from './collection.ts'
import type { CoreRecords } from './core.ts'

const SECRET_BYTES = 32

/**
 * Reads a secret of the platform itself, or creates it. If several processes create it at once, all
 * get the same one.
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
      // A commit may have been applied although its answer was lost.
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
