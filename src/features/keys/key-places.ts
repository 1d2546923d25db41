/** Where the record of a key is. */
export interface KeyPlace {
  readonly account: string
  readonly id: string
}

const MOST = 10_000

/**
 * Where the records of the keys that were used last are, by digest. A record never moves; whether its key is still good only the record
 * tells. No secret is held here, and no more than the store has.
 */
export class KeyPlaces {
  readonly #places = new Map<string, KeyPlace>()

  remember(digest: string, { account, id }: KeyPlace): void {
    const [oldest] = this.#places.size < MOST ? [] : this.#places.keys()
    if (oldest !== undefined) this.#places.delete(oldest)
    this.#places.set(digest, { account, id })
  }

  recall(digest: string): KeyPlace | null {
    return this.#places.get(digest) ?? null
  }

  forget(digest: string): void {
    this.#places.delete(digest)
  }
}
