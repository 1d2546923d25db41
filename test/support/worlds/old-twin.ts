import { oldDigest } from '../../../src/features/datasets/item-key.ts'

/**
 * So many pairs of characters are enough: the digest's state has four parts, of which each has one
 * highest bit.
 */
const PAIRS = 8

/**
 * Another text of the same length with the same old digest, which differs in some characters from a
 * place on. The digest multiplies by odd numbers and adds by XOR, so a change of the highest bit of
 * a word changes nothing but highest bits: which changes cancel out is found by trying 255 of
 * them.
 */
export function oldTwin(text: string, from: number): string {
  const start = from + (from % 2)
  for (let flips = 1; flips < 1 << PAIRS; flips++) {
    const units = text.split('')
    for (let pair = 0; pair < PAIRS; pair++) {
      const position = start + pair * 2 + 1
      if ((flips >> pair) & 1)
        units[position] = String.fromCharCode(text.charCodeAt(position) ^ 0x8000)
    }
    const twin = units.join('')
    if (oldDigest(twin) === oldDigest(text)) return twin
  }
  throw new Error('There is no twin that differs there')
}
