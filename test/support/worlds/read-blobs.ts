import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'

/** Blobs in memory, and the same blobs for who only reads them. */
export interface ReadBlobs {
  readonly blobs: Blobs
  /**
   * Gives the same bytes each time until the blob is put or removed. So checks that read all blobs
   * after each commit do not copy them, and see which of them are still the same.
   */
  readonly unchanged: Blobs
}

/** Makes blobs in memory whose unchanged bytes are not copied for each reader. */
export function createReadBlobs(): ReadBlobs {
  const base = createMemoryBlobs()
  const kept = new Map<string, Uint8Array>()
  return {
    blobs: {
      ...base,
      put(name, bytes) {
        kept.delete(name)
        return base.put(name, bytes)
      },
      remove(name) {
        kept.delete(name)
        return base.remove(name)
      },
    },
    unchanged: {
      ...base,
      async get(name) {
        const bytes = kept.get(name) ?? (await base.get(name))
        if (bytes) kept.set(name, bytes)
        return bytes
      },
    },
  }
}
