import type { RandomBytes } from '../../../src/ports/clock.ts'

/** Random bytes that are the same in every run with the same seed (mulberry32). */
export function seededRandom(seed = 1): RandomBytes {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) & 0xff
  }
  return (length) => Uint8Array.from({ length }, next)
}
