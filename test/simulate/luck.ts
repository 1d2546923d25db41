import type { RandomBytes } from '../../src/ports/clock.ts'

/** Random numbers from a seed (mulberry32), which are the same in each run. */
export class Luck {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to 1, without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** True in this share of the cases. */
  chance(share: number): boolean {
    return share > 0 && this.next() < share
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.int(0, list.length - 1)] ?? list[0]
  }

  /** One of a list; `null`, and nothing is drawn, if it is empty. */
  any<T>(list: readonly T[]): T | null {
    const [first, ...rest] = list
    return first === undefined ? null : this.pick([first, ...rest])
  }

  /** One of the names, by their weights. */
  weighed<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights)
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    const chosen = entries.find(([, weight]) => (left -= weight) < 0) ?? entries[0]
    for (const name in weights) if (name === chosen?.[0]) return name
    throw new Error('There is nothing to choose from')
  }

  /** A separate source, which does not depend on the number of other draws. */
  fork(): Luck {
    return new Luck(Math.floor(this.next() * 4_294_967_296))
  }

  /** For the port of random bytes. */
  get bytes(): RandomBytes {
    return (length) => Uint8Array.from({ length }, () => this.int(0, 255))
  }
}
