/** A repeatable source of randomness. */
export interface Random {
  /** 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** A whole number, 0 (inclusive) to `below` (exclusive). */
  below(below: number): number
  pick<T>(from: readonly [T, ...T[]]): T
}

/**
 * The same stream for the same numbers: `createRandom(seed, 'product', 17)` does not depend on how
 * much was drawn before.
 */
export function createRandom(...parts: readonly (number | string)[]): Random {
  let state = 0x811c9dc5
  for (const character of parts.join('/'))
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193)
  // Weyl sequence through the finaliser of MurmurHash3: 32 good bits a step, which is plenty for
  // filler text.
  const next = () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { next, below, pick: (from) => from[below(from.length)] ?? from[0] }
}
