import { expect, it } from 'vitest'
import { TextBytes } from '../../../src/engine/export/write-text.ts'

const SIZE = 16_384

function bytesOf(texts: readonly string[]): Uint8Array[] {
  const bytes = new TextBytes(SIZE)
  const full = texts.flatMap((text) => bytes.push(text) ?? [])
  return [...full, ...[bytes.rest()].flatMap((chunk) => chunk ?? [])]
}

it('the bytes are those of the text, in chunks that are neither empty nor much too large', () => {
  const texts = ['a', '', 'é'.repeat(9_000), '€', '😀'.repeat(12_000), 'z'.repeat(40_000), 'b']
  const chunks = bytesOf(texts)
  expect(new TextDecoder().decode(Buffer.concat(chunks))).toBe(texts.join(''))
  for (const [i, { length }] of chunks.entries()) {
    expect(length).toBeLessThan(SIZE + (4_096 + 40_000) * 3)
    expect(length).toBeGreaterThanOrEqual(i < chunks.length - 1 ? SIZE : 1)
  }
})

it('an empty text gives no chunk', () => {
  expect(bytesOf([])).toEqual([])
  expect(bytesOf([''])).toEqual([])
})

it('a chunk is never overwritten', () => {
  const bytes = new TextBytes(SIZE)
  const chunks = Array.from({ length: 100 }, (_, i) =>
    bytes.push(String.fromCharCode(65 + (i % 26)).repeat(5_000)),
  ).filter((chunk) => chunk !== null)
  const copies = chunks.map((chunk) => chunk.slice())
  for (let i = 0; i < 100; i++) bytes.push('!'.repeat(5_000))
  expect(chunks).toEqual(copies)
})
