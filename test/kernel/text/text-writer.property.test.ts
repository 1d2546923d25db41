import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Pace } from '../../../src/kernel/pace.ts'
import { TextWriter } from '../../../src/kernel/text/text-writer.ts'

test('texts are written as UTF-8, whatever length was expected', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 50 })),
      fc.nat({ max: 200 }),
      async (texts, expected) => {
        const writer = new TextWriter(expected)
        for (const text of texts) writer.write(text)
        const bytes = new TextEncoder().encode(texts.join(''))
        expect(writer.length).toBe(bytes.length)
        expect(await writer.joined(new Pace())).toEqual(bytes)
      },
    ),
  )
})
