import { assertBlobName } from '../kernel/names.ts'
import type { Blobs } from '../ports/blobs.ts'

/**
 * Blobs in the memory of this process, which are lost when it ends. For tests, demos and tools that
 * run once.
 */
export function createMemoryBlobs(): Blobs {
  const blobs = new Map<string, Uint8Array>()
  let closed = false
  const assertOpen = (): void => {
    if (closed) throw new Error('The blobs are closed')
  }
  return {
    async get(name) {
      assertOpen()
      assertBlobName(name)
      return blobs.get(name)?.slice() ?? null
    },
    async put(name, bytes) {
      assertOpen()
      assertBlobName(name)
      blobs.set(name, new Uint8Array(bytes))
    },
    async remove(name) {
      assertOpen()
      assertBlobName(name)
      blobs.delete(name)
    },
    async list(prefix) {
      assertOpen()
      return [...blobs.keys()].filter((name) => name.startsWith(prefix))
    },
    async close() {
      closed = true
      blobs.clear()
    },
  }
}
