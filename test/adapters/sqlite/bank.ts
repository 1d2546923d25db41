import type { Key } from '../../../src/kernel/key.ts'

export const ACCOUNTS = 10

/** Of account `i`, counted around. */
export function accountKey(i: number): Key {
  return ['bank', i % ACCOUNTS]
}
