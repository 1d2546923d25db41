import { expect, test } from 'vitest'
import { Pace } from '../../src/kernel/pace.ts'
import { TextWriter } from '../../src/kernel/text/text-writer.ts'

test.each([0, 1, 7, 8, 200])(
  'texts are written as UTF-8, if %i bytes were expected',
  async (expected) => {
    const writer = new TextWriter(expected)
    const texts = ['', 'a', 'é', '€', '😀', '', '👩‍👧', 'z'.repeat(50)]
    for (const text of texts) writer.write(text)
    const bytes = new TextEncoder().encode(texts.join(''))
    expect(writer.length).toBe(bytes.length)
    expect(await writer.joined(new Pace())).toEqual(bytes)
  },
)

test('nothing is copied again when the texts have the expected length', async () => {
  const writer = new TextWriter(6)
  writer.write('abc')
  writer.write('def')
  const bytes = await writer.joined(new Pace())
  expect(bytes.buffer.byteLength).toBe(6)
  expect(new TextDecoder().decode(bytes)).toBe('abcdef')
})

test('texts of many megabytes more than expected are written as well', async () => {
  const writer = new TextWriter(0)
  const text = 'é€😀'.repeat(500_000)
  writer.write(text)
  expect(new TextDecoder().decode(await writer.joined(new Pace()))).toBe(text)
})
