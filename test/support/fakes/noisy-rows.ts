import type { Row } from '../../../src/kernel/json.ts'
import { seededRandom } from './seeded-random.ts'

const STEP = 20

/**
 * Segments of rows `{ title, price }` with long titles that hardly repeat: files that are
 * compressed are begun long before they end.
 */
export function noisySegments(segments: number, rows: number, characters = 700): Row[][] {
  const noise = Array.from(seededRandom(3)(segments * rows * STEP + characters), (byte) =>
    byte.toString(36),
  ).join('')
  return Array.from({ length: segments }, (_, segment) =>
    Array.from({ length: rows }, (_row, index) => {
      const price = segment * rows + index
      return { title: noise.slice(price * STEP, price * STEP + characters), price }
    }),
  )
}
