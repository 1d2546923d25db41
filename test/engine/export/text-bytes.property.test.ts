import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TextBytes } from '../../../src/engine/export/write-text.ts'

const SIZE = 16_384

function bytesOf(texts: readonly string[]): Uint8Array[] {
  const bytes = new TextBytes(SIZE)
  const full = texts.flatMap((text) => bytes.push(text) ?? [])
  return [...full, ...[bytes.rest()].flatMap((chunk) => chunk ?? [])]
}

const text = fc
  .tuple(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.constantFrom(1, 10, 300, 3_000))
  .map(([unit, times]) => unit.repeat(times))

it('the bytes are those of the text, whatever its pieces, in chunks that are neither empty nor much too large', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
      const chunks = bytesOf(texts)
      expect(chunks.map(({ length }) => length)).not.toContain(0)
      expect(new TextDecoder().decode(Buffer.concat(chunks))).toBe(texts.join(''))
      const longest = Math.max(0, ...texts.map(({ length }) => length))
      for (const [i, { length }] of chunks.entries()) {
        expect(length).toBeLessThan(SIZE + (4_096 + longest) * 3)
        if (i < chunks.length - 1) expect(length).toBeGreaterThanOrEqual(SIZE)
      }
    }),
  )
})
