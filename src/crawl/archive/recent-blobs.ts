/** Blobs that are held. */
const MAX_BLOBS = 3

/**
 * Reads blobs, and holds the last few: pages that were fetched together are often asked for
 * together.
 */
export class RecentBlobs {
  readonly #read: (name: string) => Promise<Uint8Array | null>
  readonly #held = new Map<string, Promise<Uint8Array | null>>()

  constructor(read: (name: string) => Promise<Uint8Array | null>) {
    this.#read = read
  }

  /** `null`: there is none. One that could not be read is read anew when it is next asked for. */
  get(name: string): Promise<Uint8Array | null> {
    const known = this.#held.get(name)
    if (known) return known
    const reading = this.#read(name)
    this.#held.set(name, reading)
    reading.catch(() => this.#held.delete(name))
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MAX_BLOBS) break
      this.#held.delete(oldest)
    }
    return reading
  }
}
