import { createMemoryBlobs } from '../../../../src/defaults/memory-blobs.ts'
import { encodeKey } from '../../../../src/kernel/key.ts'
import type { Blobs } from '../../../../src/ports/blobs.ts'
import type { Entry, Store } from '../../../../src/ports/store.ts'

// For checks that read everything after each commit, of which most is still the same.

/** A store whose entries are parsed once, until another version of them is read. */
export function parsedOnce(store: Store): Store {
  const parsed = new Map<string, Entry>()
  const entryOf = (entry: Entry): Entry => {
    const key = encodeKey(entry.key)
    const before = parsed.get(key)
    if (before?.version === entry.version) return before
    parsed.set(key, entry)
    return entry
  }
  return {
    get: async (keys) => (await store.get(keys)).map((entry) => entry && entryOf(entry)),
    list: async (range) => (await store.list(range)).map(entryOf),
    commit: (change) => store.commit(change),
    close: () => store.close(),
  }
}

/** Blobs in memory, and the same blobs for who only reads them. */
export interface ReadBlobs {
  readonly blobs: Blobs
  /**
   * Gives the same bytes each time until the blob is put or removed. They are not copied, and one
   * sees that they are still the same.
   */
  readonly unchanged: Blobs
}

/** Makes blobs in memory whose unchanged bytes are not copied for each reader. */
export function createReadBlobs(): ReadBlobs {
  const base = createMemoryBlobs()
  const unchangedBytes = new Map<string, Uint8Array>()
  let changes = 0
  const forget = (name: string): void => {
    unchangedBytes.delete(name)
    changes++
  }
  return {
    blobs: {
      ...base,
      put(name, bytes) {
        forget(name)
        return base.put(name, bytes)
      },
      remove(name) {
        forget(name)
        return base.remove(name)
      },
    },
    unchanged: {
      ...base,
      async get(name) {
        const before = changes
        const bytes = unchangedBytes.get(name) ?? (await base.get(name))
        // If a blob was put meanwhile, these bytes may be the old ones.
        if (bytes && changes === before) unchangedBytes.set(name, bytes)
        return bytes
      },
    },
  }
}
