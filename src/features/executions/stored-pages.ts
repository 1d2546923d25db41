import type { EgressResponse } from '../../engine/egress/types.ts'
import { unpackBody } from './pack-page.ts'
import type { StoredPage } from './page-records.ts'

/** Number of blobs kept in memory. */
const MAX_BLOBS = 3

/**
 * Reads stored pages from their blobs. It keeps the last few blobs in memory, because pages that
 * were stored together are often read together.
 */
export class StoredPages {
  readonly #readBlob: (name: string) => Promise<Uint8Array | null>
  readonly #blobs = new Map<string, Promise<Uint8Array | null>>()

  constructor(readBlob: (name: string) => Promise<Uint8Array | null>) {
    this.#readBlob = readBlob
  }

  /** Returns the stored response. `null`: its blob is gone. */
  async read({
    finalUrl,
    status,
    contentType,
    blob,
    offset,
    length,
  }: StoredPage): Promise<EgressResponse | null> {
    const bytes = await this.#open(blob)
    if (!bytes) return null
    if (bytes.length < offset + length) throw new Error('A blob of pages is too short')
    return {
      url: finalUrl,
      status,
      headers: { 'content-type': contentType },
      body: await unpackBody(bytes.subarray(offset, offset + length)),
      truncated: false,
      redirects: [],
      durationMs: 0,
    }
  }

  /** The failure is not cached, so the next call tries to read the blob again. */
  #open(name: string): Promise<Uint8Array | null> {
    const held = this.#blobs.get(name)
    if (held) return held
    const reading = this.#readBlob(name)
    this.#blobs.set(name, reading)
    reading.catch(() => this.#blobs.delete(name))
    for (const oldest of this.#blobs.keys()) {
      if (this.#blobs.size <= MAX_BLOBS) break
      this.#blobs.delete(oldest)
    }
    return reading
  }
}
