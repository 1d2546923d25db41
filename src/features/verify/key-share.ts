import { fnv1a } from '../../kernel/short-key.ts'

/** Shares are not halved any more after so many times: 32 bits say no more. */
const MOST_BITS = 31

/**
 * A share of all keys, by their hash. What has more keys than memory should hold is gone through
 * once for each share.
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
  // The low bits of the product depend on few bits of the key.
  return (hash ^ (hash >>> 15)) >>> 0
}
