import { fnv1a } from '../../kernel/short-key.ts'

/** Maximum number of times that a share is halved: a hash has only 32 bits. */
const MOST_BITS = 31

/**
 * A share of all keys, by their hash. If there are more keys than memory should hold, they are
 * processed in several passes, one for each share.
 */
export class KeyShare {
  readonly #bits: number
  readonly #value: number

  private constructor(bits: number, value: number) {
    this.#bits = bits
    this.#value = value
  }

  /** All keys. */
  static all(): KeyShare {
    return new KeyShare(0, 0)
  }

  has(key: string): boolean {
    return this.#bits === 0 || (hashOf(key) & ((1 << this.#bits) - 1)) === this.#value
  }

  /** Both halves of this share; `null`: it cannot be halved. */
  halves(): readonly [KeyShare, KeyShare] | null {
    const [bits, value] = [this.#bits, this.#value]
    if (bits === MOST_BITS) return null
    return [new KeyShare(bits + 1, value), new KeyShare(bits + 1, value + 2 ** bits)]
  }
}

function hashOf(key: string): number {
  const hash = fnv1a(key)
  // The high bits are used, because the low bits of the product depend on few bits of the key.
  return (hash ^ (hash >>> 15)) >>> 0
}
