import { createHash } from 'node:crypto'

// The runtime makes digests on threads of its own, in real time, so the order of two pages would
// depend on them. Here each digest is made at once.
Object.defineProperty(SubtleCrypto.prototype, 'digest', {
  configurable: true,
  writable: true,
  value: async (algorithm: string | { name: string }, data: BufferSource): Promise<ArrayBuffer> => {
    const name = typeof algorithm === 'string' ? algorithm : algorithm.name
    const bytes = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data)
    return Uint8Array.from(createHash(name.replace('-', '')).update(bytes).digest()).buffer
  },
})
