import { hex8 } from '../../kernel/bytes.ts'
import type { Json } from '../../kernel/json.ts'
import { longKey } from './item-key.ts'

/**
 * The key that a long list of key values had before keys were made by SHA-256; `null` for a short
 * one, whose key is the list itself then and now. Two lists with the same old key are found in
 * milliseconds, so whoever finds an item by it has to compare the values.
 */
export function oldItemKeyOf(keyValues: readonly Json[]): string | null {
  return longKey(JSON.stringify(keyValues), oldDigest)
}

/**
 * The digest that keys were made by: quick, and no obstacle to who looks for two texts with the
 * same one.
 */
export function oldDigest(text: string): string {
  let a = 1779033703 ^ text.length
  let b = 3144134277 | 0
  let c = 1013904242
  let d = 2773480762 | 0
  const last = text.length - 1
  for (let i = 0; i <= last; i += 2) {
    const word = text.charCodeAt(i) | (i === last ? 0 : text.charCodeAt(i + 1) << 16)
    a = b ^ Math.imul(a ^ word, 597399067)
    b = c ^ Math.imul(b ^ word, 2869860233)
    c = d ^ Math.imul(c ^ word, 951274213)
    d = a ^ Math.imul(d ^ word, 2716044179)
  }
  a = Math.imul(c ^ (a >>> 18), 597399067)
  b = Math.imul(d ^ (b >>> 22), 2869860233)
  c = Math.imul(a ^ (c >>> 17), 951274213)
  d = Math.imul(b ^ (d >>> 19), 2716044179)
  return `${hex8(a ^ b ^ c ^ d)}${hex8(a ^ b)}${hex8(a ^ c)}${hex8(a ^ d)}`
}
